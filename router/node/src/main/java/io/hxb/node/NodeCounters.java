package io.hxb.node;

import io.hxb.counter.CounterType;
import io.hxb.frame.MisconfigurationFlyweight;
import io.hxb.link.Link;
import io.hxb.log.LoopErrors;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.Port;
import io.hxb.trunk.discovery.DiscoveryCounters;
import io.hxb.trunk.health.HealthCounters;
import io.hxb.trunk.health.TrunkHealth;

import java.util.List;
import java.util.function.LongSupplier;

/**
 * The counters of the whole node, as opposed to those of its loops: links, neighbours, pool, flows
 * in use, contexts, complaints. Copied into the counter file a few times a second. Owned by the
 * node's first loop; what other threads count may be slightly old.
 */
final class NodeCounters {
    private final NodeParts parts;
    private final List<Port> ports;
    private final LinkEventDispatcher news;
    private final long[] stateChanges;
    private final CounterExport export;

    /** Prepares the counters of a node. */
    NodeCounters(final NodeParts parts, final LinkEventDispatcher news) {
        this.parts = parts;
        this.news = news;
        ports = parts.links().ports();
        stateChanges = new long[ports.size()];
        final CounterExport.Builder builder = new CounterExport.Builder(parts.counters(), 0);
        for (final Port port : ports) {
            addLink(builder, port.link());
            addHealth(builder, port);
        }
        for (int dimension = 0; dimension < parts.config().shape().dimensions(); dimension++) {
            addTrunk(builder, dimension);
        }
        addPool(builder);
        addComplaints(builder);
        parts.contexts().addCounters(builder);
        export =
                builder.add(CounterType.FLOW_SENDING_FLOWS, parts.flows()::sendingFlows)
                        .add(CounterType.FLOW_RECEIVING_FLOWS, parts.flows()::receivingFlows)
                        .add(
                                CounterType.SESSION_BEGUN_EVENTS,
                                () -> parts.neighbourhood().sessions().begun())
                        .add(CounterType.NODE_ERRORS_EVENTS, LoopErrors.INSTANCE::count)
                        .build();
    }

    private void addLink(final CounterExport.Builder builder, final Link link) {
        final int index = link.index();
        final DiscoveryCounters seen = parts.neighbourhood().discovery().counters();
        final HealthCounters health = parts.neighbourhood().health().counters();
        builder.add(
                        CounterType.LINK_KERNEL_DROPPED_FRAMES,
                        index,
                        () -> parts.links().board().kernelDrops(index))
                .add(CounterType.LINK_STATE_CHANGED_EVENTS, index, () -> stateChanges[index])
                .add(CounterType.LINK_HELLO_SENT_FRAMES, index, () -> seen.helloSent(index))
                .add(CounterType.LINK_HELLO_RECEIVED_FRAMES, index, () -> seen.helloReceived(index))
                .add(CounterType.LINK_EXCLUDED_EVENTS, index, () -> health.excluded(index))
                .add(CounterType.LINK_STATUS_SENT_FRAMES, index, () -> health.statusSent(index))
                .add(
                        CounterType.LINK_STATUS_RECEIVED_FRAMES,
                        index,
                        () -> health.statusReceived(index))
                .add(CounterType.LINK_STATUS_BAD_FRAMES, index, () -> health.statusBad(index))
                .add(CounterType.LINK_STATUS_STALE_FRAMES, index, () -> health.statusStale(index))
                .add(CounterType.LINK_RECOVERED_EVENTS, index, () -> health.recovered(index));
    }

    private void addHealth(final CounterExport.Builder builder, final Port port) {
        final int index = port.link().index();
        final int neighbours = parts.config().shape().extent(port.dimension());
        builder.add(CounterType.LINK_FAILED_NODES, index, () -> failed(port, neighbours))
                .add(CounterType.LINK_WEIGHT_PERCENT, index, () -> weight(port, neighbours))
                .add(CounterType.LINK_REASON_CODE, index, () -> news.lastReason(index));
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

    private void addTrunk(final CounterExport.Builder builder, final int dimension) {
        final TrunkHealth health = parts.neighbourhood().health();
        final LongSupplier reached = () -> health.reachedNeighbours(dimension);
        builder.add(CounterType.TRUNK_NEIGHBOURS_NODES, dimension, reached)
                .add(
                        CounterType.TRUNK_LOST_EVENTS,
                        dimension,
                        () -> health.counters().trunksLost(dimension));
    }

    private void addPool(final CounterExport.Builder builder) {
        final int size = parts.links().pool().bufferCount();
        builder.add(CounterType.POOL_SIZE_BUFFERS, () -> size)
                .add(CounterType.POOL_OUTSTANDING_BUFFERS, parts.links().pool()::outstanding)
                .add(CounterType.POOL_FREE_BUFFERS, () -> size - parts.links().pool().outstanding())
                .add(
                        CounterType.POOL_EMPTY_EVENTS,
                        () ->
                                ports.stream()
                                        .mapToLong(port -> port.link().poolStarvations())
                                        .sum());
    }

    private void addComplaints(final CounterExport.Builder builder) {
        for (int kind = 1; kind <= MisconfigurationFlyweight.KIND_COUNT; kind++) {
            final int counted = kind;
            final String name = "COMPLAINT_" + MisconfigurationFlyweight.name(kind) + "_EVENTS";
            builder.add(
                    CounterType.valueOf(name),
                    () -> parts.neighbourhood().complaints().count(counted));
        }
    }

    /** A link went up or down. */
    void onStateChanged(final int link) {
        stateChanges[link]++;
    }

    /** Brings the file up to date. */
    void copy() {
        export.copy();
    }
}
