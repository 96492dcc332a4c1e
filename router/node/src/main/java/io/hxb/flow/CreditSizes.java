package io.hxb.flow;

/**
 * How the receive buffers that contexts may hold are shared. Immutable.
 *
 * @param floorFrames frames that every context may have at any time, however many are open: 1; 0
 *     for an end of remote memory, which takes copies and so needs what it borrows for moments
 *     only.
 * @param dividedFrames frames that are guaranteed to the open contexts besides, in equal parts of
 *     {@value #MAX_PART_FRAMES} at most ({@link GuaranteePool}).
 * @param lentFrames frames that contexts borrow beyond what is guaranteed, all together.
 * @param minParts parts that are made of the divided frames, however few contexts are open.
 */
record CreditSizes(int floorFrames, int dividedFrames, int lentFrames, int minParts) {
    /** With the floor, the guarantee of a context on a node where few are open. */
    static final int MAX_PART_FRAMES = 31;

    /**
     * So many contexts that never release anything, one opened after the other, leave to the next
     * what each of them has.
     */
    private static final int MIN_PARTS = 64;

    /**
     * Keeps a frame for every context that could be open, guarantees two fifths of the others to
     * those that are, and lends the rest.
     *
     * @param frames buffers that all contexts together may hold.
     * @param maxContexts contexts that may be open at once.
     */
    static CreditSizes of(final int frames, final int maxContexts) {
        final int rest = Math.max(0, frames - maxContexts);
        final int divided = (int) Math.min(rest * 2L / 5, (long) MAX_PART_FRAMES * maxContexts);
        return new CreditSizes(1, divided, rest - divided, Math.min(MIN_PARTS, maxContexts));
    }

    /** The sizes of an end to which nothing is guaranteed. */
    CreditSizes withoutGuarantee() {
        return new CreditSizes(0, dividedFrames, lentFrames, minParts);
    }

    /** Frames that each of {@code open} contexts should have beside the floor. */
    int partFrames(final int open) {
        return Math.min(MAX_PART_FRAMES, dividedFrames / Math.max(minParts, open));
    }

    /**
     * Frames that contexts borrow, all together, as long as they have released nothing: the other
     * half is for those that do.
     */
    int untriedFrames() {
        return lentFrames / 2;
    }
}
