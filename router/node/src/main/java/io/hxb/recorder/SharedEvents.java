package io.hxb.recorder;

import java.util.function.LongSupplier;

/**
 * An {@link RecorderRing} for all threads of a node that are not loops: they start and stop it, and
 * serve its programs. Any thread may record; threads take turns.
 */
public final class SharedEvents {
    private final RecorderRing ring;
    private final LongSupplier clockNs;

    SharedEvents(final RecorderRing ring, final LongSupplier clockNs) {
        this.ring = ring;
        this.clockNs = clockNs;
    }

    /** Records an event without arguments. */
    public void record(final RecordedEvent event) {
        record(event, 0, 0);
    }

    /** Records an event with one argument. */
    public void record(final RecordedEvent event, final long first) {
        record(event, first, 0);
    }

    /** Records an event with two arguments. */
    public synchronized void record(
            final RecordedEvent event, final long first, final long second) {
        ring.record(event, clockNs.getAsLong(), first, second);
    }
}
