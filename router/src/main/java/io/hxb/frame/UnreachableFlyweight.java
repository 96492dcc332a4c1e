package io.hxb.frame;

import io.hxb.linux.Memory;

/**
 * The body of an UNREACHABLE frame, which answers a frame that could not be delivered. Owned by the
 * thread that wrapped it.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      1 reason, see the constants
 *      1      7 reserved, 0
 *      8     64 header of the frame that could not be delivered
 * </pre>
 */
public final class UnreachableFlyweight {
    /** Bytes of the body. */
    public static final int LENGTH = 8 + FrameHeaderFlyweight.LENGTH;

    /** No link leads on from the relay that answers. */
    public static final int NO_ROUTE = 1;

    /** Nobody has opened the destination context. */
    public static final int NO_SUCH_CONTEXT = 2;

    /** The destination context is another incarnation than the frame names. */
    public static final int STALE_INCARNATION = 3;

    /** The frame has crossed too many links. */
    public static final int HOP_LIMIT = 4;

    /** The destination's node has as many flows as it may, or the context as many as it may. */
    public static final int NO_FLOWS = 5;

    /** The tenants of the two contexts may not talk with each other. */
    public static final int NOT_ALLOWED = 6;

    private static final int HEADER_OFFSET = 8;

    private long address;

    /** Lays the flyweight over a body of {@link #LENGTH} bytes. */
    public UnreachableFlyweight wrap(final long bodyAddress) {
        address = bodyAddress;
        return this;
    }

    /** True if a body of that length is complete and its reason known. */
    public static boolean isRight(final long bodyAddress, final int lengthBytes) {
        return lengthBytes >= LENGTH
                && Memory.getUnsignedByte(bodyAddress) >= NO_ROUTE
                && Memory.getUnsignedByte(bodyAddress) <= NOT_ALLOWED;
    }

    /** Why the frame could not be delivered. */
    public int reason() {
        return Memory.getUnsignedByte(address);
    }

    /** Sets why the frame could not be delivered, and the reserved bytes to 0. */
    public UnreachableFlyweight reason(final int value) {
        Memory.putLong(address, value & 0xFF);
        return this;
    }

    /** Address of the copy of the header that could not be delivered. */
    public long offendingHeaderAddress() {
        return address + HEADER_OFFSET;
    }

    /** Copies the header that could not be delivered. */
    public UnreachableFlyweight offendingHeader(final long headerAddress) {
        Memory.copy(headerAddress, address + HEADER_OFFSET, FrameHeaderFlyweight.LENGTH);
        return this;
    }
}
