package io.hxb.session;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which frames of one loop of a peer have been received: each is taken once. Any thread may take.
 *
 * <p>A counter has the place of its remainder modulo {@value #COUNTERS}, where the newest that was
 * taken stands; it is taken if it is newer, by compare-and-set. So none is taken twice, whoever
 * asks, and one that arrives late is taken unless its place has gone to one that was sent {@value
 * #COUNTERS} or more frames after it. A bitmap as in RFC 6479 is smaller, but moves as a whole,
 * which several receiving loops cannot do without a lock.
 */
final class ReplayWindow {
    /** Frames by which one may be late. */
    static final int COUNTERS = 1024;

    private static final VarHandle ROUND = MethodHandles.arrayElementVarHandle(int[].class);
    private static final int SHIFT = Integer.numberOfTrailingZeros(COUNTERS);

    // Rounds through all places, from 1, in which the counters that stand there were taken.
    private final int[] rounds = new int[COUNTERS];

    /**
     * Takes a counter.
     *
     * @param count 1 to 2^40; larger ones are refused.
     * @return false if it was taken before, or is too old to tell.
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
