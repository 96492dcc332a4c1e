package io.hxb.node;

import io.hxb.counter.CounterType;
import io.hxb.counter.Counters;
import io.hxb.flow.FlowCounters;
import io.hxb.flow.FlowLoop;
import io.hxb.flow.route.RouteCounters;
import io.hxb.flow.route.RouteTable;
import io.hxb.forward.ForwardCounters;
import io.hxb.forward.Forwarder;
import io.hxb.forward.kernel.KernelRelay;
import io.hxb.frame.DropReason;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;

import java.util.function.LongSupplier;

/**
 * Assigns what a loop's forwarding, flows, routes and links count to the counters of the file. What
 * the kernel relays belongs to no loop: it is counted with the first, except for frames received,
 * which are counted with the loop of their link. Used once, when the loop is made.
 */
final class LoopCounters {
    private final CounterExport.Builder builder;
    private final int loop;
    private final KernelRelay kernel;

    /** Begins with nothing, for loop {@code loop}. */
    LoopCounters(final Counters counters, final int loop, final KernelRelay kernel) {
        builder = new CounterExport.Builder(counters, loop);
        this.loop = loop;
        this.kernel = kernel;
    }

    LoopCounters add(final CounterType type, final int instance, final LongSupplier source) {
        builder.add(type, instance, source);
        return this;
    }

    LoopCounters add(final CounterType type, final LongSupplier source) {
        return add(type, 0, source);
    }

    // Adds what the kernel has counted, if this loop reports that.
    private LongSupplier sum(
            final boolean countsKernel, final LongSupplier own, final LongSupplier ofKernel) {
        return !countsKernel ? own : () -> own.getAsLong() + ofKernel.getAsLong();
    }

    LoopCounters forward(final Forwarder forwarder) {
        final ForwardCounters seen = forwarder.counters();
        for (int reason = 1; reason <= DropReason.COUNT; reason++) {
            final int code = -reason;
            add(CounterType.ofReason(code), () -> seen.dropped(code));
        }
        final boolean isFirst = loop == 0;
        final LongSupplier ofKernel = () -> kernel.relayedFrames();
        add(CounterType.FORWARD_KERNEL_RELAYED_FRAMES, sum(isFirst, () -> 0, ofKernel));
        add(
                CounterType.FORWARD_KERNEL_RELAYED_TRAINS,
                sum(isFirst, () -> 0, () -> kernel.relayedTrains()));
        return add(
                        CounterType.FORWARD_RECEIVED_FRAMES,
                        sum(isFirst, () -> seen.received(), ofKernel))
                .add(CounterType.FORWARD_DELIVERED_FRAMES, () -> seen.delivered())
                .add(CounterType.FORWARD_CONTROL_FRAMES, () -> seen.linkLocal())
                .add(
                        CounterType.FORWARD_RELAYED_FRAMES,
                        sum(isFirst, () -> seen.relayed(), ofKernel))
                .add(
                        CounterType.FORWARD_RELAYED_BYTES,
                        sum(isFirst, () -> seen.relayedBytes(), () -> kernel.relayedBytes()))
                .add(CounterType.FORWARD_ORIGINATED_FRAMES, () -> seen.originated())
                .add(CounterType.FORWARD_LOOPED_BACK_FRAMES, () -> seen.loopedBack())
                .add(CounterType.FORWARD_COPIED_FRAMES, () -> seen.copied())
                .add(CounterType.FORWARD_COPIED_BYTES, () -> seen.copiedBytes())
                .add(CounterType.FORWARD_UNREACHABLE_SENT_FRAMES, () -> seen.unreachableSent());
    }

