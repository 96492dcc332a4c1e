package io.hxb.sim.route;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.lattice.LatticeGraph;
import io.hxb.sim.flit.RouteFunction;

import java.util.SplittableRandom;

/**
 * Dimension order in a mesh or torus, lowest dimension first, computed instead of stored: it needs
 * no tables, whatever the size. Owned by one run.
 */
public final class LatticeRoutes implements RouteFunction {
    private final LatticeGraph lattice;
    private final Lattice shape;
    private final RingRule rule;
    private final int virtualChannels;
    private final LaneCopies lanes;
    private final SplittableRandom random;

    /** Channels that leave a switch, {@code [(node * dimensions + dimension) * 2 + sign]}. */
    private final int[] channels;

    /** Coordinates, {@code [node * dimensions + dimension]}. */
    private final int[] coordinates;

    /**
     * Routes in a lattice.
     *
     * @param lanes virtual channels of each channel, at least {@link #virtualChannels}; further
     *     ones are copies of them.
     * @param isFree whether a packet may take any copy at every switch, instead of keeping to one.
     * @param seed of ties that are drawn.
     */
    public LatticeRoutes(
            final LatticeGraph lattice,
            final RingRule rule,
            final int lanes,
            final boolean isFree,
            final long seed) {
        this.lattice = lattice;
        this.shape = lattice.lattice();
        this.rule = rule;
        this.virtualChannels = virtualChannels(lattice);
        this.lanes = new LaneCopies(lanes, virtualChannels, isFree);
        this.random = new SplittableRandom(seed);
        final SwitchGraph graph = lattice.graph();
        final int dimensions = shape.dimensions();
        this.channels = new int[graph.switchCount() * dimensions * 2];
        for (int channel = 0; channel < graph.channelCount(); channel++) {
            channels[
                            (graph.source(channel) * dimensions + lattice.dimension(channel)) * 2
                                    + (lattice.isPositive(channel) ? 0 : 1)] =
                    channel;
        }
        this.coordinates = new int[graph.switchCount() * dimensions];
        for (int i = 0; i < coordinates.length; i++) {
            coordinates[i] = shape.coordinate(i / dimensions, i % dimensions);
        }
    }

    /** Virtual channels that it needs: two where there are rings, else one. */
    public static int virtualChannels(final LatticeGraph lattice) {
        return lattice.hasRings() ? 2 : 1;
    }

    @Override
    public int maxCandidates() {
        // At least 2: the order of packets is not kept.
        return 2 * lanes.written();
    }

    @Override
    public int copies() {
        return lanes.bound();
    }

    @Override
    public int route(
            final int from,
            final int at,
            final int node,
            final int to,
            final int hops,
            final int copy,
            final int[] out,
            final int offset) {
        final int dimensions = shape.dimensions();
        int dimension = 0;
        while (coordinates[node * dimensions + dimension]
                == coordinates[to * dimensions + dimension]) {
            dimension++;
        }
        final int row = (node * dimensions + dimension) * 2;
        if (at != FROM_HOST && lattice.dimension(lanes.channel(at)) == dimension) {
            final int in = lanes.channel(at);
            final int sign = lattice.isPositive(in) ? 0 : 1;
            final int before = lanes.virtualChannel(at);
            final boolean mustFall =
                    rule.channels() == RingRule.Channels.CHANGE && lattice.isWrap(in);
            return lanes.write(channels[row + sign], mustFall ? 0 : before, copy, out, offset)
                    - offset;
        }
        return enter(row, dimension, node, to, copy, out, offset) - offset;
    }

    /** Writes the channels on which a packet may enter a dimension. */
    private int enter(
            final int row,
            final int dimension,
            final int node,
            final int to,
            final int copy,
            final int[] out,
            final int offset) {
        final int here = coordinates[node * shape.dimensions() + dimension];
        final int there = coordinates[to * shape.dimensions() + dimension];
        if (!shape.isRing(dimension)) {
            return lanes.write(
                    channels[row + (there > here ? 0 : 1)], virtualChannels - 1, copy, out, offset);
        }
        final int extent = shape.extent(dimension);
        final int ahead = Math.floorMod(there - here, extent);
        final boolean isTie = 2 * ahead == extent;
        final boolean isEither = isTie && rule.ties() == RingRule.Ties.FREE;
        final boolean isPositive =
                isTie
                        ? rule.ties() != RingRule.Ties.RANDOM || random.nextBoolean()
                        : 2 * ahead < extent;
        int end = offset;
        if (isPositive) {
            end = lanes.write(channels[row], first(there < here), copy, out, end);
        }
        if (!isPositive || isEither) {
            end = lanes.write(channels[row + 1], first(there > here), copy, out, end);
        }
        return end;
    }

    /** The virtual channel on which a packet starts in a ring. */
    private int first(final boolean wraps) {
        return rule.channels() == RingRule.Channels.CHANGE || wraps ? 1 : 0;
    }
}
