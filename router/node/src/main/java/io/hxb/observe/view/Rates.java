package io.hxb.observe.view;

import io.hxb.counter.NeighbourCounts;
import io.hxb.observe.live.NodeState;

import java.util.List;

/**
 * Rates a second from two readings, with three digits: viewers see no more, and a rate that only
 * trembles is not sent again. Stateless.
 */
final class Rates {
    /** Bytes in, bytes out, frames in, frames out, frames dropped. */
    static final int LINK_COUNT = 5;

    /** Bytes in, bytes out, frames in, frames out: of one neighbour on a link. */
    static final int NEIGHBOUR_COUNT = 4;

    /** Messages sent, messages delivered, frames relayed, frames sent again. */
    static final int NODE_COUNT = 4;

    private static final long DIGITS = 1_000;

    private Rates() {}

    /** Those that a node told of one of its links; 0 while it is not heard. */
    static long[] told(final NodeReading node, final int link) {
        return told(node, node.heard().orElseThrow().links().get(link).rates());
    }

    /** Those that a node told of itself. */
    static long[] told(final NodeReading node) {
        return told(node, node.heard().orElseThrow().rates());
    }

    private static long[] told(final NodeReading node, final List<Long> rates) {
        return node.state() == NodeState.RUNNING
                ? rates.stream().mapToLong(Rates::rounded).toArray()
                : new long[rates.size()];
    }

    static long[] of(final LinkReading before, final LinkReading now, final double seconds) {
        return new long[] {
            rate(before.counts().inBytes(), now.counts().inBytes(), seconds),
            rate(before.counts().outBytes(), now.counts().outBytes(), seconds),
            rate(before.counts().inFrames(), now.counts().inFrames(), seconds),
            rate(before.counts().outFrames(), now.counts().outFrames(), seconds),
            rate(before.counts().droppedFrames(), now.counts().droppedFrames(), seconds)
        };
    }

    static long[] of(
            final NeighbourCounts before, final NeighbourCounts now, final double seconds) {
        return new long[] {
            rate(before.receivedBytes(), now.receivedBytes(), seconds),
            rate(before.sentBytes(), now.sentBytes(), seconds),
            rate(before.receivedFrames(), now.receivedFrames(), seconds),
            rate(before.sentFrames(), now.sentFrames(), seconds)
        };
    }

    static long[] of(final NodeReading before, final NodeReading now, final double seconds) {
        return new long[] {
            rate(before.counts().sentMessages(), now.counts().sentMessages(), seconds),
            rate(before.counts().deliveredMessages(), now.counts().deliveredMessages(), seconds),
            rate(before.counts().relayedFrames(), now.counts().relayedFrames(), seconds),
            rate(before.counts().resentFrames(), now.counts().resentFrames(), seconds)
        };
    }

    // A node that was started again counts from 0.
    private static long rate(final long before, final long now, final double seconds) {
        return rounded(Math.round(Math.max(0, now - before) / seconds));
    }

    static long rounded(final long value) {
        long unit = 1;
        while (value / unit >= DIGITS) {
            unit *= 10;
        }
        return (value + unit / 2) / unit * unit;
    }
}
