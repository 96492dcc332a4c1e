package io.hxb.node;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.MisconfigurationFlyweight;
import io.hxb.link.Link;
import io.hxb.log.LoopErrors;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.Port;
import io.hxb.trunk.health.TrunkHealth;

import java.util.List;
import java.util.function.LongSupplier;

/**
 * The counters of the whole node, as opposed to those of its loops: links, neighbours, pool, flows
 * in use, contexts, complaints. Published a few times a second. Owned by the node's first loop;
 * what other threads count may be slightly old.
 */
final class NodeCounters {
    private final NodeParts parts;
    private final List<Port> ports;
    private final LinkEventDispatcher news;
    private final long[] stateChanges;
    private final CounterBlock block;

    /** Prepares the counters of a node. */
    NodeCounters(final NodeParts parts, final LinkEventDispatcher news) {
        this.parts = parts;
        this.news = news;
        ports = parts.links().ports();
        block = parts.counters().ofNode();
        stateChanges = new long[ports.size()];
        for (final Port port : ports) {
            addLink(port.link());
            addHealth(port);
        }
        for (int dimension = 0; dimension < parts.config().shape().dimensions(); dimension++) {
            addTrunk(dimension);
        }
        addPool();
        addComplaints();
        parts.contexts().addCounters(block);
        block.source(CounterType.FLOW_SENDING_FLOWS, parts.flows()::sendingFlows)
                .source(CounterType.FLOW_RECEIVING_FLOWS, parts.flows()::receivingFlows)
                .source(
                        CounterType.SESSION_BEGUN_EVENTS,
                        () -> parts.neighbourhood().sessions().begun())
                .source(CounterType.NODE_ERRORS_EVENTS, LoopErrors.INSTANCE::count);
    }

    private void addLink(final Link link) {
        final int index = link.index();
        block.source(
                        CounterType.LINK_KERNEL_DROPPED_FRAMES,
                        index,
                        () -> parts.links().board().kernelDrops(index))
                .source(CounterType.LINK_STATE_CHANGED_EVENTS, index, () -> stateChanges[index]);
    }

    private void addHealth(final Port port) {
        final int index = port.link().index();
        final int neighbours = parts.config().shape().extent(port.dimension());
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

    private void addTrunk(final int dimension) {
        final TrunkHealth health = parts.neighbourhood().health();
        final LongSupplier reached = () -> health.reachedNeighbours(dimension);
        block.source(CounterType.TRUNK_NEIGHBOURS_NODES, dimension, reached);
    }

    private void addPool() {
        final int size = parts.links().pool().bufferCount();
        block.source(CounterType.POOL_SIZE_BUFFERS, () -> size)
                .source(CounterType.POOL_OUTSTANDING_BUFFERS, parts.links().pool()::outstanding)
                .source(
                        CounterType.POOL_FREE_BUFFERS,
                        () -> size - parts.links().pool().outstanding())
                .source(
                        CounterType.POOL_EMPTY_EVENTS,
                        () ->
                                ports.stream()
                                        .mapToLong(port -> port.link().poolStarvations())
                                        .sum());
    }

    private void addComplaints() {
        for (int kind = 1; kind <= MisconfigurationFlyweight.KIND_COUNT; kind++) {
            final int counted = kind;
            final String name = "COMPLAINT_" + MisconfigurationFlyweight.name(kind) + "_EVENTS";
            block.source(
                    CounterType.valueOf(name),
                    () -> parts.neighbourhood().complaints().count(counted));
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
