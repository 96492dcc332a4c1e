package io.hxb.node;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.counter.TimeBuckets;
import io.hxb.flow.route.RouteTable;
import io.hxb.forward.kernel.KernelRelay;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.node.loop.Loop;

import java.util.function.LongSupplier;

/**
 * What a loop does not count itself when it happens: levels, and what its links, its thread and the
 * kernel count. Each is read when the loop's block is published. Used once, when the loop is made.
 */
final class LoopCounters {
    private LoopCounters() {}

    static void add(final CounterBlock block, final RouteTable routes) {
        block.source(CounterType.FLOW_TROUBLED_DESTINATIONS, routes::troubledDestinations);
    }

    static void add(final CounterBlock block, final Loop loop) {
        block.source(CounterType.NODE_LOOP_GIVE_WAYS_EVENTS, loop::yields)
                .source(CounterType.NODE_LOOP_LONG_TURNS_EVENTS, loop::longTurns)
                .source(CounterType.NODE_LOOP_OVERRUN_NS, loop::overrunNs)
                .source(CounterType.NODE_LOOP_CROWDED_LOOPS, () -> loop.isCrowded() ? 1 : 0)
                .source(CounterType.NODE_LOOP_TURN_NS, loop::turnNs)
                .source(CounterType.NODE_LOOP_WAKE_UP_DELAY_NS, loop::wakeUpDelayNs);
        for (int i = 0; i < TimeBuckets.COUNT; i++) {
            final int bucket = i;
            block.source(CounterType.NODE_LOOP_TURN_EVENTS, bucket, () -> loop.turns(bucket))
                    .source(
                            CounterType.NODE_LOOP_WAKE_UP_DELAY_EVENTS,
                            bucket,
                            () -> loop.wakeUps(bucket));
        }
    }

    static void add(final CounterBlock block, final Link link, final LongSupplier neighbours) {
        final int index = link.index();
        block.source(CounterType.LINK_RECEIVED_TRAINS, index, link.trains()::trains)
                .source(CounterType.LINK_RECEIVED_TRAIN_FRAMES, index, link.trains()::frames)
                .source(CounterType.LINK_RECEIVED_COPIED_FRAMES, index, link.trains()::copiedFrames)
                .source(
                        CounterType.LINK_UNKNOWN_SENDER_PROBES,
                        index,
                        () ->
                                link.trains().unknownSenderProbes()
                                        + link.longFrames().unknownSenderPieces())
                .source(CounterType.LINK_RECEIVED_LONG_FRAMES, index, link.longFrames()::frames)
                .source(CounterType.LINK_RECEIVED_LONG_PIECES, index, link.longFrames()::pieces)
                .source(CounterType.LINK_DROPPED_LONG_PIECES, index, link.longFrames()::dropped)
                .source(CounterType.LINK_UP_STATE, index, () -> link.isUp() ? 1 : 0)
                .source(CounterType.LINK_MTU_BYTES, index, link::mtuBytes)
                .source(CounterType.LINK_NEIGHBOURS_NODES, index, neighbours);
    }

    static void add(final CounterBlock block, final LoopSenders senders) {
        final LinkSender[] all = senders.all();
        for (int i = 0; i < all.length; i++) {
            final int index = i;
            final LinkSender sender = all[i];
            block.source(CounterType.LINK_SENT_FRAMES, index, sender::sentFrames)
                    .source(CounterType.LINK_SENT_BYTES, index, sender::sentBytes)
                    .source(CounterType.LINK_SENT_TRAINS, index, sender.trains()::trains)
                    .source(CounterType.LINK_SENT_TRAIN_FRAMES, index, sender.trains()::frames)
                    .source(CounterType.LINK_REFUSED_TRAINS, index, sender.trains()::refusals)
                    .source(CounterType.LINK_SENT_LONG_FRAMES, index, sender.longFrames()::frames)
                    .source(
                            CounterType.LINK_LONG_FALLBACKS_EVENTS,
                            index,
                            sender.longFrames()::fallbacks)
                    .source(CounterType.LINK_SEND_ERROR_FRAMES, index, sender::sendErrors)
                    .source(
                            CounterType.LINK_BLOCKED_EVENTS,
                            index,
                            () -> senders.blockedEvents(index));
        }
    }

    /** What the kernel relays, which belongs to no loop. */
    static void add(final CounterBlock block, final KernelRelay kernel, final int links) {
        final LongSupplier frames = kernel::relayedFrames;
        block.source(CounterType.FORWARD_KERNEL_RELAYED_FRAMES, frames)
                .source(CounterType.FORWARD_KERNEL_RELAYED_TRAINS, kernel::relayedTrains)
                .source(CounterType.FORWARD_RECEIVED_FRAMES, frames)
                .source(CounterType.FORWARD_RELAYED_FRAMES, frames)
                .source(CounterType.FORWARD_RELAYED_BYTES, kernel::relayedBytes);
        for (int i = 0; i < links; i++) {
            final int index = i;
            block.source(
                            CounterType.LINK_RECEIVED_FRAMES,
                            index,
                            () -> kernel.receivedFrames(index))
                    .source(
                            CounterType.LINK_RECEIVED_BYTES,
                            index,
                            () -> kernel.receivedBytes(index))
                    .source(CounterType.LINK_SENT_FRAMES, index, () -> kernel.sentFrames(index))
                    .source(CounterType.LINK_SENT_BYTES, index, () -> kernel.sentBytes(index));
        }
    }
}
