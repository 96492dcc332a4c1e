package io.hxb.flow;

import io.hxb.link.sim.SimClock;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimNetwork;
import io.hxb.link.sim.SimSegment;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** Nodes on one line with parallel links, in virtual time. */
final class SimWorld implements AutoCloseable {
    static final long MILLISECOND = 1_000_000;
    static final long SECOND = 1_000_000_000;

    final SimClock clock;
    final SimNetwork network;
    final List<SimSegment> segments = new ArrayList<>();
    final List<SimNode> nodes = new ArrayList<>();
    final SplittableRandom random;
    private static final long STEP_NS = 5 * MILLISECOND;
    private final Arena arena = Arena.ofConfined();
    private final Map<Long, SimContext> byStream = new HashMap<>();
    private int incarnation = 1_000;

    /** How long messages of contexts opened from now on wait for their destination's context. */
    long peerWaitNs;

    SimWorld(
            final long seed,
            final int nodeCount,
            final int linkCount,
            final int loopCount,
            final FlowSetup setup,
            final SimFaults faults) {
        this(seed, nodeCount, linkCount, loopCount, setup, faults, 1_024);
    }

    /** The same with pools of that many buffers. */
    SimWorld(
            final long seed,
            final int nodeCount,
            final int linkCount,
            final int loopCount,
            final FlowSetup setup,
            final SimFaults faults,
            final int buffers) {
        random = new SplittableRandom(seed * 0x9E37_79B9L + 1);
        clock = new SimClock(seed % 2 == 0 ? Long.MAX_VALUE - 5 * SECOND : seed);
        network = new SimNetwork(clock, seed);
        for (int index = 0; index < linkCount; index++) {
            segments.add(network.newSegment(faults));
        }
        final Shape shape = Shape.of(nodeCount);
        for (int id = 0; id < nodeCount; id++) {
            nodes.add(new SimNode(id, setup, shape, network, segments, loopCount, buffers, arena));
        }
        segments.forEach(SimSegment::introduce);
    }

    SimContext open(final int node, final int contextId, final int quotaFrames) {
        return open(node, contextId, quotaFrames, FlowRights.ALL);
    }

    SimContext open(
            final int node, final int contextId, final int quotaFrames, final FlowRights rights) {
        final SimNode at = nodes.get(node);
        final FlowLoop loop = at.loops.get(contextId % at.loops.size());
        final SimContext context =
                new SimContext(
                        at,
                        contextId,
                        incarnation++,
                        loop,
                        new ContextTerms(quotaFrames, false, peerWaitNs, rights),
                        arena,
                        random.split(),
                        byStream);
        at.contexts.put(contextId, context);
        return context;
    }

    long nowNs() {
        return clock.nanoTime();
    }

    /** Lets every node work and moves to the next event; {@code app} runs before each step. */
    boolean runUntil(final BooleanSupplier isDone, final long limitNs, final Runnable app) {
        final long endNs = nowNs() + limitNs;
        while (!isDone.getAsBoolean()) {
            if (nowNs() - endNs >= 0) {
                return false;
            }
            app.run();
            long waitNs = Math.min(STEP_NS, endNs - nowNs());
            for (final SimNode node : nodes) {
                node.work(nowNs());
                final long deadlineNs = node.nextDeadlineNs(nowNs());
                if (deadlineNs != Long.MAX_VALUE) {
                    waitNs = Math.min(waitNs, deadlineNs - nowNs());
                }
            }
            final long eventNs = network.nextEventNs();
            if (eventNs != Long.MAX_VALUE) {
                waitNs = Math.min(waitNs, eventNs - nowNs());
            }
            network.advance(nowNs() + Math.max(500, waitNs));
        }
        return true;
    }

    void run(final long timeNs) {
        runUntil(() -> false, timeNs, () -> {});
    }

    /** Closes all contexts, lets the rest arrive, and returns buffers and frames still in use. */
    int leftovers() {
        for (final SimNode node : nodes) {
            node.contexts.values().forEach(context -> context.release(Integer.MAX_VALUE));
            node.contexts.values().stream().filter(c -> c.isOpen).forEach(SimContext::close);
        }
        run(SECOND);
        int leftovers = 0;
        for (final SimNode node : nodes) {
            node.closeLinks();
            node.closeShares();
            leftovers += node.pool.outstanding() + node.framesInUse();
        }
        return leftovers;
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.table.close());
        arena.close();
    }
}
