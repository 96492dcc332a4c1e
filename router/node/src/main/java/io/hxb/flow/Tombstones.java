package io.hxb.flow;

import io.hxb.frame.FrameHeaderFlyweight;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * What the contexts of a node that are closed had of the messages sent to them, for as long as a
 * source may still ask: the idle time of a flow and two peer timeouts, after which a source has
 * closed its flow or given up. A bounded number; the oldest ones go first. Any thread, under a lock
 * that only frames for closed contexts need.
 */
final class Tombstones {
    private final int maxCount;
    private final long keepNs;
    private final Map<Long, Tombstone> newest = new HashMap<>();
    private final ArrayDeque<Tombstone> byAge = new ArrayDeque<>();

    /** When one was given up that sources might still ask for. */
    private long evictedNs;

    private boolean hasEvicted;

    /** Makes a place for {@code maxCount} of them, each kept for {@code keepNs}. */
    Tombstones(final int maxCount, final long keepNs) {
        this.maxCount = maxCount;
        this.keepNs = keepNs;
    }

    synchronized void add(final Tombstone stone) {
        expire(stone.madeNs());
        if (byAge.size() == maxCount) {
            hasEvicted = true;
            evictedNs = stone.madeNs();
            removeOldest();
        }
        byAge.add(stone);
        stone.older(newest.put(stone.key(), stone));
    }

    /**
     * What is remembered of the flow that {@code frame} belongs to, whose source has asked now.
     *
     * @param key of its two ends.
     * @return null for nothing.
     */
    synchronized Tombstone ask(final long key, final FrameHeaderFlyweight frame, final long nowNs) {
        expire(nowNs);
        Tombstone stone = newest.get(key);
        while (stone != null
                && (stone.incarnation != frame.destinationIncarnation()
                        || stone.sourceIncarnation != frame.sourceIncarnation()
                        || stone.epoch != frame.epoch())) {
            stone = stone.older();
        }
        if (stone != null) {
            stone.onAsked();
        }
        return stone;
    }

    /** True if the source of {@code stone} has asked for it. */
    synchronized boolean isAsked(final Tombstone stone) {
        return stone.isAsked();
    }

    /** True if nothing was given up early within the last {@code timeNs}. */
    synchronized boolean isComplete(final long timeNs, final long nowNs) {
        return !hasEvicted || nowNs - evictedNs > timeNs;
    }

    /** Those that are kept; for tests and reports. */
    synchronized int count() {
        return byAge.size();
    }

    private void expire(final long nowNs) {
        while (!byAge.isEmpty() && nowNs - byAge.peek().madeNs() > keepNs) {
            removeOldest();
        }
    }

    // It is the last in the chain of its key.
    private void removeOldest() {
        final Tombstone oldest = byAge.remove();
        Tombstone stone = newest.get(oldest.key());
        if (stone == oldest) {
            newest.remove(oldest.key());
            return;
        }
        while (stone.older() != oldest) {
            stone = stone.older();
        }
        stone.older(null);
    }
}
