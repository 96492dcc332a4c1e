package io.hxb.session;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which frames of one loop of a peer have been received: each is accepted once. Any thread may ask.
 *
 * <p>The place of a counter is its remainder modulo {@value #COUNTERS}; each place holds the newest
 * counter accepted there. A counter is accepted if it is newer than that, by compare-and-set. So
 * none is accepted twice, whichever thread asks, and a late one is accepted unless its place has
 * been taken by one that was sent {@value #COUNTERS} or more frames after it. A bitmap as in RFC
 * 6479 is smaller, but moves as a whole, which several receiving loops cannot do without a lock.
 */
final class ReplayWindow {
    /** Number of frames by which one may be late. */
    static final int COUNTERS = 1024;

    private static final VarHandle ROUND = MethodHandles.arrayElementVarHandle(int[].class);
    private static final int SHIFT = Integer.numberOfTrailingZeros(COUNTERS);

    // By place, the round through all places, from 1, in which the counter there was accepted.
    private final int[] rounds = new int[COUNTERS];

    /**
     * Accepts a counter.
     *
     * @param count 1 to 2^40; larger ones are refused.
     * @return false if it was accepted before, or is too old to know.
     */
    boolean take(final long count) {
        final long turn = (count >>> SHIFT) + 1;
        if (count <= 0 || turn > Integer.MAX_VALUE) {
            return false;
        }
        final int place = (int) count & COUNTERS - 1;
        final int round = (int) turn;
        while (true) {
            final int seen = (int) ROUND.getOpaque(rounds, place);
            if (seen >= round) {
                return false;
            }
            if (ROUND.compareAndSet(rounds, place, seen, round)) {
                return true;
            }
        }
    }
}