    LoopCounters flows(final FlowLoop flows) {
        final FlowCounters seen = flows.counters();
        return add(CounterType.FLOW_SENT_FRAMES, () -> seen.framesSent)
                .add(CounterType.FLOW_RESENT_FRAMES, () -> seen.framesResent)
                .add(CounterType.FLOW_TIMEOUTS_EVENTS, () -> seen.timeouts)
                .add(CounterType.FLOW_SENT_MESSAGES, () -> seen.messagesSent)
                .add(CounterType.FLOW_DELIVERED_FRAMES, () -> seen.framesDelivered)
                .add(CounterType.FLOW_DUPLICATE_FRAMES, () -> seen.duplicates)
                .add(CounterType.FLOW_OUTSIDE_WINDOW_FRAMES, () -> seen.outOfWindow)
                .add(CounterType.FLOW_SENT_ACKS_FRAMES, () -> seen.acksSent)
                .add(CounterType.FLOW_RECEIVED_ACKS_FRAMES, () -> seen.acksReceived)
                .add(CounterType.FLOW_WINDOW_STALLS_EVENTS, () -> seen.windowStalls)
                .add(CounterType.FLOW_PROBES_FRAMES, () -> seen.probes)
                .add(CounterType.FLOW_PEER_UNREACHABLE_EVENTS, () -> seen.peerUnreachable)
                .add(CounterType.FLOW_PEER_RESTARTED_EVENTS, () -> seen.peerRestarted)
                .add(CounterType.FLOW_NO_SUCH_CONTEXT_EVENTS, () -> seen.peerContextGone)
                .add(CounterType.FLOW_REFUSED_EVENTS, () -> seen.flowsExhausted)
                .add(CounterType.FLOW_NOT_ALLOWED_EVENTS, () -> seen.notAllowed)
                .add(CounterType.FLOW_FORGOTTEN_EVENTS, () -> seen.flowsForgotten)
                .add(CounterType.FLOW_RECALLED_EVENTS, () -> seen.flowsRecalled)
                .add(CounterType.FLOW_SENT_BYTES, () -> seen.bytesSent)
                .add(CounterType.FLOW_DELIVERED_MESSAGES, () -> seen.messagesDelivered)
                .add(CounterType.FLOW_DELIVERED_BYTES, () -> seen.bytesDelivered)
                .add(CounterType.FLOW_REORDERED_FRAMES, () -> seen.reordered)
                .add(CounterType.FLOW_DELIVERY_REFUSED_EVENTS, () -> seen.deliveriesRefused)
                .add(CounterType.FLOW_STALE_FRAMES, () -> seen.staleIncarnation)
                .add(CounterType.FLOW_UNKNOWN_CONTEXT_FRAMES, () -> seen.noSuchContext)
                .add(CounterType.FLOW_MALFORMED_FRAMES, () -> seen.malformed)
                .add(CounterType.FORWARD_UNREACHABLE_RECEIVED_FRAMES, () -> seen.unreachables);
    }

    LoopCounters routes(final RouteTable routes) {
        final RouteCounters seen = routes.counters();
        return add(CounterType.FLOW_BROKEN_HOPS_EVENTS, () -> seen.brokenHops())
                .add(CounterType.FLOW_SILENT_ROUTES_EVENTS, () -> seen.silentRoutes())
                .add(CounterType.FLOW_DETOURED_FRAMES, () -> seen.detouredFrames())
                .add(CounterType.FLOW_ROUTE_PROBES_FRAMES, () -> seen.probes())
                .add(CounterType.FLOW_ROUTES_RETURNED_EVENTS, () -> seen.returned())
                .add(CounterType.FLOW_REFUSED_ANSWERS_FRAMES, () -> seen.refusedAnswers())
                .add(CounterType.FLOW_CUT_OFF_EVENTS, () -> seen.cutOff())
                .add(CounterType.FLOW_TROUBLED_DESTINATIONS, routes::troubledDestinations);
    }

    LoopCounters received(
            final Link link, final ForwardCounters seen, final LongSupplier neighbours) {
        final int index = link.index();
        return add(
                        CounterType.LINK_RECEIVED_FRAMES,
                        index,
                        sum(true, () -> seen.linkFrames(index), () -> kernel.receivedFrames(index)))
                .add(
                        CounterType.LINK_RECEIVED_BYTES,
                        index,
                        sum(true, () -> seen.linkBytes(index), () -> kernel.receivedBytes(index)))
                .add(CounterType.LINK_RECEIVED_TRAINS, index, link.trains()::trains)
                .add(CounterType.LINK_RECEIVED_TRAIN_FRAMES, index, link.trains()::frames)
                .add(CounterType.LINK_RECEIVED_COPIED_FRAMES, index, link.trains()::copiedFrames)
                .add(CounterType.LINK_STRANGE_PROBES, index, link.trains()::strangeProbes)
                .add(CounterType.LINK_UP_STATE, index, () -> link.isUp() ? 1 : 0)
                .add(CounterType.LINK_MTU_BYTES, index, link::mtuBytes)
                .add(CounterType.LINK_NEIGHBOURS_NODES, index, neighbours);
    }

    LoopCounters sent(final int index, final LinkSender sender) {
        final boolean isFirst = loop == 0;
        return add(
                        CounterType.LINK_SENT_FRAMES,
                        index,
                        sum(isFirst, sender::sentFrames, () -> kernel.sentFrames(index)))
                .add(
                        CounterType.LINK_SENT_BYTES,
                        index,
                        sum(isFirst, sender::sentBytes, () -> kernel.sentBytes(index)))
                .add(CounterType.LINK_SENT_TRAINS, index, sender.trains()::trains)
                .add(CounterType.LINK_SENT_TRAIN_FRAMES, index, sender.trains()::frames)
                .add(CounterType.LINK_REFUSED_TRAINS, index, sender.trains()::refusals)
                .add(CounterType.LINK_SEND_ERROR_FRAMES, index, sender::sendErrors);
    }

    CounterExport build() {
        return builder.build();
    }
}
