package io.hxb.forward.kernel;

/** A traced frame that the kernel has relayed; filled again and again. Owned by one thread. */
public final class KernelTrace {
    private long source;
    private long number;
    private int hopLimit;
    private int arrivedOn;
    private int leftOn;
    private long stayNs;

    /** Of nothing yet. */
    public KernelTrace() {}

    void set(final long frameSource, final long frameNumber, final int frameHopLimit) {
        source = frameSource;
        number = frameNumber;
        hopLimit = frameHopLimit;
    }

    void stay(final int arrivalLink, final int departureLink, final long ns) {
        arrivedOn = arrivalLink;
        leftOn = departureLink;
        stayNs = ns;
    }

    /** Coordinates of its source. */
    public long source() {
        return source;
    }

    /** Its number. */
    public long number() {
        return number;
    }

    /** Hop limit with which it arrived. */
    public int hopLimit() {
        return hopLimit;
    }

    /** Index of the link on which it arrived. */
    public int arrivedOn() {
        return arrivedOn;
    }

    /** Index of the link on which it left. */
    public int leftOn() {
        return leftOn;
    }

    /** Ns that the program took for it. */
    public long stayNs() {
        return stayNs;
    }
}
