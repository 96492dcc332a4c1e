package io.hxb.node.collective;

import java.util.concurrent.atomic.AtomicLong;

/** What a node has done for groups. Written by the thread of its own context, read by any. */
public final class GroupCounters {
    private final AtomicLong operations = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong malformed = new AtomicLong();

    /** Makes counters of 0. */
    public GroupCounters() {
        // Nothing has happened yet.
    }

    void onOperation() {
        operations.lazySet(operations.getPlain() + 1);
    }

    void onFailed() {
        failed.lazySet(failed.getPlain() + 1);
    }

    void onMalformed() {
        malformed.lazySet(malformed.getPlain() + 1);
    }

    /** Operations that have ended with a result, or because members did not agree. */
    public long operations() {
        return operations.get();
    }

    /** Groups that have ended: a member left or is gone, a node is lost, or lists differ. */
    public long failed() {
        return failed.get();
    }

    /** Messages that were not valid. */
    public long malformed() {
        return malformed.get();
    }
}
