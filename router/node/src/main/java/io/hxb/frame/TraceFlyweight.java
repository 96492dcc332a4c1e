package io.hxb.frame;

import io.hxb.linux.Memory;

/**
 * What a TRACE frame carries: a frame whose way is reported to its source by each relay, and by the
 * node it is for, in TRACED frames. The reports are not longer than it is. Owned by the thread that
 * wrapped it.
 *
 * <pre>
 * offset length meaning (little-endian)
 *     40      8 number that nobody can guess; the reports repeat it
 *     64     16 or more: nothing that is looked at
 * </pre>
 */
public final class TraceFlyweight {
    /** Fewest bytes of the body: those of a report. */
    public static final int MIN_BODY_BYTES = TracedFlyweight.BODY_BYTES;

    private static final int NUMBER_OFFSET = FrameHeaderFlyweight.SEQUENCE_OFFSET;

    private TraceFlyweight() {}

    static boolean isValid(final int bodyBytes) {
        return bodyBytes >= MIN_BODY_BYTES;
    }

    /**
     * Writes a whole frame; its source, route and seal are still to be written.
     *
     * @param headerAddress where it begins.
     * @param destination coordinates of the node it is for.
     * @param number that nobody can guess.
     * @param bodyBytes {@link #MIN_BODY_BYTES} or more.
     */
    public static void write(
            final long headerAddress,
            final long destination,
            final long number,
            final int bodyBytes) {
        assert bodyBytes >= MIN_BODY_BYTES : bodyBytes;
        new FrameHeaderFlyweight()
                .wrap(headerAddress)
                .clear()
                .type(FrameType.TRACE)
                .destination(destination)
                .bodyLength(bodyBytes);
        Memory.putLong(headerAddress + NUMBER_OFFSET, number);
        Memory.fill(headerAddress + FrameHeaderFlyweight.LENGTH, bodyBytes, 0);
    }

    /** True if the frame at {@code headerAddress} is one. */
    public static boolean isTrace(final long headerAddress) {
        return Memory.getUnsignedByte(headerAddress + FrameHeaderFlyweight.TYPE_OFFSET)
                == FrameType.TRACE;
    }

    /** The number of the TRACE or TRACED frame at {@code headerAddress}. */
    public static long number(final long headerAddress) {
        return Memory.getLong(headerAddress + NUMBER_OFFSET);
    }
}
