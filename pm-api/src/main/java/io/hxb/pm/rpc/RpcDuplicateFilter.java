package io.hxb.pm.rpc;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * Which requests of one endpoint have been begun here: the newest {@link #WINDOW} numbers one by
 * one; all older ones count as begun. Owned by the endpoint's thread.
 */
final class RpcDuplicateFilter {
    /** Far more than a peer may have under way, so that what is older was answered or given up. */
    static final int WINDOW = 1_024;

    /** Whose they are. */
    final long endpointId;

    /** Those that are carried out, or whose answer has not arrived at the peer's node. */
    final Set<Long> running = new HashSet<>();

    private final long[] begun = new long[WINDOW / Long.SIZE];
    private long highest;

    RpcDuplicateFilter(final long endpointId) {
        this.endpointId = endpointId;
    }

    /** True if a request was begun, or is too old to know. */
    boolean has(final long number) {
        return number <= highest - WINDOW || (number <= highest && isSet(number));
    }

    /** Records the begin of a request that is not in the filter, see {@link #has}. */
    void add(final long number) {
        if (number - highest >= WINDOW) {
            Arrays.fill(begun, 0);
            highest = number;
        }
        while (highest < number) {
            highest++;
            begun[word(highest)] &= ~bit(highest);
        }
        begun[word(number)] |= bit(number);
        running.add(number);
    }

    /** True if it may have no more requests running. */
    boolean isBusy() {
        return running.size() >= 2 * RpcEndpoint.MAX_UNDER_WAY;
    }

    private boolean isSet(final long number) {
        return (begun[word(number)] & bit(number)) != 0;
    }

    private static int word(final long number) {
        return (int) (number / Long.SIZE % (WINDOW / Long.SIZE));
    }

    private static long bit(final long number) {
        return 1L << number;
    }
}
