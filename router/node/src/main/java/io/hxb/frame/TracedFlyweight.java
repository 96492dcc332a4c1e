package io.hxb.frame;

import io.hxb.linux.Memory;

/**
 * What a TRACED frame carries: where a TRACE frame was, as the node there reports to its source.
 * Owned by the thread that wrapped it.
 *
 * <pre>
 * offset length meaning (little-endian)
 *     40      8 number of the TRACE frame
 *     64      1 what became of it there, see the constants
 *     65      1 hop limit that it had when it arrived
 *     66      2 index of the link on which it arrived
 *     68      2 index of the link on which it left, 65,535 = none
 *     70      2 0
 *     72      8 ns from when a loop, or the kernel's program, saw it until it was given to the link
 * </pre>
 */
public final class TracedFlyweight {
    /** Bytes of the body. */
    public static final int BODY_BYTES = 16;

    /** The node's own loop sent it on. */
    public static final int RELAYED = 1;

    /** The kernel sent it on. */
    public static final int RELAYED_IN_KERNEL = 2;

    /** The node is the one it was for. */
    public static final int ARRIVED = 3;

    /** No link took it. */
    public static final int NOT_RELAYED = 4;

    /** Stands for no link. */
    public static final int NO_LINK = 0xFFFF;

    private static final int HOP_LIMIT_OFFSET = 1,
            ARRIVED_OFFSET = 2,
            LEFT_OFFSET = 4,
            RESERVED_OFFSET = 6,
            STAY_OFFSET = 8;

    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();

    /** Lays the flyweight over the header at {@code headerAddress}. */
    public TracedFlyweight wrap(final long headerAddress) {
        header.wrap(headerAddress);
        return this;
    }

    static boolean isValid(final long bodyAddress, final int bodyBytes) {
        if (bodyBytes != BODY_BYTES) {
            return false;
        }
        final int kind = Memory.getUnsignedByte(bodyAddress);
        return kind >= RELAYED
                && kind <= NOT_RELAYED
                && Memory.getUnsignedShort(bodyAddress + RESERVED_OFFSET) == 0
                && Memory.getLong(bodyAddress + STAY_OFFSET) >= 0;
    }

    /**
     * Begins a report; source, route and seal are still to be written.
     *
     * @param destination coordinates of the source of the TRACE frame.
     * @param number of the TRACE frame.
     */
    public TracedFlyweight begin(final long destination, final long number) {
        header.clear().type(FrameType.TRACED).destination(destination).bodyLength(BODY_BYTES);
        Memory.putLong(header.address() + FrameHeaderFlyweight.SEQUENCE_OFFSET, number);
        Memory.fill(header.bodyAddress(), BODY_BYTES, 0);
        return this;
    }

    /**
     * Writes what happened.
     *
     * @param kind one of the constants.
     * @param hopLimit that the frame had when it arrived.
     * @param arrivedOn index of the link on which it arrived.
     * @param leftOn index of the link on which it left, or {@link #NO_LINK}.
     * @param stayNs time between.
     */
    public TracedFlyweight stay(
            final int kind,
            final int hopLimit,
            final int arrivedOn,
            final int leftOn,
            final long stayNs) {
        final long body = header.bodyAddress();
        Memory.putByte(body, kind);
        Memory.putByte(body + HOP_LIMIT_OFFSET, hopLimit);
        Memory.putShort(body + ARRIVED_OFFSET, arrivedOn);
        Memory.putShort(body + LEFT_OFFSET, leftOn);
        Memory.putShort(body + RESERVED_OFFSET, 0);
        Memory.putLong(body + STAY_OFFSET, Math.max(0, stayNs));
        return this;
    }

    /** What became of the frame. */
    public int kind() {
        return Memory.getUnsignedByte(header.bodyAddress());
    }

    /** Hop limit that the frame had when it arrived. */
    public int hopLimit() {
        return Memory.getUnsignedByte(header.bodyAddress() + HOP_LIMIT_OFFSET);
    }

    /** Index of the link on which it arrived, in the node that reports. */
    public int arrivedOn() {
        return Memory.getUnsignedShort(header.bodyAddress() + ARRIVED_OFFSET);
    }

    /** Index of the link on which it left, or {@link #NO_LINK}. */
    public int leftOn() {
        return Memory.getUnsignedShort(header.bodyAddress() + LEFT_OFFSET);
    }

    /** Ns from when it was seen until it was given to the link. */
    public long stayNs() {
        return Memory.getLong(header.bodyAddress() + STAY_OFFSET);
    }
}
