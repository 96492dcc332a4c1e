package io.hxb.manager.control;

/**
 * A pair of hosts in one interval. Immutable.
 *
 * @param low the smaller host.
 * @param high the larger one.
 * @param vid that its frames take.
 * @param thereBps from the smaller host to the larger one, in bytes per second.
 * @param backBps the other way.
 * @param isFree whether its path may be changed: both hosts answer and agree, and nobody else has
 *     set it.
 */
public record PairState(
        int low, int high, int vid, double thereBps, double backBps, boolean isFree) {
    /** A key that differs for each pair. */
    long key() {
        return key(low, high);
    }

    static long key(final int a, final int b) {
        return (long) Math.min(a, b) << Integer.SIZE | Math.max(a, b);
    }

    static int low(final long key) {
        return (int) (key >>> Integer.SIZE);
    }

    static int high(final long key) {
        return (int) key;
    }
}
