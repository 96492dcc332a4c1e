package io.hxb.fabric;

/**
 * What a path weighs on each link: the slower the link, the more. Where the rates of links are not
 * all known, or are the same, every link weighs 1. Immutable.
 */
public final class LinkWeights {
    /** Weight of the fastest link when there are slower ones. */
    private static final double FASTEST = 16;

    private static final int MAX_WEIGHT = 1 << 20;

    private final int[] weights;

    private LinkWeights(final int[] weights) {
        this.weights = weights;
    }

    /** The weights of a graph's links. */
    public static LinkWeights of(final SwitchGraph graph) {
        long slowest = Long.MAX_VALUE;
        long fastest = 0;
        for (int link = 0; link < graph.linkCount(); link++) {
            slowest = Math.min(slowest, graph.linkRateBps(link));
            fastest = Math.max(fastest, graph.linkRateBps(link));
        }
        if (slowest <= 0 || slowest >= fastest) {
            return new LinkWeights(new int[0]);
        }
        final int[] weights = new int[graph.linkCount()];
        for (int link = 0; link < weights.length; link++) {
            final double weight = FASTEST * fastest / graph.linkRateBps(link);
            weights[link] = (int) Math.min(MAX_WEIGHT, Math.round(weight));
        }
        return new LinkWeights(weights);
    }

    /** Whether all links weigh the same. */
    public boolean areEven() {
        return weights.length == 0;
    }

    /** The weight of a link, at least 1. */
    public int weight(final int link) {
        return areEven() ? 1 : weights[link];
    }

    /** The weight of an amount on a channel. */
    public long weigh(final long amount, final int channel) {
        return amount * weight(SwitchGraph.link(channel));
    }
}
