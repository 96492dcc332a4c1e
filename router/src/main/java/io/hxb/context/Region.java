package io.hxb.context;

import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory shared with one application, from which its contexts send. Loops count the messages under
 * way; the pages go back when the application has closed it and none is, the mapping when the
 * application is gone.
 */
final class Region {
    private static final Logger LOGGER = LoggerFactory.getLogger(Region.class);
    private static final int CLOSED = 1 << 30;

    private final SharedMemory memory;
    private final AtomicInteger users = new AtomicInteger();

    Region(final SharedMemory memory) {
        this.memory = memory;
    }

    SharedMemory memory() {
        return memory;
    }

    /** Takes the region for one message; false if the range is not inside or it is closed. */
    boolean use(final long offset, final int lengthBytes) {
        if (offset < 0 || offset > memory.lengthBytes() - lengthBytes) {
            return false;
        }
        if (users.getAndIncrement() >= CLOSED) {
            unuse();
            return false;
        }
        return true;
    }

    /** One message is done. */
    void unuse() {
        final int left = users.decrementAndGet();
        assert (left & ~CLOSED) >= 0 && left >= 0 : "a region is let go as often as it was taken";
        if (left == CLOSED) {
            discard();
        }
    }

    /** The application has closed it: no more messages. False if it had done so before. */
    boolean retire() {
        final int before = users.getAndUpdate(count -> count | CLOSED);
        if (before == 0) {
            discard();
        }
        return before < CLOSED;
    }

    /** True once the application has closed it. */
    boolean isRetired() {
        return users.get() >= CLOSED;
    }

    private void discard() {
        try {
            memory.discard();
        } catch (final LinuxException e) {
            LOGGER.warn(
                    "pages of a region stay until its application detaches: {}", e.getMessage());
        }
    }
}
