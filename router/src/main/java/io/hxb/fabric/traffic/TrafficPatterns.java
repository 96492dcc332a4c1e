package io.hxb.fabric.traffic;

import io.hxb.fabric.GraphException;

import java.util.List;
import java.util.function.IntUnaryOperator;

/** Patterns of traffic by name, for any number of hosts that suits them. Stateless. */
public final class TrafficPatterns {
    /** Every name, for help texts and messages. */
    public static final List<String> NAMES =
            List.of(
                    "uniform",
                    "all-to-all",
                    "bit-reversal",
                    "transpose",
                    "shift:N (default: half of the hosts)",
                    "kernel-cg");

    /** Most hosts for patterns in which every host sends to every other. */
    public static final int MOST_HOSTS_ALL_PAIRS = 2048;

    private TrafficPatterns() {}

    /** Whether a word is the name of a pattern. */
    public static boolean isName(final String word) {
        final String name = word.replaceFirst(":.*", "");
        return NAMES.stream().anyMatch(form -> form.split("[: ]", -1)[0].equals(name));
    }

    /**
     * The traffic of a pattern.
     *
     * <p>{@code uniform}: every host sends 1, spread over all others; {@code all-to-all}: 1 to each
     * other; {@code bit-reversal}, {@code transpose} (halves of the host number's bits exchanged)
     * and {@code shift}: each sends 1 to one host. {@code kernel-cg}: the exchanges with the
     * transposed process in NPB CG, 1 each; those along rows of processes are not in it. Source:
     * Koibuchi 2002, 3.4; Miura et al. 2007, 2.4; NPB 3.2, cg.f, setup_submatrix_info.
     *
     * @throws GraphException if there is no such pattern, or not for so many hosts.
     */
    public static TrafficMatrix of(final String word, final int hosts) {
        final String name = word.replaceFirst(":.*", "");
        return switch (name) {
            case "uniform" -> all(hosts, 1.0 / Math.max(1, hosts - 1));
            case "all-to-all" -> all(hosts, 1);
            case "bit-reversal" -> {
                final int bits = bits(word, hosts);
                yield permutation(hosts, h -> bits == 0 ? h : Integer.reverse(h) >>> (32 - bits));
            }
            case "transpose" -> {
                final int half = evenBits(word, hosts) / 2;
                yield permutation(hosts, h -> h >> half | (h & ((1 << half) - 1)) << half);
            }
            case "shift" -> {
                final int distance = distance(word, hosts);
                yield permutation(hosts, h -> (h + distance) % hosts);
            }
            case "kernel-cg" -> permutation(hosts, kernelCg(bits(word, hosts)));
            default ->
                    throw new GraphException(
                            "'"
                                    + word
                                    + "' is no pattern of traffic; there are "
                                    + String.join(", ", NAMES)
                                    + ", or give a file of lines 'from to amount'");
        };
    }

    private static TrafficMatrix all(final int hosts, final double amount) {
        if (hosts > MOST_HOSTS_ALL_PAIRS) {
            throw new GraphException(
                    "traffic between all of "
                            + hosts
                            + " hosts has too many pairs; take at most "
                            + MOST_HOSTS_ALL_PAIRS
                            + " hosts, or a pattern with one destination a host");
        }
        final TrafficMatrix.Builder builder = new TrafficMatrix.Builder();
        for (int source = 0; source < hosts; source++) {
            for (int destination = 0; destination < hosts; destination++) {
                builder.add(source, destination, amount);
            }
        }
        return builder.build();
    }

    private static TrafficMatrix permutation(final int hosts, final IntUnaryOperator to) {
        final TrafficMatrix.Builder builder = new TrafficMatrix.Builder();
        for (int source = 0; source < hosts; source++) {
            builder.add(source, to.applyAsInt(source), 1);
        }
        return builder.build();
    }

    private static int bits(final String word, final int hosts) {
        if (Integer.bitCount(hosts) != 1) {
            throw new GraphException(
                    "'" + word + "' needs a power of two of hosts, and there are " + hosts);
        }
        return Integer.numberOfTrailingZeros(hosts);
    }

    private static int evenBits(final String word, final int hosts) {
        if (Integer.bitCount(hosts) != 1 || Integer.numberOfTrailingZeros(hosts) % 2 != 0) {
            throw new GraphException(
                    "'" + word + "' needs 4, 16, 64, ... hosts, and there are " + hosts);
        }
        return Integer.numberOfTrailingZeros(hosts);
    }

    private static int distance(final String word, final int hosts) {
        final int colon = word.indexOf(':');
        final String number = colon < 0 ? "" + hosts / 2 : word.substring(colon + 1);
        if (!number.matches("\\d{1,7}")) {
            throw new GraphException("a shift is written like shift:8, not '" + word + "'");
        }
        return Integer.parseInt(number);
    }

    private static IntUnaryOperator kernelCg(final int bits) {
        final int rows = 1 << (bits / 2);
        return bits % 2 == 0
                ? me -> me % rows * rows + me / rows
                : me -> 2 * (me / 2 % rows * rows + me / 2 / rows) + me % 2;
    }
}
