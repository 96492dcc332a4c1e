package io.hxb.fabric.vlan;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * VLANs of pairs of hosts that do not follow the ranks, 8 bytes each: a plan for measured traffic
 * has one for most pairs. Immutable.
 */
final class ExceptionTable {
    /** Where the pairs of each smaller host begin, {@code [hosts + 1]}. */
    private final int[] starts;

    /** The larger hosts, ascending for each smaller one. */
    private final int[] highs;

    private final int[] vlans;

    /**
     * Copies pairs.
     *
     * @throws IllegalArgumentException if one is not of two different hosts.
     */
    ExceptionTable(final int hosts, final Map<VlanPlan.Pair, Integer> exceptions) {
        starts = new int[hosts + 1];
        highs = new int[exceptions.size()];
        vlans = new int[highs.length];
        int index = 0;
        int host = 0;
        for (final var entry : new TreeMap<>(exceptions).entrySet()) {
            final VlanPlan.Pair pair = entry.getKey();
            if (pair.low() < 0 || pair.low() >= pair.high() || pair.high() >= hosts) {
                throw new IllegalArgumentException(
                        "hosts %d and %d are no pair: hosts are 0 to %d"
                                .formatted(pair.low(), pair.high(), hosts - 1));
            }
            while (host < pair.low()) {
                starts[++host] = index;
            }
            highs[index] = pair.high();
            vlans[index++] = entry.getValue();
        }
        Arrays.fill(starts, host + 1, starts.length, index);
    }

    boolean isEmpty() {
        return highs.length == 0;
    }

    /** The VLAN of a pair, the smaller host first; -1 if it has no exception. */
    int vlanOf(final int low, final int high) {
        final int index = Arrays.binarySearch(highs, starts[low], starts[low + 1], high);
        return index < 0 ? -1 : vlans[index];
    }

    /** All of them, in ascending order; a new map. */
    Map<VlanPlan.Pair, Integer> toMap() {
        final Map<VlanPlan.Pair, Integer> map = new TreeMap<>();
        for (int low = 0; low < starts.length - 1; low++) {
            for (int index = starts[low]; index < starts[low + 1]; index++) {
                map.put(new VlanPlan.Pair(low, highs[index]), vlans[index]);
            }
        }
        return map;
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof ExceptionTable table
                && Arrays.equals(starts, table.starts)
                && Arrays.equals(highs, table.highs)
                && Arrays.equals(vlans, table.vlans);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(highs) * 31 + Arrays.hashCode(vlans);
    }
}
