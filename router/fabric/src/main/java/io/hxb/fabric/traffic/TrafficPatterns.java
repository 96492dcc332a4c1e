package io.hxb.fabric.traffic;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * Patterns of traffic by name, for every graph that suits them. Stateless.
 *
 * <p>Of the permutations, in which each host sends to one other, those by coordinates follow Dally
 * and Towles 2004, section 3.2, as BookSim does: in each dimension of {@code k} switches {@code
 * tornado} goes from {@code s} to {@code (s + ceil(k / 2) - 1) mod k} and {@code neighbour} to
 * {@code (s + 1) mod k}; {@code transpose} exchanges the halves of the coordinates, {@code (x, y)}
 * to {@code (y, x)}. Hosts keep their place on their switch. {@code host-tornado}, {@code
 * host-neighbour} and {@code host-transpose} do the same with the numbers of the hosts, as if they
 * stood on one ring or in one square. {@code bit-reversal}, {@code bit-complement} and {@code
 * shuffle} permute the bits of host numbers, {@code shift:N} adds to them.
 */
public final class TrafficPatterns {
    /** Every name, for help texts and messages. */
    public static final List<String> NAMES =
            List.of(
                    "uniform",
                    "all-to-all",
                    "bit-reversal",
                    "bit-complement",
                    "shuffle",
                    "transpose",
                    "tornado",
                    "neighbour",
                    "host-transpose",
                    "host-tornado",
                    "host-neighbour",
                    "shift:N",
                    "kernel-cg");

    /** Maximum number of hosts for patterns in which every host sends to every other. */
    public static final int MAX_HOSTS_ALL_PAIRS = 2048;

    /** BookSim's names where they differ. */
    private static final Map<String, String> ALIASES =
            Map.of(
                    "bitrev",
                    "bit-reversal",
                    "bitcomp",
                    "bit-complement",
                    "neighbor",
                    "neighbour",
                    "host-neighbor",
                    "host-neighbour");

    private TrafficPatterns() {}

    /** Whether a word is the name of a pattern. */
    public static boolean isName(final String word) {
        final String name = name(word);
        return NAMES.stream().anyMatch(form -> form.replaceFirst(":.*", "").equals(name));
    }

    /** The name without its number, BookSim's replaced by ours. */
    private static String name(final String word) {
        final String name = word.replaceFirst(":.*", "");
        return ALIASES.getOrDefault(name, name);
    }

    /**
     * The traffic of a pattern.
     *
     * <p>{@code uniform}: every host sends 1, spread over all others; {@code all-to-all}: 1 to each
     * other; the permutations: 1 from each host that does not send to itself.
     *
     * @throws GraphException if there is no such pattern, or it does not suit this graph.
     */
    public static TrafficMatrix of(final String word, final SwitchGraph graph) {
        final int hosts = graph.hostCount();
        return switch (word) {
            case "uniform" -> all(hosts, 1.0 / Math.max(1, hosts - 1));
            case "all-to-all" -> all(hosts, 1);
            default -> {
                final int[] destinations = permutation(word, graph);
                final TrafficMatrix.Builder builder = new TrafficMatrix.Builder();
                for (int source = 0; source < hosts; source++) {
                    builder.add(source, destinations[source], 1);
                }
                final TrafficMatrix matrix = builder.build();
                if (matrix.size() == 0) {
                    throw new GraphException(nobody(word, graph));
                }
                yield matrix;
            }
        };
    }

    /** The error text when a pattern sends every host to itself. */
    public static String nobody(final String word, final SwitchGraph graph) {
        return "with '" + word + "' every host of this graph (" + graph + ") sends to itself";
    }

    /**
     * Where each host sends in a permutation, itself in some.
     *
     * <p>{@code kernel-cg}: the exchanges with the transposed process in NPB CG; those along rows
     * of processes are not in it. Source: Koibuchi 2002, 3.4; Miura et al. 2007, 2.4; NPB 3.2,
     * cg.f, setup_submatrix_info.
     *
     * @return {@code [hosts]}.
     * @throws GraphException if there is no such permutation, or it does not suit this graph.
     */
    public static int[] permutation(final String word, final SwitchGraph graph) {
        final int hosts = graph.hostCount();
        final String name = name(word);
        if (word.indexOf(':') >= 0 && !name.equals("shift")) {
            throw unknown(word);
        }
        return switch (name) {
            case "tornado" -> grid(name, graph).ahead(true);
            case "neighbour" -> grid(name, graph).ahead(false);
            case "transpose" -> transpose(name, graph);
            case "host-tornado" -> each(hosts, h -> (h + (hosts + 1) / 2 - 1) % hosts);
            case "host-neighbour" -> each(hosts, h -> (h + 1) % hosts);
            case "host-transpose" -> {
                final int half = evenBits(word, hosts) / 2;
                yield each(hosts, h -> exchangeHalves(h, half));
            }
            case "bit-reversal" -> {
                final int bits = bits(word, hosts);
                yield each(hosts, h -> bits == 0 ? h : Integer.reverse(h) >>> (32 - bits));
            }
            case "bit-complement" -> {
                final int mask = (1 << bits(word, hosts)) - 1;
                yield each(hosts, h -> ~h & mask);
            }
            case "shuffle" -> {
                final int bits = bits(word, hosts);
                yield each(hosts, h -> bits == 0 ? h : (h << 1 | h >> (bits - 1)) & (hosts - 1));
            }
            case "shift" -> {
                final int distance = distance(word, hosts);
                yield each(hosts, h -> (h + distance) % hosts);
            }
            case "kernel-cg" -> each(hosts, kernelCg(bits(word, hosts)));
            default -> throw unknown(word);
        };
    }

    private static GraphException unknown(final String word) {
        return new GraphException(
                "'"
                        + word
                        + "' is not a pattern of traffic; there are "
                        + String.join(", ", NAMES)
                        + ", or give a file of lines 'from to amount'");
    }

    private static TrafficMatrix all(final int hosts, final double amount) {
        if (hosts > MAX_HOSTS_ALL_PAIRS) {
            throw new GraphException(
                    "traffic between all of "
                            + hosts
                            + " hosts has too many pairs; take at most "
                            + MAX_HOSTS_ALL_PAIRS
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

    private static int[] each(final int hosts, final IntUnaryOperator to) {
        final int[] destinations = new int[hosts];
        Arrays.setAll(destinations, to);
        return destinations;
    }

    private static HostGrid grid(final String word, final SwitchGraph graph) {
        final HostGrid grid = HostGrid.of(graph, word);
        if (grid == null) {
            throw new GraphException(
                    "'"
                            + word
                            + "' is defined by coordinates, and the graph ("
                            + graph
                            + ") is not a mesh, torus or hyper-crossbar; 'host-"
                            + word
                            + "' takes the numbers of the hosts instead");
        }
        return grid;
    }

    /** By coordinates where there are any; elsewhere the address of a host is its number. */
    private static int[] transpose(final String word, final SwitchGraph graph) {
        final HostGrid grid = HostGrid.of(graph, word);
        if (grid != null) {
            return grid.transposed(word);
        }
        final int half = evenBits(word, graph.hostCount()) / 2;
        return each(graph.hostCount(), h -> exchangeHalves(h, half));
    }

    /** Exchanges the lower bits of an address with as many upper ones. */
    static int exchangeHalves(final int address, final int bits) {
        return address >> bits | (address & ((1 << bits) - 1)) << bits;
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
