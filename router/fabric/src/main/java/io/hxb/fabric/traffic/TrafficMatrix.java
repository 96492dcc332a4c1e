package io.hxb.fabric.traffic;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.TextLines;

import java.util.Arrays;

/** Amounts between ordered pairs of different hosts, those that are not 0. Immutable. */
public final class TrafficMatrix {
    private final int[] sources;
    private final int[] destinations;
    private final double[] amounts;

    private TrafficMatrix(final int[] sources, final int[] destinations, final double[] amounts) {
        this.sources = sources;
        this.destinations = destinations;
        this.amounts = amounts;
    }

    /** Number of ordered pairs with traffic. */
    public int size() {
        return sources.length;
    }

    /** The host that sends, of the {@code index}-th pair. */
    public int source(final int index) {
        return sources[index];
    }

    /** The host that receives. */
    public int destination(final int index) {
        return destinations[index];
    }

    /** How much it sends, above 0, in any unit that is the same for all pairs. */
    public double amount(final int index) {
        return amounts[index];
    }

    /** Collects pairs. Owned by one thread. */
    public static final class Builder {
        private int[] sources = new int[16];
        private int[] destinations = new int[16];
        private double[] amounts = new double[16];
        private int size;

        /** Starts without traffic. */
        public Builder() {}

        /** Adds traffic; nothing happens when both hosts are the same, or the amount is 0. */
        public Builder add(final int source, final int destination, final double amount) {
            if (source == destination || amount == 0) {
                return this;
            }
            if (!(amount > 0) || amount == Double.POSITIVE_INFINITY) {
                throw new GraphException("an amount of traffic is 0 or more: " + amount);
            }
            if (size == sources.length) {
                sources = Arrays.copyOf(sources, 2 * size);
                destinations = Arrays.copyOf(destinations, 2 * size);
                amounts = Arrays.copyOf(amounts, 2 * size);
            }
            sources[size] = source;
            destinations[size] = destination;
            amounts[size++] = amount;
            return this;
        }

        /** Makes the matrix. */
        public TrafficMatrix build() {
            return new TrafficMatrix(
                    Arrays.copyOf(sources, size),
                    Arrays.copyOf(destinations, size),
                    Arrays.copyOf(amounts, size));
        }
    }

    /**
     * Reads lines {@code from to amount} with names or numbers of hosts; the amount is 1 when it is
     * left out, comments start with {@code #}.
     *
     * @param file its name in messages.
     * @throws GraphException with lines {@code file:line: what is wrong}.
     */
    public static TrafficMatrix parse(
            final String file, final String text, final SwitchGraph graph) {
        final Builder builder = new Builder();
        TextLines.read(
                file,
                text,
                (place, raw) -> {
                    final String line = raw.replaceFirst("#.*", "").strip();
                    if (!line.isEmpty()) {
                        addLine(builder, line.split("[\\s,]+", -1), graph);
                    }
                });
        return builder.build();
    }

    private static void addLine(
            final Builder builder, final String[] words, final SwitchGraph graph) {
        if (words.length < 2 || words.length > 3) {
            throw new GraphException("a line is 'from to amount', not " + words.length + " words");
        }
        double amount = 1;
        if (words.length == 3) {
            try {
                amount = Double.parseDouble(words[2]);
            } catch (final NumberFormatException e) {
                throw new GraphException(
                        TextLines.quote(words[2]) + " is not an amount of traffic");
            }
        }
        builder.add(host(words[0], graph), host(words[1], graph), amount);
    }

    private static int host(final String word, final SwitchGraph graph) {
        final int named = graph.findHost(word);
        if (named >= 0) {
            return named;
        }
        if (word.matches("\\d{1,7}") && Integer.parseInt(word) < graph.hostCount()) {
            return Integer.parseInt(word);
        }
        throw new GraphException(
                TextLines.quote(word)
                        + " is not a host; there are "
                        + graph.hostCount()
                        + ", numbered from 0");
    }
}
