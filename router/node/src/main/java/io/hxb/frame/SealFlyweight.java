package io.hxb.frame;

import io.hxb.linux.Memory;

/**
 * The trailer of a frame with {@link FrameHeaderFlyweight#FLAG_SEALED}: after its body, at any
 * alignment. Relays do not look at it. Stateless; any thread may call it.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      8 counter: mark of the session (bits 63 to 56), sending loop (55 to 48) and the
 *               number of this frame among that loop's, from 1; in frames sealed by the key of the
 *               cluster the key's id (63 to 32)
 *      8     16 tag: code over the end-to-end part of the header, the counter and the body
 * </pre>
 */
public final class SealFlyweight {
    /** Bytes of the trailer. */
    public static final int LENGTH = 24;

    /** Bits of a counter that number the frames of a loop. */
    public static final int COUNT_BITS = 48;

    /** Loops that can be distinguished. */
    public static final int MAX_LOOPS = 256;

    private static final int TAG_OFFSET = 8;
    private static final int LOOP_SHIFT = COUNT_BITS;
    private static final int MARK_SHIFT = 56;
    private static final int KEY_SHIFT = 32;
    private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;

    private SealFlyweight() {}

    /**
     * Puts a counter together.
     *
     * @param mark of the session, 0 to 255.
     * @param loop number of the loop, below {@link #MAX_LOOPS}.
     * @param count of the frame, 1 to 2^48 - 1.
     */
    public static long counter(final int mark, final int loop, final long count) {
        assert count > 0 && count <= COUNT_MASK : "a counter must not come again: " + count;
        return (long) mark << MARK_SHIFT | (long) loop << LOOP_SHIFT | count;
    }

    /** The counter of a frame that is sealed by the key with that id. */
    public static long counterOfKey(final int keyId) {
        return (long) keyId << KEY_SHIFT;
    }

    /** Id of the key, in a frame that is sealed by a key of the cluster. */
    public static int keyId(final long counter) {
        return (int) (counter >>> KEY_SHIFT);
    }

    /** Mark of the session, 0 to 255. */
    public static int mark(final long counter) {
        return (int) (counter >>> MARK_SHIFT);
    }

    /** Number of the loop that sent the frame. */
    public static int loop(final long counter) {
        return (int) (counter >>> LOOP_SHIFT) & MAX_LOOPS - 1;
    }

    /** Number of the frame among those of its loop. */
    public static long count(final long counter) {
        return counter & COUNT_MASK;
    }

    /** The counter in the trailer at that address. */
    public static long counterAt(final long trailerAddress) {
        return Memory.getLong(trailerAddress);
    }

    /** Sets the counter in the trailer at that address. */
    public static void putCounter(final long trailerAddress, final long counter) {
        Memory.putLong(trailerAddress, counter);
    }

    /** Where the tag of the trailer at that address lies. */
    public static long tagAddress(final long trailerAddress) {
        return trailerAddress + TAG_OFFSET;
    }
}
