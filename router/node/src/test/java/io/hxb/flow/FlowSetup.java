package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.config.IpConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.topology.Shape;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What tests make the flows of a node with. Immutable. */
record FlowSetup(FlowConfig config, FlowSizes sizes, int initialSequence) {
    /** First sequences as they are in a real cluster. */
    static final int RANDOM = Integer.MIN_VALUE;

    /** As in a real cluster. */
    FlowSetup(final FlowSizes sizes) {
        this(FlowConfig.DEFAULT, sizes, RANDOM);
    }

    int mtuBytes() {
        return sizes.frameBytes();
    }

    FlowTable newTable(
            final Shape shape,
            final long ownCoordinates,
            final BufferPool pool,
            final FlowListener listener) {
        final FlowCookies flowCookies =
                initialSequence == RANDOM
                        ? new FlowCookies(config.peerTimeoutNs(), 1, ownCoordinates)
                        : new FixedTickets(config.peerTimeoutNs(), initialSequence);
        return new FlowTable(
                config,
                IpConfig.DEFAULT,
                sizes,
                shape,
                ownCoordinates,
                pool,
                listener,
                flowCookies);
    }

    /** Tickets that are all the same, so that tests know the sequences; good for who asked. */
    private static final class FixedTickets extends FlowCookies {
        private final Set<List<Long>> given = new HashSet<>();
        private final int first;

        FixedTickets(final long peerTimeoutNs, final int first) {
            super(peerTimeoutNs, 0, 0);
            this.first = first;
        }

        @Override
        int first(final FlowContext context, final FrameHeaderFlyweight frame, final long issueNs) {
            given.add(source(context, frame));
            return first;
        }

        private static List<Long> source(
                final FlowContext context, final FrameHeaderFlyweight frame) {
            return List.of(
                    frame.source(),
                    (long) frame.sourceContext(),
                    (long) frame.sourceIncarnation(),
                    (long) frame.epoch(),
                    (long) context.incarnation);
        }

        @Override
        long issueOf(
                final FlowContext context, final FrameHeaderFlyweight frame, final long nowNs) {
            final int ahead = frame.sequence() - first;
            final boolean isGiven = given.contains(source(context, frame));
            return isGiven && ahead >= 0 && ahead <= MAX_FRAMES ? issueNs(nowNs) : INVALID;
        }
    }
}
