package io.hxb.tool.chaos.result;

import io.hxb.tool.chaos.script.Cable;
import io.hxb.tool.chaos.script.Fault;
import io.hxb.tool.chaos.script.FaultAction;
import io.hxb.tool.measure.Pair;
import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What faults leave of the path between two nodes, as a share of it: dimension by dimension, the
 * links whose cables work at both ends. A cable that flaps or is damaged counts as gone. If the
 * usual order of dimensions leads nowhere, the best other order counts. Owned by one thread.
 */
public final class RemainingCapacity {
    private final Shape shape;
    private final int linkCount;
    private final long rateBps;
    private final Map<Cable, Fault> broken = new HashMap<>();
    private final BitSet dead = new BitSet();

    /**
     * Starts with everything whole.
     *
     * @param rateBps what a link carries, 0 if that is not known.
     */
    public RemainingCapacity(final Shape shape, final int linkCount, final long rateBps) {
        this.shape = shape;
        this.linkCount = linkCount;
        this.rateBps = rateBps;
    }

    /** Something happens. */
    public void apply(final Fault fault) {
        for (final Cable cable : fault.cables()) {
            if (fault.action() == FaultAction.RESTORE) {
                broken.remove(cable);
            } else {
                broken.put(cable, fault);
            }
        }
        for (final int node : fault.nodes()) {
            dead.set(node, !fault.action().isRepair());
        }
    }

    /**
     * The share that is left for a pair, 0 to 1; also 0 if only a detour over more hops is left.
     */
    public double share(final Pair pair) {
        if (dead.get(pair.from()) || dead.get(pair.to())) {
            return 0;
        }
        final List<Integer> differing = new ArrayList<>();
        final long from = shape.coordinates(pair.from());
        final long to = shape.coordinates(pair.to());
        for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
            if (Shape.coordinate(from, dimension) != Shape.coordinate(to, dimension)) {
                differing.add(dimension);
            }
        }
        final double usual = inOrder(from, to, differing);
        return usual > 0 ? usual : best(from, to, differing);
    }

    private double inOrder(final long from, final long to, final List<Integer> order) {
        double share = 1;
        long here = from;
        for (final int dimension : order) {
            final long next =
                    Shape.withCoordinate(here, dimension, Shape.coordinate(to, dimension));
            share = Math.min(share, hop(here, next, dimension));
            here = next;
        }
        return share;
    }

    /** Over all orders: takes each dimension as the first, then the best of the rest. */
    private double best(final long from, final long to, final List<Integer> rest) {
        double best = rest.isEmpty() ? 1 : 0;
        for (final Integer dimension : rest) {
            final long next =
                    Shape.withCoordinate(from, dimension, Shape.coordinate(to, dimension));
            final double hop = hop(from, next, dimension);
            if (hop > best) {
                final List<Integer> others = new ArrayList<>(rest);
                others.removeIf(dimension::equals);
                best = Math.max(best, Math.min(hop, best(next, to, others)));
            }
        }
        return best;
    }

    private double hop(final long from, final long to, final int dimension) {
        final int sender = shape.node(from);
        final int receiver = shape.node(to);
        if (dead.get(sender) || dead.get(receiver)) {
            return 0;
        }
        double sum = 0;
        for (int link = 0; link < linkCount; link++) {
            sum +=
                    Math.min(
                            carried(new Cable(sender, dimension, link), true),
                            carried(new Cable(receiver, dimension, link), false));
        }
        return sum / linkCount;
    }

    private double carried(final Cable cable, final boolean isOut) {
        final Fault fault = broken.get(cable);
        if (fault == null) {
            return 1;
        }
        return switch (fault.action()) {
            case SLOW -> rateBps > 0 ? Math.min(1, (double) fault.detail().rateBps() / rateBps) : 0;
            case ONE_WAY -> fault.detail().passesOut() == isOut ? 1 : 0;
            default -> 0;
        };
    }
}
