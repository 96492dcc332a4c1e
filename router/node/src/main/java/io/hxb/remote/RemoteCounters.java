package io.hxb.remote;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What a node has done with memory that is shared with others. Any loop. */
public final class RemoteCounters {
    private final AtomicLong performed = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong malformed = new AtomicLong();
    private final LongAdder writtenBytes = new LongAdder();
    private final LongAdder readBytes = new LongAdder();

    /** Makes counters of 0. */
    public RemoteCounters() {
        // Nothing has happened yet.
    }

    void onPerformed() {
        performed.incrementAndGet();
    }

    void onRefused() {
        refused.incrementAndGet();
    }

    void onMalformed() {
        malformed.incrementAndGet();
    }

    void onWritten(final long bytes) {
        writtenBytes.add(bytes);
    }

    void onRead(final long bytes) {
        readBytes.add(bytes);
    }

    /** Operations of others that were performed. */
    public long performed() {
        return performed.get();
    }

    /** Requests of others that were refused: unknown keys, missing rights, bytes outside. */
    public long refused() {
        return refused.get();
    }

    /** Requests and answers that made no sense. */
    public long malformed() {
        return malformed.get();
    }

    /** Bytes that others have written here. */
    public long writtenBytes() {
        return writtenBytes.sum();
    }

    /** Bytes that others have read here. */
    public long readBytes() {
        return readBytes.sum();
    }
}
