package io.hxb.sim.select;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.lattice.LatticeGraph;
import io.hxb.sim.flit.OutputSelection;
import io.hxb.sim.flit.SimulationException;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Every output selection function by its name on the command line. */
public enum SelectionKind {
    /** A random channel, and a random lane of it. */
    RANDOM,
    /** The lowest dimension. */
    DIMENSION_ORDER,
    /** The dimension with the most links left. */
    ZIGZAG,
    /** The lane that was taken least often lately. */
    LFU,
    /** Fixed priorities that alternate between the channels. */
    SP,
    /** The channel with the fewest packets; equal ones by fixed priorities. */
    MM,
    /** The channel with the smallest count of flits lately. */
    LDSF,
    /** The channel that has not been used for the longest time. */
    LRU,
    /** The channel with the most free lanes; of equal ones the one whose header is oldest. */
    MMLRU;

    /** Name on the command line. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** All names. */
    public static List<String> words() {
        return Arrays.stream(values()).map(SelectionKind::word).toList();
    }

    /**
     * The kind with a given name.
     *
     * @throws SimulationException listing all names if there is none.
     */
    public static SelectionKind of(final String word) {
        for (final SelectionKind kind : values()) {
            if (kind.word().equals(word)) {
                return kind;
            }
        }
        throw new SimulationException(
                "the output selection must be "
                        + String.join(", ", words())
                        + ", not '"
                        + word
                        + "'");
    }

    /** Whether it is only for meshes and tori. */
    public boolean needsLattice() {
        return this == DIMENSION_ORDER || this == ZIGZAG;
    }

    /**
     * Makes one for a run.
     *
     * @param lanes virtual channels of each channel.
     * @throws io.hxb.fabric.GraphException if it needs dimensions and the graph has none.
     */
    public OutputSelection on(final SwitchGraph graph, final int lanes, final long seed) {
        return switch (this) {
            case RANDOM -> new RandomSelection(seed);
            case DIMENSION_ORDER -> new DimensionSelection(LatticeGraph.of(graph), false);
            case ZIGZAG -> new DimensionSelection(LatticeGraph.of(graph), true);
            case LFU -> new LeastFrequentSelection(graph.channelCount() * lanes);
            case SP -> new PrioritySelection(graph, false);
            case MM -> new PrioritySelection(graph, true);
            case LDSF -> new LoadSelection(graph.channelCount());
            case LRU -> new LeastRecentSelection(false);
            case MMLRU -> new LeastRecentSelection(true);
        };
    }
}
