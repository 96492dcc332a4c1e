package io.hxb.observe.live;

import io.hxb.counter.CounterReader;

import java.util.Locale;

/** Whether a node runs. */
public enum NodeState {
    /** Its process lives and writes its counters. */
    RUNNING,

    /** It was ended in order. */
    STOPPED,

    /** Neither running nor stopped in order: it has crashed, was killed or hangs. */
    DEAD;

    /** The state that a node's counters show. */
    public static NodeState of(final CounterReader reader) {
        return of(reader, System.currentTimeMillis());
    }

    /** The state that a node's counters show at a time in ms since 1970. */
    public static NodeState of(final CounterReader reader, final long nowMs) {
        if (reader.isClosed()) {
            return STOPPED;
        }
        return reader.isAlive(nowMs) ? RUNNING : DEAD;
    }

    /** The word for it, as people and programs read it: {@code running}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
