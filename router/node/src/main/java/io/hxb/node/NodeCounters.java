package io.hxb.node;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.FlowTable;
import io.hxb.frame.MisconfigurationFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.log.LoopErrors;
import io.hxb.topology.Shape;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.Port;
import io.hxb.trunk.discovery.MisconfigurationLog;
import io.hxb.trunk.health.TrunkHealth;

import java.util.List;

/**
 * The counters of the whole node, as opposed to those of its loops: links, neighbours, pool, flows
 * in use, contexts, misconfigurations. Published a few times a second. Owned by the node's first
 * loop; what other threads count may be slightly old.
 */
final class NodeCounters {
    private final LinkEventDispatcher news;
    private final long[] stateChanges;
    private final CounterBlock block;

    /** Prepares the counters of a node. */
    NodeCounters(final NodeParts parts, final LinkEventDispatcher news) {
        this.news = news;
        block = parts.counters().ofNode();
        final Shape shape = parts.config().shape();
        final NodeLinks links = parts.links();
        stateChanges = new long[links.ports().size()];
        for (final Port port : links.ports()) {
            addLink(port.link().index(), links.board());
            addHealth(port, shape.extent(port.dimension()));
        }
        final NeighbourLinks neighbours = parts.neighbourhood();
        for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
            addTrunk(dimension, neighbours.health());
        }
        addPool(links.pool(), links.ports());
        addMisconfigurations(neighbours.misconfigurations());
        addFlows(parts.flows());
        parts.contexts().addCounters(block);
        block.source(CounterType.SESSION_BEGUN_EVENTS, neighbours.sessions()::begun)
                .source(CounterType.NODE_ERRORS_EVENTS, LoopErrors.INSTANCE::count);
    }

    private void addFlows(final FlowTable flows) {
        block.source(CounterType.FLOW_SENDING_FLOWS, flows::sendingFlows)
                .source(CounterType.FLOW_RECEIVING_FLOWS, flows::receivingFlows);
    }

    private void addLink(final int index, final LinkEventCounter board) {
        block.source(CounterType.LINK_KERNEL_DROPPED_FRAMES, index, () -> board.kernelDrops(index))
                .source(CounterType.LINK_STATE_CHANGED_EVENTS, index, () -> stateChanges[index]);
    }

    private void addHealth(final Port port, final int neighbours) {
        final int index = port.link().index();
        block.source(CounterType.LINK_FAILED_NODES, index, () -> failed(port, neighbours))
                .source(CounterType.LINK_WEIGHT_PERCENT, index, () -> weight(port, neighbours))
                .source(CounterType.LINK_REASON_CODE, index, () -> news.lastReason(index));
    }

    private static long failed(final Port port, final int neighbours) {
        long count = 0;
        for (int i = 0; i < neighbours; i++) {
            count += port.state(i) == LinkState.FAILED ? 1 : 0;
        }
        return count;
    }

    private static long weight(final Port port, final int neighbours) {
        long sum = 0;
        long count = 0;
        for (int i = 0; i < neighbours; i++) {
            if (port.state(i) != LinkState.UNKNOWN) {
                sum += port.weight(i);
                count++;
            }
        }
        return count == 0 ? 0 : sum * 100 / (Port.FULL_WEIGHT * count);
    }

    private void addTrunk(final int dimension, final TrunkHealth health) {
        block.source(
                CounterType.TRUNK_NEIGHBOURS_NODES,
                dimension,
                () -> health.reachedNeighbours(dimension));
    }

    private void addPool(final BufferPool pool, final List<Port> ports) {
        final int size = pool.bufferCount();
        block.source(CounterType.POOL_SIZE_BUFFERS, () -> size)
                .source(CounterType.POOL_OUTSTANDING_BUFFERS, pool::outstanding)
                .source(CounterType.POOL_FREE_BUFFERS, () -> size - pool.outstanding())
                .source(
                        CounterType.POOL_EMPTY_EVENTS,
                        () ->
                                ports.stream()
                                        .mapToLong(port -> port.link().poolStarvations())
                                        .sum());
    }

    private void addMisconfigurations(final MisconfigurationLog misconfigurations) {
        for (int kind = 1; kind <= MisconfigurationFlyweight.KIND_COUNT; kind++) {
            final int counted = kind;
            final String name =
                    "MISCONFIGURATION_" + MisconfigurationFlyweight.name(kind) + "_EVENTS";
            block.source(CounterType.valueOf(name), () -> misconfigurations.count(counted));
        }
    }

    /** A link went up or down. */
    void onStateChanged(final int link) {
        stateChanges[link]++;
    }

    /** Publishes them. */
    void publish() {
        block.publish();
    }
}
