package io.hxb.log;

import org.agrona.ErrorHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.atomic.AtomicLong;

/** Logs and counts errors in the loops of this process, which continue. Any thread. */
public final class LoopErrors implements ErrorHandler {
    /** The only one of this process, because loops may serve several nodes. */
    public static final LoopErrors INSTANCE = new LoopErrors();

    private static final Logger LOGGER = LoggerFactory.getLogger(LoopErrors.class);

    private final AtomicLong count = new AtomicLong();

    private LoopErrors() {}

    @Override
    public void onError(final Throwable thrown) {
        final long number = count.incrementAndGet();
        // Less and less often, so that an error in every turn cannot fill the log.
        if (number <= 16 || Long.bitCount(number) == 1) {
            LOGGER.error("a loop goes on after an error ({} so far)", number, thrown);
        }
    }

    /** Errors so far. */
    public long count() {
        return count.get();
    }
}
