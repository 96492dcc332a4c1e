package io.hxb.bench.flit.traffic;

import io.hxb.bench.flit.core.SimulationException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.traffic.TrafficPatterns;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Makes destinations from the words of the command line. Stateless. */
final class Patterns {
    /** Every name, for help texts and messages. */
    static final List<String> NAMES =
            List.of(
                    "uniform",
                    "bit-reversal",
                    "transpose",
                    "shuffle",
                    "tornado",
                    "neighbour",
                    "shift:N",
                    "hotspot:HOST,PERCENT",
                    "all-to-all",
                    "kernel-cg");

    private Patterns() {}

    /** Whether a word is a pattern and not the name of a file. */
    static boolean isPattern(final String word) {
        final String name = word.replaceFirst(":.*", "");
        return NAMES.stream().anyMatch(form -> form.replaceFirst(":.*", "").equals(name));
    }

    /**
     * Makes the destinations of a pattern.
     *
     * @param hasSelf whether hosts also send to themselves where the pattern says so.
     * @throws SimulationException or GraphException if it does not suit the number of hosts.
     */
    static Destinations of(final String word, final SwitchGraph graph, final boolean hasSelf) {
        final int hosts = graph.hostCount();
        final String name = word.replaceFirst(":.*", "");
        return switch (name) {
            case "uniform" -> uniform(hosts, hasSelf);
            case "shuffle" -> {
                final int bits = bits(word, hosts);
                yield permutation(hosts, hasSelf, h -> (h << 1 | h >> (bits - 1)) & (hosts - 1));
            }
            case "tornado" -> permutation(hosts, hasSelf, h -> (h + (hosts - 1) / 2) % hosts);
            case "neighbour" -> permutation(hosts, hasSelf, h -> (h + 1) % hosts);
            case "hotspot" -> hotspot(word, hosts, hasSelf);
            case "all-to-all" -> allToAll(hosts);
            case "bit-reversal" -> {
                final int bits = bits(word, hosts);
                yield permutation(
                        hosts,
                        hasSelf,
                        h -> bits == 0 ? h : Integer.reverse(h) >>> (Integer.SIZE - bits));
            }
            default -> new MatrixDestinations(TrafficPatterns.of(word, hosts), hosts);
        };
    }

    /** The destinations of a matrix. */
    static Destinations of(final TrafficMatrix matrix, final int hosts) {
        if (matrix.size() == 0) {
            throw new SimulationException("the traffic has no pair of different hosts");
        }
        return new MatrixDestinations(matrix, hosts);
    }

    private static int bits(final String word, final int hosts) {
        if (Integer.bitCount(hosts) != 1) {
            throw new SimulationException(
                    "'" + word + "' needs a power of two of hosts, and there are " + hosts);
        }
        return Integer.numberOfTrailingZeros(hosts);
    }

    private static Destinations uniform(final int hosts, final boolean hasSelf) {
        if (hasSelf) {
            return (source, random) -> random.nextInt(hosts);
        }
        return (source, random) -> {
            final int other = random.nextInt(hosts - 1);
            return other < source ? other : other + 1;
        };
    }

    private static Destinations permutation(
            final int hosts, final boolean hasSelf, final IntUnaryOperator to) {
        final int[] destinations = new int[hosts];
        Arrays.setAll(destinations, to);
        return (source, random) ->
                destinations[source] == source && !hasSelf
                        ? Destinations.NOWHERE
                        : destinations[source];
    }

    private static Destinations hotspot(final String word, final int hosts, final boolean hasSelf) {
        if (!word.matches("hotspot:\\d{1,7},\\d{1,3}")) {
            throw new SimulationException(
                    "a hotspot is written like hotspot:0,10 (10 % of all goes to host 0), not '"
                            + word
                            + "'");
        }
        final String[] numbers = word.substring("hotspot:".length()).split(",", -1);
        final int hot = Integer.parseInt(numbers[0]);
        final int percent = Integer.parseInt(numbers[1]);
        if (hot >= hosts || percent > 100) {
            throw new SimulationException(
                    "'" + word + "' needs a host 0.." + (hosts - 1) + " and 0..100 percent");
        }
        final Destinations others = uniform(hosts, hasSelf);
        return (source, random) ->
                source != hot && random.nextInt(100) < percent ? hot : others.next(source, random);
    }

    /** Each host goes through all others in turn, starting with the next one. */
    private static Destinations allToAll(final int hosts) {
        final int[] sent = new int[hosts];
        return (source, random) -> {
            sent[source] = sent[source] % (hosts - 1) + 1;
            return (source + sent[source]) % hosts;
        };
    }
}
