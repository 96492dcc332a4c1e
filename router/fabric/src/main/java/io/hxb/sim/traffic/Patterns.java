package io.hxb.sim.traffic;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.traffic.TrafficPatterns;
import io.hxb.sim.flit.SimulationException;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Makes destinations from the words of the command line. Stateless. */
final class Patterns {
    /** Every name, for help texts and messages. */
    static final List<String> NAMES =
            Stream.concat(TrafficPatterns.NAMES.stream(), Stream.of("hotspot:HOST,PERCENT"))
                    .toList();

    private Patterns() {}

    /** Whether a word is a pattern and not the name of a file. */
    static boolean isPattern(final String word) {
        return TrafficPatterns.isName(word) || word.matches("hotspot(:.*)?");
    }

    /**
     * Makes the destinations of a pattern.
     *
     * @param hasSelf whether hosts also send to themselves where the pattern has it.
     * @throws SimulationException or GraphException if it does not suit the graph.
     */
    static Destinations of(final String word, final SwitchGraph graph, final boolean hasSelf) {
        final int hosts = graph.hostCount();
        return switch (word.replaceFirst(":.*", "")) {
            case "uniform" -> uniform(hosts, hasSelf);
            case "all-to-all" -> allToAll(hosts, hasSelf);
            case "hotspot" -> hotspot(word, hosts, hasSelf);
            default -> permutation(word, graph, hasSelf);
        };
    }

    /** The destinations of a matrix. */
    static Destinations of(final TrafficMatrix matrix, final int hosts) {
        if (matrix.size() == 0) {
            throw new SimulationException("the traffic has no pair of different hosts");
        }
        return new MatrixDestinations(matrix, hosts);
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
            final String word, final SwitchGraph graph, final boolean hasSelf) {
        final int[] destinations = TrafficPatterns.permutation(word, graph);
        if (!hasSelf
                && IntStream.range(0, destinations.length).allMatch(h -> h == destinations[h])) {
            throw new SimulationException(
                    TrafficPatterns.nobody(word, graph) + "; --self lets them do so");
        }
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

    /** Each host goes through all others in turn, starting with the next one; itself comes last. */
    private static Destinations allToAll(final int hosts, final boolean hasSelf) {
        final int[] sent = new int[hosts];
        final int turns = hasSelf ? hosts : hosts - 1;
        return (source, random) -> {
            sent[source] = sent[source] % turns + 1;
            return (source + sent[source]) % hosts;
        };
    }
}
