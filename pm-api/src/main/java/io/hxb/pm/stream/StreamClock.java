package io.hxb.pm.stream;

/** The time of one turn of the engine, which alone advances it. Guarded by the engine's lock. */
final class StreamClock {
    private long nowNs = System.nanoTime();

    /** Time when the engine last looked, in ns. */
    long nowNs() {
        return nowNs;
    }

    /** Looks at the clock: the time in ns. */
    long advance() {
        nowNs = System.nanoTime();
        return nowNs;
    }
}
