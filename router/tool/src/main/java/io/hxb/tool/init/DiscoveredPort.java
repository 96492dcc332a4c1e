package io.hxb.tool.init;

import java.util.Comparator;

/**
 * One NIC of one machine. Immutable; ordered by machine, then by name with numbers in it compared
 * as numbers.
 *
 * @param machine id of the machine: 12 hexadecimal digits.
 * @param nic name of the NIC.
 */
record DiscoveredPort(String machine, String nic) implements Comparable<DiscoveredPort> {
    /** Compares names as people do: {@code eth2} comes before {@code eth10}. */
    static final Comparator<String> NATURAL =
            Comparator.comparing(DiscoveredPort::sortKey).thenComparing(Comparator.naturalOrder());

    private static final Comparator<DiscoveredPort> ORDER =
            Comparator.comparing(DiscoveredPort::machine)
                    .thenComparing(DiscoveredPort::nic, NATURAL);

    private static String sortKey(final String name) {
        final StringBuilder key = new StringBuilder();
        for (final String part : name.split("(?<=\\D)(?=\\d)|(?<=\\d)(?=\\D)", -1)) {
            key.append(part.matches("\\d+") ? "0".repeat(Math.max(0, 64 - part.length())) : "")
                    .append(part);
        }
        return key.toString();
    }

    @Override
    public int compareTo(final DiscoveredPort other) {
        return ORDER.compare(this, other);
    }
}
