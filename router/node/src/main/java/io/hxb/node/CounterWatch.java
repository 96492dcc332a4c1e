package io.hxb.node;

import io.hxb.config.ResourceShare;
import io.hxb.counter.CounterType;
import io.hxb.counter.Counters;
import io.hxb.frame.MisconfigurationFlyweight;
import io.hxb.recorder.RecordedEvent;
import io.hxb.recorder.RecorderRing;
import io.hxb.trunk.Port;

import java.util.ArrayList;
import java.util.List;

/**
 * Records what the node counts and seldom happens: how many more there are than a few tenths of a
 * second before. Nothing is asked of who counts. Owned by the node's first loop.
 */
final class CounterWatch {
    private final Counters counters;
    private final RecorderRing events;
    private final List<Watched> all = new ArrayList<>();

    /** A counter, and what it was. */
    private static final class Watched {
        private final CounterType type;
        private final int instance;
        private final RecordedEvent event;
        private final long argument;
        private long seen;

        Watched(
                final CounterType type,
                final int instance,
                final RecordedEvent event,
                final long argument) {
            this.type = type;
            this.instance = instance;
            this.event = event;
            this.argument = argument;
        }
    }

    /**
     * Watches the counters of a node that starts now.
     *
     * @param ports the node's ports, by link index.
     * @param events of the node's first loop.
     */
    CounterWatch(final Counters counters, final List<Port> ports, final RecorderRing events) {
        this.counters = counters;
        this.events = events;
        watch(CounterType.POOL_EMPTY_EVENTS, RecordedEvent.POOL_EMPTY);
        watch(CounterType.NODE_ERRORS_EVENTS, RecordedEvent.LOOP_FAILED);
        watch(CounterType.CONTEXT_ATTACH_REFUSED_EVENTS, RecordedEvent.ATTACH_REFUSED);
        watch(CounterType.CONTEXT_REFUSED_EVENTS, RecordedEvent.CONTEXT_REFUSED);
        watch(CounterType.FLOW_REFUSED_EVENTS, RecordedEvent.FLOWS_REFUSED);
        watch(CounterType.FLOW_NOT_ALLOWED_EVENTS, RecordedEvent.FLOWS_NOT_ALLOWED);
        watch(CounterType.SESSION_BEGUN_EVENTS, RecordedEvent.SESSIONS_BEGUN);
        watch(CounterType.FORWARD_DROPPED_SEAL_FRAMES, RecordedEvent.SEALS_WRONG);
        watch(CounterType.FORWARD_DROPPED_UNSEALED_FRAMES, RecordedEvent.SEALS_MISSING);
        for (final Port port : ports) {
            watch(CounterType.LINK_KERNEL_DROPPED_FRAMES, RecordedEvent.KERNEL_DROPPED, port);
            watch(CounterType.LINK_SEND_ERROR_FRAMES, RecordedEvent.NIC_REFUSED, port);
        }
        for (final ResourceShare share : ResourceShare.values()) {
            all.add(
                    new Watched(
                            limitOf(share),
                            0,
                            RecordedEvent.LIMIT_REACHED,
                            List.of(ResourceShare.values()).indexOf(share)));
        }
        for (int kind = 1; kind <= MisconfigurationFlyweight.KIND_COUNT; kind++) {
            final String name =
                    "MISCONFIGURATION_" + MisconfigurationFlyweight.name(kind) + "_EVENTS";
            all.add(new Watched(CounterType.valueOf(name), 0, RecordedEvent.MISCONFIGURED, kind));
        }
        // Loops of this process may have counted errors for other nodes.
        all.forEach(watched -> watched.seen = counters.sum(watched.type, watched.instance));
    }

    private static CounterType limitOf(final ResourceShare share) {
        return switch (share) {
            case CONNECTIONS -> CounterType.CONTEXT_LIMITED_CONNECTIONS_EVENTS;
            case CONTEXTS -> CounterType.CONTEXT_LIMITED_CONTEXTS_EVENTS;
            case MEMORY_BYTES -> CounterType.CONTEXT_LIMITED_MEMORY_EVENTS;
            case REGIONS -> CounterType.CONTEXT_LIMITED_REGIONS_EVENTS;
            case HELD_BUFFERS -> CounterType.CONTEXT_LIMITED_BUFFERS_EVENTS;
            case FLOWS -> CounterType.CONTEXT_LIMITED_FLOWS_EVENTS;
            case MESSAGES -> CounterType.CONTEXT_LIMITED_MESSAGES_EVENTS;
        };
    }

    private void watch(final CounterType type, final RecordedEvent event) {
        all.add(new Watched(type, 0, event, 0));
    }

    private void watch(final CounterType type, final RecordedEvent event, final Port port) {
        all.add(
                new Watched(
                        type,
                        port.link().index(),
                        event,
                        RecordedEvent.link(port.dimension(), port.number())));
    }

    /** Looks at what the loops have published. */
    void look(final long nowNs) {
        for (final Watched watched : all) {
            final long now = counters.sum(watched.type, watched.instance);
            if (now > watched.seen) {
                events.record(watched.event, nowNs, now - watched.seen, watched.argument);
            }
            watched.seen = now;
        }
    }
}
