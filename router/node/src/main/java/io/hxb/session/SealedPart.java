package io.hxb.session;

import io.hxb.crypto.MacInput;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.linux.Memory;

/**
 * The part of a frame that its seal covers: everything in the header that does not change on the
 * way, in three blocks of the cipher with the counter. Hop limit and route change on the way;
 * source, destination and cluster are implied by the key of a session, which belongs to this pair
 * and direction. Stateless.
 */
final class SealedPart {
    /**
     * Bytes of a data frame's body that are covered: its first record and as much as fits into the
     * block.
     */
    static final int DATA_BYTES = 16;

    private static final int ANY_BIT = 24;
    private static final int LOW_24 = 0xFF_FFFF;
    private static final long HIGH_32 = 0xFFFF_FFFF_0000_0000L;
    private static final long LOW_48 = 0xFFFF_FFFF_FFFFL;

    private SealedPart() {}

    /** Bytes of what {@link #write} writes. */
    static final int HEADER_BYTES = 48;

    /** Adds counter and header. */
    static MacInput putHeader(final MacInput input, final long header, final long counter) {
        return input.putLong(counter)
                .putLong(first(header))
                .putLong(
                        Memory.getLong(
                                header + FrameHeaderFlyweight.DESTINATION_INCARNATION_OFFSET))
                .putLong(Memory.getLong(header + FrameHeaderFlyweight.SEQUENCE_OFFSET))
                .putLong(Memory.getLong(header + FrameHeaderFlyweight.WINDOW_OFFSET))
                .putLong(last(header));
    }

    /** Writes the same to memory. */
    static void write(final long header, final long counter, final long to) {
        Memory.putLong(to, counter);
        Memory.putLong(to + 8, first(header));
        Memory.putLong(
                to + 16,
                Memory.getLong(header + FrameHeaderFlyweight.DESTINATION_INCARNATION_OFFSET));
        Memory.putLong(to + 24, Memory.getLong(header + FrameHeaderFlyweight.SEQUENCE_OFFSET));
        Memory.putLong(to + 32, Memory.getLong(header + FrameHeaderFlyweight.WINDOW_OFFSET));
        Memory.putLong(to + 40, last(header));
    }

    // Version, type and flags; the incarnation stands after the cluster id.
    private static long first(final long header) {
        final boolean isForAny =
                Memory.getLong(header + FrameHeaderFlyweight.DESTINATION_OFFSET)
                        == FrameHeaderFlyweight.ANY_DESTINATION;
        return (Memory.getInt(header) & LOW_24)
                | (isForAny ? 1L << ANY_BIT : 0)
                | (Memory.getLong(header + FrameHeaderFlyweight.CLUSTER_OFFSET) & HIGH_32);
    }

    private static long last(final long header) {
        return Memory.getLong(header + FrameHeaderFlyweight.CRC_OFFSET) & LOW_48;
    }

    /** Adds what a seal by the cluster's key also covers: the sender. */
    static MacInput putSource(final MacInput input, final long header) {
        return input.putLong(Memory.getLong(header + FrameHeaderFlyweight.SOURCE_OFFSET));
    }
}
