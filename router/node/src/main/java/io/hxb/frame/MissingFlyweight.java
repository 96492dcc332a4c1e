package io.hxb.frame;

import io.hxb.linux.Memory;

/**
 * What a MISSING frame requests: the ranges of a long frame that have not arrived as fragments. Its
 * header is an answer to the fragments: the ends of their flow exchanged, their sequence, their
 * epoch as the epoch that is acknowledged, and the number of the long frame as acknowledgement.
 * Owned by the thread that wrapped it.
 *
 * <pre>
 * offset length meaning (little-endian)
 *     64      8 for each range: offset in the long frame (4 bytes), a multiple of 8, and bytes (4)
 * </pre>
 */
public final class MissingFlyweight {
    /** Most ranges of one frame; further ones are requested later. */
    public static final int MAX_RANGES = 32;

    /** Bytes for each range. */
    public static final int RANGE_BYTES = 8;

    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final FrameHeaderFlyweight fragment = new FrameHeaderFlyweight();

    /** Lays the flyweight over the header at {@code headerAddress}. */
    public MissingFlyweight wrap(final long headerAddress) {
        header.wrap(headerAddress);
        return this;
    }

    /**
     * Begins the answer to the fragments of a long frame.
     *
     * @param fragmentAddress header of one of them.
     */
    public MissingFlyweight answer(final long fragmentAddress) {
        fragment.wrap(fragmentAddress);
        header.clear()
                .type(FrameType.MISSING)
                .destination(fragment.source())
                .sourceIncarnation(fragment.destinationIncarnation())
                .destinationIncarnation(fragment.sourceIncarnation())
                .sourceContext(fragment.destinationContext())
                .destinationContext(fragment.sourceContext())
                .sequence(fragment.sequence())
                .acknowledgement(FragmentFlyweight.number(fragmentAddress))
                .acknowledgedEpoch(fragment.epoch());
        return this;
    }

    /** Adds a range after those that it has, of which there are fewer than {@link #MAX_RANGES}. */
    public MissingFlyweight add(final int offset, final int lengthBytes) {
        final int bodyBytes = header.bodyLength();
        assert bodyBytes < MAX_RANGES * RANGE_BYTES : "too many ranges";
        Memory.putInt(header.bodyAddress() + bodyBytes, offset);
        Memory.putInt(header.bodyAddress() + bodyBytes + Integer.BYTES, lengthBytes);
        header.bodyLength(bodyBytes + RANGE_BYTES);
        return this;
    }

    /** Number of the long frame. */
    public int number() {
        return header.acknowledgement();
    }

    /** Ranges, 1 to {@link #MAX_RANGES}. */
    public int ranges() {
        return header.bodyLength() / RANGE_BYTES;
    }

    /** Offset of a range. */
    public int offset(final int index) {
        return Memory.getInt(header.bodyAddress() + (long) index * RANGE_BYTES);
    }

    /** Bytes of a range. */
    public int lengthBytes(final int index) {
        return Memory.getInt(header.bodyAddress() + (long) index * RANGE_BYTES + Integer.BYTES);
    }

    /** True if there are ranges, not empty, in ascending order, within the longest frame. */
    static boolean isValid(final long body, final int bodyBytes) {
        if (bodyBytes == 0
                || bodyBytes % RANGE_BYTES != 0
                || bodyBytes > MAX_RANGES * RANGE_BYTES) {
            return false;
        }
        int end = 0;
        for (int at = 0; at < bodyBytes; at += RANGE_BYTES) {
            final int offset = Memory.getInt(body + at);
            final int lengthBytes = Memory.getInt(body + at + Integer.BYTES);
            if (offset < end
                    || offset % FragmentFlyweight.UNIT_BYTES != 0
                    || offset > FragmentFlyweight.MAX_FRAME_BYTES
                    || lengthBytes <= 0
                    || lengthBytes > FragmentFlyweight.MAX_FRAME_BYTES - offset) {
                return false;
            }
            end = offset + lengthBytes;
        }
        return true;
    }
}
