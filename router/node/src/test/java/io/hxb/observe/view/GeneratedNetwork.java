package io.hxb.observe.view;

import io.hxb.counter.NeighbourCounts;
import io.hxb.counter.NodeFinding;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.NodeState;
import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A network that is not there: its counters grow by what a hash of time, node and link says. States
 * are set from outside. Any thread may call it.
 */
final class GeneratedNetwork implements ReadingSource {
    private static final long MS_PER_S = 1_000;
    private static final long FULL = 110_000_000;

    private final Shape shape;
    private final int linksPerDimension;
    private final Map<Integer, NodeState> nodeStates = new ConcurrentHashMap<>();
    private final Map<String, LinkCondition> conditions = new ConcurrentHashMap<>();
    private final Map<String, long[]> totals = new HashMap<>();
    private final List<NodeFinding> findings = Collections.synchronizedList(new ArrayList<>());
    private long second = -1;

    GeneratedNetwork(final Shape shape, final int linksPerDimension) {
        this.shape = shape;
        this.linksPerDimension = linksPerDimension;
    }

    NetworkPlan plan() {
        final List<String> names = new ArrayList<>();
        for (int node = 0; node < shape.nodeCount(); node++) {
            names.add("pc" + node);
        }
        return new NetworkPlan("demo", shape, names);
    }

    void set(final int node, final NodeState state) {
        nodeStates.put(node, state);
    }

    void set(final int node, final String link, final LinkCondition condition) {
        conditions.put(node + "/" + link, condition);
    }

    /** Node 0 reports it. */
    void add(final NodeFinding finding) {
        findings.add(finding);
    }

    @Override
    public synchronized List<NodeReading> read(final long nowMs) {
        final boolean grows = nowMs / MS_PER_S != second;
        second = nowMs / MS_PER_S;
        final List<NodeReading> nodes = new ArrayList<>();
        for (int node = 0; node < shape.nodeCount(); node++) {
            final NodeState state = nodeStates.getOrDefault(node, NodeState.RUNNING);
            final List<LinkReading> links = new ArrayList<>();
            long sum = 0;
            for (int i = 0; i < shape.dimensions() * linksPerDimension; i++) {
                final LinkReading link = link(node, i, grows && state == NodeState.RUNNING);
                links.add(link);
                sum += link.counts().outFrames();
            }
            nodes.add(
                    new NodeReading(
                            node,
                            state,
                            new NodeReading.Counts(sum / 2, sum / 3, sum / 7, sum / 5_000),
                            links,
                            node == 0 ? List.copyOf(findings) : List.of()));
        }
        return nodes;
    }

    @Override
    public synchronized Map<String, Long> counters(final int node, final int link) {
        return Map.of("hxb_link_received_bytes", 1L + node, "hxb_link_mtu_bytes", 9_000L);
    }

    private LinkReading link(final int node, final int i, final boolean grows) {
        final LinkReading.Place place =
                new LinkReading.Place(i / linksPerDimension, i % linksPerDimension, "eth" + i);
        final String name = node + "/" + place.label();
        final LinkCondition condition = conditions.getOrDefault(name, LinkCondition.GOOD);
        final long[] total = totals.computeIfAbsent(name, each -> new long[2]);
        if (grows && condition.compareTo(LinkCondition.FAILED) < 0) {
            total[0] += bytes(node, i, 2 * second);
            total[1] += bytes(node, i, 2 * second + 1);
        }
        final boolean isGood = condition == LinkCondition.GOOD;
        final int neighbours = shape.extent(place.dimension()) - 1;
        return new LinkReading(
                place,
                new LinkReading.Health(
                        condition,
                        8_988,
                        condition == LinkCondition.ALONE ? 0 : neighbours,
                        condition == LinkCondition.FAILED ? neighbours : 0,
                        condition == LinkCondition.WEAK ? 40 : isGood ? 100 : 0,
                        isGood ? 0 : 1,
                        0,
                        isGood ? "" : "frames were lost"),
                new LinkReading.Counts(total[0], total[1], total[0] / 8_000, total[1] / 8_000, 0),
                neighbours(node, i, total));
    }

    // As if only node 0 were on this machine; the nearer neighbours get more.
    private List<NeighbourCounts> neighbours(final int node, final int i, final long... total) {
        final List<NeighbourCounts> neighbours = new ArrayList<>();
        final int dimension = i / linksPerDimension;
        if (node == 0 && shape.extent(dimension) > 2) {
            for (int to = 1; to < shape.extent(dimension); to++) {
                final long in = total[0] >> to;
                final long out = total[1] >> to;
                final int id = to * shape.step(dimension);
                neighbours.add(new NeighbourCounts(i, id, in / 8_000, in, out / 8_000, out));
            }
        }
        return neighbours;
    }

    // Different for each link, and each second; quiet nodes and busy ones.
    private static long bytes(final int node, final int link, final long time) {
        final long steady = mix(31L * node + link) & 0xFFFF;
        final long now = mix(1_000_003L * time + 31L * node + link) & 0xFFFF;
        final double share = Math.pow(steady / 65_536.0, 5) * (0.6 + 0.4 * now / 65_536.0);
        return (long) (share * FULL) + now / 16;
    }

    private static long mix(final long value) {
        long mixed = value * 0x9E37_79B9_7F4A_7C15L;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        return mixed ^ (mixed >>> 31);
    }
}
