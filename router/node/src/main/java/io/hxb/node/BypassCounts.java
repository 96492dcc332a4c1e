package io.hxb.node;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.topology.Shape;
import io.hxb.trunk.OffloadPath;
import io.hxb.trunk.Port;

import java.util.function.IntUnaryOperator;

/**
 * Frames that the kernel has relayed through one port, by neighbour. It counts them modulo 2^32;
 * here they only grow. Owned by the loop that publishes them.
 */
final class BypassCounts {
    private final Port port;
    private final Totals sent;
    private final Totals received;

    BypassCounts(final Port port) {
        this.port = port;
        final OffloadPath path = port.bypass();
        sent = new Totals(path::sentFrames);
        received = new Totals(path::heardFrames);
    }

    void addCounters(final CounterBlock block) {
        final int index = port.link().index();
        block.neighbours(CounterType.LINK_NEIGHBOUR_SENT_FRAMES, index, sent::copy)
                .neighbours(CounterType.LINK_NEIGHBOUR_RECEIVED_FRAMES, index, received::copy);
    }

    private static final class Totals {
        private final IntUnaryOperator counted;
        private final int[] last = new int[Shape.MAX_EXTENT];
        private final long[] totals = new long[Shape.MAX_EXTENT];

        Totals(final IntUnaryOperator counted) {
            this.counted = counted;
        }

        void copy(final long[] into, final int at, final int count) {
            for (int neighbour = 0; neighbour < count; neighbour++) {
                final int now = counted.applyAsInt(neighbour);
                totals[neighbour] += Integer.toUnsignedLong(now - last[neighbour]);
                last[neighbour] = now;
            }
            System.arraycopy(totals, 0, into, at, count);
        }
    }
}
