package io.hxb.flow;

/**
 * How the receive buffers that contexts may hold are shared. Immutable.
 *
 * @param guaranteedFrames frames that every context may have at any time, 1 or more; 0 for an end
 *     of remote memory, which takes copies and so needs what it borrows for moments only.
 * @param firstFrames frames that a context may have before its application has released any, those
 *     included.
 * @param lentFrames frames that contexts borrow beyond what is guaranteed, all together.
 */
record CreditSizes(int guaranteedFrames, int firstFrames, int lentFrames) {
    private static final int MAX_GUARANTEED_FRAMES = 32;

    /** As many as the source of a new flow may send at first. */
    private static final int MAX_FIRST_FRAMES = ReceiveWindow.FIRST_TARGET_FRAMES;

    /**
     * Guarantees one half of the buffers in equal parts and lends the other half. All contexts
     * together, if they never release anything, borrow half of that at most, so that the rest is
     * for those that do.
     *
     * @param frames buffers that all contexts together may hold.
     * @param maxContexts contexts that may be open at once.
     */
    static CreditSizes of(final int frames, final int maxContexts) {
        final int part = frames / 2 / maxContexts;
        final int guaranteed = Math.clamp(part, 1, MAX_GUARANTEED_FRAMES);
        final int lent = Math.max(0, frames - guaranteed * maxContexts);
        final int first = Math.min(MAX_FIRST_FRAMES, lent / 2 / maxContexts);
        return new CreditSizes(guaranteed, guaranteed + first, lent);
    }

    /** The sizes of an end to which nothing is guaranteed. */
    CreditSizes withoutGuarantee() {
        return new CreditSizes(0, firstFrames, lentFrames);
    }
}
