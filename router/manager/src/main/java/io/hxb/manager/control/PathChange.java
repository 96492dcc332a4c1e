package io.hxb.manager.control;

/**
 * A pair that takes another VLAN, and why. Immutable.
 *
 * @param low the smaller host.
 * @param high the larger one.
 * @param from VID that it has.
 * @param to VID that it gets.
 * @param link the busy one that it leaves, in words.
 * @param beforeBps what that link carried, in bytes per second.
 * @param expectedBps the most that it, or a link of the new path, is expected to carry then.
 */
public record PathChange(
        int low, int high, int from, int to, String link, double beforeBps, double expectedBps) {
    long key() {
        return PairState.key(low, high);
    }
}
