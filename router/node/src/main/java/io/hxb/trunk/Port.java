package io.hxb.trunk;

import io.hxb.link.Link;
import io.hxb.topology.Shape;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * One link in its place: the number it has in the trunk of its dimension, and which neighbours can
 * be reached over it. Written by the health of the trunks under its lock; every loop reads.
 */
public final class Port {
    /** Weight of a link that gets its full share. */
    public static final int FULL_WEIGHT = 64;

    private static final VarHandle WEIGHT = MethodHandles.arrayElementVarHandle(byte[].class);
    private static final VarHandle STATE = MethodHandles.arrayElementVarHandle(LinkState[].class);
    private static final VarHandle BUSY = busy();
    private static final VarHandle REASON = MethodHandles.arrayElementVarHandle(LinkReason[].class);
    private static final String DIMENSION_NAMES = "xyzuvwst";

    private final Link link;
    private final int dimension;
    private final int number;
    private final byte[] weights = new byte[Shape.MAX_EXTENT];
    private final LinkState[] states = new LinkState[Shape.MAX_EXTENT];
    private final LinkReason[] reasons = new LinkReason[Shape.MAX_EXTENT];
    private OffloadPath offloadPath = OffloadPath.NONE;

    @SuppressWarnings("unused") // by BUSY
    private long busyUntilNs;

    private static VarHandle busy() {
        try {
            return MethodHandles.lookup().findVarHandle(Port.class, "busyUntilNs", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Puts a link in its place.
     *
     * @param link the link.
     * @param dimension dimension its segment lies in, 0 to 7.
     * @param number its number in that dimension's trunk, from 0.
     */
    public Port(final Link link, final int dimension, final int number) {
        this.link = link;
        this.dimension = dimension;
        this.number = number;
        busyUntilNs = Long.MIN_VALUE / 2;
        Arrays.fill(states, LinkState.UNKNOWN);
        Arrays.fill(reasons, LinkReason.NOT_HEARD);
    }

    /** The link. */
    public Link link() {
        return link;
    }

    /** Dimension, 0 to 7. */
    public int dimension() {
        return dimension;
    }

    /** Number in the trunk, from 0. */
    public int number() {
        return number;
    }

    /**
     * True while frames can be sent to a neighbour over this link: they pass in both directions and
     * the link is up.
     *
     * @param neighbour its coordinate in this dimension, 0 to 255.
     */
    public boolean isUsable(final int neighbour) {
        return weight(neighbour) != 0 && link.isUp();
    }

    /**
     * Share of the frames to a neighbour that this link gets.
     *
     * @param neighbour its coordinate in this dimension, 0 to 255.
     * @return 1 to {@link #FULL_WEIGHT}, or 0 while the link is not used.
     */
    public int weight(final int neighbour) {
        return (byte) WEIGHT.getOpaque(weights, neighbour);
    }

    /** State of this link to a neighbour, as last reported to listeners. */
    public LinkState state(final int neighbour) {
        return (LinkState) STATE.getOpaque(states, neighbour);
    }

    /** Reason for that state. */
    public LinkReason reason(final int neighbour) {
        return (LinkReason) REASON.getOpaque(reasons, neighbour);
    }

    /** Sets the state of the link to a neighbour; a good one gets its full share. */
    public void set(final int neighbour, final LinkState state, final LinkReason reason) {
        REASON.setOpaque(reasons, neighbour, reason);
        STATE.setOpaque(states, neighbour, state);
        setWeight(neighbour, state == LinkState.GOOD ? FULL_WEIGHT : 0);
        if (state != LinkState.GOOD) {
            link.onFailed(neighbour);
        }
    }

    /**
     * Sets the share of the frames to a neighbour that this link gets from now on.
     *
     * @param weight 1 to {@link #FULL_WEIGHT}, or 0 to leave the link out.
     */
    public void setWeight(final int neighbour, final int weight) {
        assert weight >= 0 && weight <= FULL_WEIGHT : weight;
        WEIGHT.setOpaque(weights, neighbour, (byte) weight);
        offloadPath.weight(neighbour, weight);
    }

    /** Sets what else moves frames through this port; before the loops start. */
    public void bypass(final OffloadPath other) {
        offloadPath = other;
    }

    /** What else moves frames through this port. */
    public OffloadPath bypass() {
        return offloadPath;
    }

    /** The link is full of frames whose shortest way it is, until {@code untilNs}. */
    void busy(final long untilNs) {
        BUSY.setOpaque(this, untilNs);
        offloadPath.busy(untilNs);
    }

    /** True if it is full of frames whose shortest way it is. */
    boolean isBusy(final long nowNs) {
        return (long) BUSY.getOpaque(this) - nowNs > 0;
    }

    /** Learns a neighbour's link address, as seen in a hello frame. */
    public void learn(final int neighbour, final long address) {
        assert address != 0 : "a neighbour that was heard has an address";
        if (link.learned(neighbour) != address) {
            link.learn(neighbour, address);
            offloadPath.learn(neighbour, address);
        }
    }

    /** As people write it: {@code x.0}. */
    public String label() {
        return label(dimension, number);
    }

    /** As people write the port with that dimension and number: {@code x.0}. */
    public static String label(final int dimension, final int number) {
        final String name =
                dimension < DIMENSION_NAMES.length()
                        ? DIMENSION_NAMES.substring(dimension, dimension + 1)
                        : Integer.toString(dimension);
        return name + "." + number;
    }
}
