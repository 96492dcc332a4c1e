package io.hxb.tool.init;

import java.util.Comparator;

/**
 * One NIC of one machine. Immutable; ordered by machine, then by name with numbers in it compared
 * as numbers.
 *
 * @param machine id of the machine: 12 hexadecimal digits.
 * @param nic name of the NIC.
 */
record Port(String machine, String nic) implements Comparable<Port> {
    /** Compares names as people do: {@code eth2} comes before {@code eth10}. */
    static final Comparator<String> NATURAL =
            Comparator.comparing(Port::sortKey).thenComparing(Comparator.naturalOrder());

    private static final Comparator<Port> ORDER =
            Comparator.comparing(Port::machine).thenComparing(Port::nic, NATURAL);

    private static String sortKey(final String name) {
        final StringBuilder key = new StringBuilder();
        for (final String part : name.split("(?<=\\D)(?=\\d)|(?<=\\d)(?=\\D)", -1)) {
            key.append(part.matches("\\d+") ? "0".repeat(Math.max(0, 64 - part.length())) : "")
                    .append(part);
        }
        return key.toString();
    }

    @Override
    public int compareTo(final Port other) {
        return ORDER.compare(this, other);
    }
}
