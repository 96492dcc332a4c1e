package io.hxb.forward;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.TraceFlyweight;
import io.hxb.frame.TracedFlyweight;

/** What one node reported about one traced frame; filled again and again. Owned by one thread. */
public final class TraceReport {
    private long number;
    private int node;
    private int kind;
    private int hopLimit;
    private int arrivedOn;
    private int leftOn;
    private long stayNs;
    private long arrivedNs;

    /** Of nothing yet. */
    public TraceReport() {}

    /** Fills it from a TRACED frame of {@code source} that arrived at {@code nowNs}. */
    void set(
            final FrameHeaderFlyweight header,
            final TracedFlyweight traced,
            final int source,
            final long nowNs) {
        number = TraceFlyweight.number(header.address());
        node = source;
        kind = traced.kind();
        hopLimit = traced.hopLimit();
        arrivedOn = traced.arrivedOn();
        leftOn = traced.leftOn();
        stayNs = traced.stayNs();
        arrivedNs = nowNs;
    }

    void write(final long[] words, final int at) {
        words[at] = number;
        words[at + 1] = node;
        words[at + 2] = (long) kind << 40 | (long) hopLimit << 32 | (long) arrivedOn << 16 | leftOn;
        words[at + 3] = stayNs;
        words[at + 4] = arrivedNs;
    }

    void read(final long[] words, final int at) {
        number = words[at];
        node = (int) words[at + 1];
        kind = (int) (words[at + 2] >>> 40);
        hopLimit = (int) (words[at + 2] >>> 32) & 0xFF;
        arrivedOn = (int) (words[at + 2] >>> 16) & 0xFFFF;
        leftOn = (int) words[at + 2] & 0xFFFF;
        stayNs = words[at + 3];
        arrivedNs = words[at + 4];
    }

    /** Number of the traced frame. */
    public long number() {
        return number;
    }

    /** Id of the node that reports. */
    public int node() {
        return node;
    }

    /** What became of the frame there, a constant of {@link TracedFlyweight}. */
    public int kind() {
        return kind;
    }

    /** Hop limit that it had when it arrived there. */
    public int hopLimit() {
        return hopLimit;
    }

    /** Index of the link on which it arrived there. */
    public int arrivedOn() {
        return arrivedOn;
    }

    /** Index of the link on which it left, or {@link TracedFlyweight#NO_LINK}. */
    public int leftOn() {
        return leftOn;
    }

    /** How long it was there, in ns. */
    public long stayNs() {
        return stayNs;
    }

    /** When the report arrived here, in ns of the loops' clock. */
    public long arrivedNs() {
        return arrivedNs;
    }
}
