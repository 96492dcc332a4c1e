package io.hxb.tool.chaos.script;

import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Draws scripts from a seed: the same seed and lab always give the same script. At least one cable
 * of every node and dimension stays whole, at most one node is dead at a time, and everything is
 * repaired when the script ends. Used by one thread.
 */
public final class RandomScript {
    private static final long STEP_NS = 10_000_000L;
    private static final long SHORTEST_NS = 200_000_000L;
    private static final long MAX_NS = 2_000_000_000L;

    private static final long SHORTEST_DEATH_NS = 1_000_000_000L;

    /** Time after the restart of a node in which no other dies: it has to find its neighbours. */
    private static final long REVIVAL_NS = 3_000_000_000L;

    private static final int TRIES = 50;
    private static final List<FaultAction> OF_CABLES =
            List.of(
                    FaultAction.PULL,
                    FaultAction.PULL,
                    FaultAction.UNPLUG,
                    FaultAction.DOWN,
                    FaultAction.SLOW,
                    FaultAction.DAMAGE,
                    FaultAction.ONE_WAY,
                    FaultAction.FLAP);

    private final Selector selector;
    private final List<Integer> mortals;
    private final List<Outage> outages = new ArrayList<>();

    /** What is broken from when until when; cable is null for a node. */
    private record Outage(Cable cable, int node, long fromNs, long untilNs) {
        boolean overlaps(final long from, final long until) {
            // What ends and what begins at the same time could come in either order.
            return fromNs <= until && from <= untilNs;
        }
    }

    /**
     * Makes a generator.
     *
     * @param mortals nodes that may be killed and paused.
     */
    public RandomScript(final Selector selector, final List<Integer> mortals) {
        this.selector = selector;
        this.mortals = List.copyOf(mortals);
    }

    /**
     * Draws a script.
     *
     * @param count how many faults; fewer when they find no room.
     * @param quietNs time without faults at the beginning, to compare with.
     * @param lengthNs by when everything is repaired.
     */
    public FaultScript draw(
            final long seed, final int count, final long quietNs, final long lengthNs) {
        outages.clear();
        final SplittableRandom random = new SplittableRandom(seed);
        final List<Fault> faults = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            for (int tries = 0; tries < TRIES; tries++) {
                if (drawOne(random, quietNs, lengthNs, faults)) {
                    break;
                }
            }
        }
        return new FaultScript(faults);
    }

    private boolean drawOne(
            final SplittableRandom random,
            final long quietNs,
            final long lengthNs,
            final List<Fault> faults) {
        final long lasting = round(random.nextLong(SHORTEST_NS, MAX_NS + 1));
        final long room = lengthNs - quietNs - lasting;
        if (room <= 0) {
            return false;
        }
        final long from = quietNs + round(random.nextLong(room));
        final boolean isNode = !mortals.isEmpty() && random.nextInt(5) == 0;
        return isNode
                ? drawNode(random, from, lasting, lengthNs, faults)
                : drawCable(random, from, from + lasting, faults);
    }

    private static long round(final long ns) {
        return ns / STEP_NS * STEP_NS;
    }

    private boolean drawNode(
            final SplittableRandom random,
            final long from,
            final long lasting,
            final long lengthNs,
            final List<Fault> faults) {
        final int node = mortals.get(random.nextInt(mortals.size()));
        final boolean isKill = random.nextBoolean();
        final long until = from + Math.max(lasting, isKill ? SHORTEST_DEATH_NS : 0);
        final long revived = until + REVIVAL_NS;
        if (until > lengthNs
                || outages.stream().anyMatch(o -> o.cable == null && o.overlaps(from, revived))) {
            return false;
        }
        outages.add(new Outage(null, node, from, revived));
        final Shape shape = selector.shape();
        final String target = "(" + shape.format(shape.coordinates(node)) + ")";
        final FaultAction action = isKill ? FaultAction.KILL : FaultAction.PAUSE;
        final Fault fault =
                new Fault(from, action, target, List.of(), List.of(node), FaultDetail.NONE, 0);
        faults.add(fault);
        faults.add(fault.repairedAt(until));
        return true;
    }

    private boolean drawCable(
            final SplittableRandom random,
            final long from,
            final long until,
            final List<Fault> faults) {
        final Shape shape = selector.shape();
        final Cable cable =
                new Cable(
                        random.nextInt(shape.nodeCount()),
                        random.nextInt(shape.dimensions()),
                        random.nextInt(selector.linkCount()));
        final FaultAction action = OF_CABLES.get(random.nextInt(OF_CABLES.size()));
        final FaultDetail detail = detail(random, action);
        if (!hasRoom(cable, from, until)) {
            return false;
        }
        outages.add(new Outage(cable, -1, from, until));
        final Fault fault =
                new Fault(from, action, cable.format(shape), List.of(cable), List.of(), detail, 0);
        faults.add(fault);
        faults.add(fault.repairedAt(until));
        return true;
    }

    /** One link of the line must stay whole at all its nodes, so that its nodes stay joined. */
    private boolean hasRoom(final Cable cable, final long from, final long until) {
        final List<Integer> broken = new ArrayList<>();
        broken.add(cable.link());
        for (final Outage outage : outages) {
            if (outage.cable != null && outage.overlaps(from, until)) {
                if (outage.cable.equals(cable)) {
                    return false;
                }
                if (isOnOneLine(outage.cable, cable)) {
                    broken.add(outage.cable.link());
                }
            }
        }
        return broken.stream().distinct().count() < selector.linkCount();
    }

    private boolean isOnOneLine(final Cable a, final Cable b) {
        final Shape shape = selector.shape();
        return a.dimension() == b.dimension()
                && Shape.withCoordinate(shape.coordinates(a.node()), a.dimension(), 0)
                        == Shape.withCoordinate(shape.coordinates(b.node()), b.dimension(), 0);
    }

    private static FaultDetail detail(final SplittableRandom random, final FaultAction action) {
        return switch (action) {
            case SLOW -> new FaultDetail(10_000_000L * random.nextInt(1, 21), 0, 0, false, 0);
            case DAMAGE ->
                    new FaultDetail(
                            0,
                            random.nextInt(1, 51) / 100.0,
                            random.nextInt(0, 11) / 100.0,
                            false,
                            0);
            case ONE_WAY -> new FaultDetail(0, 0, 0, random.nextBoolean(), 0);
            case FLAP -> new FaultDetail(0, 0, 0, false, STEP_NS * random.nextInt(4, 41));
            default -> FaultDetail.NONE;
        };
    }
}
