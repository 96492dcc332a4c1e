package io.hxb.frame;

import io.hxb.linux.Memory;

/**
 * What a FRAGMENT frame carries: its body is a range of a long frame. Its header is that of the
 * long frame, so that it takes the same route and relays can answer it, but for type, flags, which
 * are 0, body and messages, and these fields. The header of the long frame is the beginning of its
 * first range.
 *
 * <pre>
 * offset length meaning (little-endian)
 *     44      4 number of the long frame, given by the node that cuts it
 *     56      4 length of the long frame in bytes with header and trailer (bits 0 to 16), and
 *               offset of the range in units of {@value #UNIT_BYTES} bytes (bits 17 to 31)
 * </pre>
 *
 * All ranges but the last have a multiple of {@value #UNIT_BYTES} bytes. A fragment has no seal:
 * the long frame has one. An object writes fragments and is owned by one loop; what reads them is
 * stateless.
 */
public final class FragmentFlyweight {
    /** Offset and length of a range, unless it ends its frame, are multiples of this. */
    public static final int UNIT_BYTES = 8;

    /** The longest frame that can be cut. */
    public static final int MAX_FRAME_BYTES = (1 << 17) - 1;

    /** Offset of the number in the header. */
    public static final int NUMBER_OFFSET = FrameHeaderFlyweight.ACKNOWLEDGEMENT_OFFSET;

    private static final int PLACE_OFFSET = FrameHeaderFlyweight.CRC_OFFSET;
    private static final int LENGTH_BITS = 17;

    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();

    /** True if the frame at {@code headerAddress} is a fragment. */
    public static boolean isFragment(final long headerAddress) {
        return Memory.getUnsignedByte(headerAddress + FrameHeaderFlyweight.TYPE_OFFSET)
                == FrameType.FRAGMENT;
    }

    /**
     * Writes the header of a fragment.
     *
     * @param headerAddress where it is written, 64 bytes.
     * @param ofAddress header of the long frame, or of another fragment of it.
     * @param number of the long frame.
     * @param frameBytes length of the long frame, up to {@link #MAX_FRAME_BYTES}.
     * @param offset of the range, a multiple of {@link #UNIT_BYTES}.
     * @param rangeBytes of the range.
     */
    public void write(
            final long headerAddress,
            final long ofAddress,
            final int number,
            final int frameBytes,
            final int offset,
            final int rangeBytes) {
        assert frameBytes <= MAX_FRAME_BYTES && offset % UNIT_BYTES == 0
                : frameBytes + ", " + offset;
        Memory.copyShort(ofAddress, headerAddress, FrameHeaderFlyweight.LENGTH);
        header.wrap(headerAddress)
                .type(FrameType.FRAGMENT)
                .flags(0)
                .bodyLength(rangeBytes)
                .messageCount(0);
        Memory.putInt(headerAddress + NUMBER_OFFSET, number);
        Memory.putInt(
                headerAddress + PLACE_OFFSET, frameBytes | ((offset / UNIT_BYTES) << LENGTH_BITS));
    }

    /** Number of the long frame that the fragment at {@code headerAddress} is of. */
    public static int number(final long headerAddress) {
        return Memory.getInt(headerAddress + NUMBER_OFFSET);
    }

    /** Length of that frame in bytes. */
    public static int frameBytes(final long headerAddress) {
        return Memory.getInt(headerAddress + PLACE_OFFSET) & MAX_FRAME_BYTES;
    }

    /** Offset of the range in that frame, in bytes. */
    public static int offset(final long headerAddress) {
        return (Memory.getInt(headerAddress + PLACE_OFFSET) >>> LENGTH_BITS) * UNIT_BYTES;
    }

    /** True if the range is not empty and lies in the frame, and flags and messages are 0. */
    static boolean isValid(final long headerAddress, final int rangeBytes) {
        final int frameBytes = frameBytes(headerAddress);
        final int rest = frameBytes - offset(headerAddress) - rangeBytes;
        return frameBytes >= FrameHeaderFlyweight.LENGTH
                && rangeBytes > 0
                && rest >= 0
                && (rest == 0 || rangeBytes % UNIT_BYTES == 0);
    }
}
