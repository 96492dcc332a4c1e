package io.hxb.recorder;

import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * The time of day that belongs to a time of the loops' clock, so that no loop reads a second clock.
 * Guarded by the lock of its {@link FlightRecorder}; any thread may read the monotonic clock.
 */
final class EventClock {
    private static final int TRIES = 3;
    private static final long QUICK_NS = 20_000;
    private static final long SECOND_NS = 1_000_000_000L;

    private final LongSupplier monotonic;
    private final LongSupplier wall;
    private long offsetNs;

    /**
     * A clock whose two times are compared now.
     *
     * @param monotonic time of the loops, ns.
     * @param wall time of day, ns since 1970.
     */
    EventClock(final LongSupplier monotonic, final LongSupplier wall) {
        this.monotonic = monotonic;
        this.wall = wall;
        synchronise();
    }

    /** The clocks of this machine. */
    static EventClock ofSystem() {
        return new EventClock(System::nanoTime, EventClock::systemNs);
    }

    private static long systemNs() {
        final Instant now = Instant.now();
        return now.getEpochSecond() * SECOND_NS + now.getNano();
    }

    /** The monotonic time now; any thread. */
    long monotonicNs() {
        return monotonic.getAsLong();
    }

    /** The time of day at a monotonic time, as of the last comparison. */
    long wallNs(final long monotonicNs) {
        return monotonicNs + offsetNs;
    }

    /** Compares both clocks; returns by how much the time of day has moved since the last time. */
    long synchronise() {
        final long before = offsetNs;
        long bestNs = Long.MAX_VALUE;
        for (int i = 0; i < TRIES && bestNs > QUICK_NS; i++) {
            final long startNs = monotonic.getAsLong();
            final long wallNs = wall.getAsLong();
            final long tookNs = monotonic.getAsLong() - startNs;
            if (tookNs < bestNs) {
                bestNs = tookNs;
                offsetNs = wallNs - startNs - tookNs / 2;
            }
        }
        return offsetNs - before;
    }
}
