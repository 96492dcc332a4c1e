package io.hxb.node;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.LinkPlan;
import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Cables between simulated nodes: each is a segment with the NICs of both on it. */
final class SimCables {
    private final int nodes;
    private final List<int[]> cables = new ArrayList<>();

    SimCables(final int nodes) {
        this.nodes = nodes;
    }

    static SimCables full(final int nodes) {
        final SimCables all = new SimCables(nodes);
        for (int one = 0; one < nodes; one++) {
            for (int other = one + 1; other < nodes; other++) {
                all.join(one, other);
            }
        }
        return all;
    }

    static SimCables ring(final int nodes) {
        return chain(nodes).join(nodes - 1, 0);
    }

    static SimCables chain(final int nodes) {
        final SimCables all = new SimCables(nodes);
        for (int node = 0; node + 1 < nodes; node++) {
            all.join(node, node + 1);
        }
        return all;
    }

    static SimCables star(final int nodes) {
        final SimCables all = new SimCables(nodes);
        for (int node = 1; node < nodes; node++) {
            all.join(0, node);
        }
        return all;
    }

    /** A connected graph: a random tree, and some cables more, of which two may join the same. */
    static SimCables random(final int nodes, final int more, final SplittableRandom random) {
        final SimCables all = new SimCables(nodes);
        for (int node = 1; node < nodes; node++) {
            int other = random.nextInt(node);
            while (all.degree(other) >= LinkPlan.MAX_LINKS_PER_DIMENSION) {
                other = random.nextInt(node);
            }
            all.join(node, other);
        }
        for (int i = 0; i < more; i++) {
            final int one = random.nextInt(nodes);
            final int other = random.nextInt(nodes);
            if (one != other
                    && Math.max(all.degree(one), all.degree(other))
                            < LinkPlan.MAX_LINKS_PER_DIMENSION) {
                all.join(one, other);
            }
        }
        return all;
    }

    /** Adds a cable between two nodes. */
    SimCables join(final int one, final int other) {
        cables.add(new int[] {one, other});
        return this;
    }

    /** Adds a switch with a NIC of each of some nodes. */
    SimCables connect(final int... members) {
        cables.add(members.clone());
        return this;
    }

    int count() {
        return cables.size();
    }

    /** One of the two nodes that a cable joins. */
    int end(final int cable, final int side) {
        return cables.get(cable)[side];
    }

    /** Index of a cable among the links of the node at one of its ends. */
    int link(final int cable, final int side) {
        final int node = end(cable, side);
        return (int) IntStream.range(0, cable).filter(i -> joins(i, node)).count();
    }

    private int degree(final int node) {
        return (int) IntStream.range(0, cables.size()).filter(i -> joins(i, node)).count();
    }

    private boolean joins(final int cable, final int node) {
        return Arrays.stream(cables.get(cable)).anyMatch(end -> end == node);
    }

    /** The cluster that is cabled so. */
    ClusterConfig cluster() {
        final Map<Long, LinkPlan.NodeOverride> plans = new HashMap<>();
        for (int node = 0; node < nodes; node++) {
            final List<String> nics = new ArrayList<>();
            for (int cable = 0; cable < cables.size(); cable++) {
                if (joins(cable, node)) {
                    nics.add("c" + cable);
                }
            }
            plans.put((long) node, new LinkPlan.NodeOverride(List.of(nics), "", ""));
        }
        return ClusterConfig.of(
                        "sim",
                        Shape.ofAnyCabling(nodes),
                        Backend.RAW,
                        new LinkPlan(List.of(List.of("none")), "", "", 1, plans))
                .withContext(new ContextConfig(SimHardware.CONTEXTS, 0))
                .withFrame(SimCluster.FRAME);
    }
}
