package io.hxb.fabric.vlan.optimise;

import java.util.Arrays;

/**
 * What pairs of hosts have sent in each of several intervals in a row, and the VLAN that each pair
 * has now. A pair takes 17 bytes, and 16 more for each interval. Owned by one thread.
 */
public final class PairTraffic {
    private static final int FIRST_SIZE = 64;

    private final double[][] forward;
    private final double[][] backward;
    private int[] lows = new int[FIRST_SIZE];
    private int[] highs = new int[FIRST_SIZE];
    private int[] vlans = new int[FIRST_SIZE];
    private boolean[] fixed = new boolean[FIRST_SIZE];
    private int size;

    /**
     * No pair yet.
     *
     * @param intervals how many, at least 1.
     */
    public PairTraffic(final int intervals) {
        forward = new double[intervals][FIRST_SIZE];
        backward = new double[intervals][FIRST_SIZE];
    }

    /**
     * Adds a pair without traffic; none is added twice.
     *
     * @param low the smaller host.
     * @param high the larger one, on another switch.
     * @param vlan index of the VLAN that it has.
     * @param isFixed whether it has to keep that.
     * @return its index.
     */
    public int add(final int low, final int high, final int vlan, final boolean isFixed) {
        if (size == lows.length) {
            grow(2 * size);
        }
        lows[size] = low;
        highs[size] = high;
        vlans[size] = vlan;
        fixed[size] = isFixed;
        return size++;
    }

    private void grow(final int length) {
        lows = Arrays.copyOf(lows, length);
        highs = Arrays.copyOf(highs, length);
        vlans = Arrays.copyOf(vlans, length);
        fixed = Arrays.copyOf(fixed, length);
        for (int i = 0; i < forward.length; i++) {
            forward[i] = Arrays.copyOf(forward[i], length);
            backward[i] = Arrays.copyOf(backward[i], length);
        }
    }

    /**
     * Sets what a pair has sent in one interval.
     *
     * @param there from the smaller host to the larger one, 0 or more, in any unit.
     * @param back the other way.
     */
    public void set(final int interval, final int pair, final double there, final double back) {
        forward[interval][pair] = there;
        backward[interval][pair] = back;
    }

    /** Number of pairs. */
    public int size() {
        return size;
    }

    /** Number of intervals. */
    int intervals() {
        return forward.length;
    }

    /** The mean of all intervals as a problem. */
    VidProblem mean(final VidCandidates vidCandidates) {
        final double[] there = new double[size];
        final double[] back = new double[size];
        for (int interval = 0; interval < forward.length; interval++) {
            for (int pair = 0; pair < size; pair++) {
                there[pair] += forward[interval][pair] / forward.length;
                back[pair] += backward[interval][pair] / forward.length;
            }
        }
        final VidProblem.Pairs pairs =
                new VidProblem.Pairs(
                        Arrays.copyOf(lows, size),
                        Arrays.copyOf(highs, size),
                        Arrays.copyOf(vlans, size),
                        Arrays.copyOf(fixed, size));
        return new VidProblem(vidCandidates, pairs, there, back);
    }

    /** One interval as a problem of the same pairs. */
    VidProblem interval(final VidProblem mean, final int interval) {
        return mean.with(
                Arrays.copyOf(forward[interval], size), Arrays.copyOf(backward[interval], size));
    }
}
