package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterType;
import io.hxb.counter.Counters;
import io.hxb.testing.RecordingLink;
import io.hxb.trunk.OffloadPath;
import io.hxb.trunk.Port;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

@Tag("unit")
class BypassCountsTest {
    /** A kernel that has relayed as many frames from and to neighbour 2 as it is told. */
    private static final class Kernel implements OffloadPath {
        private int heard;
        private int sent;

        @Override
        public void weight(final int neighbour, final int weight) {}

        @Override
        public void learn(final int neighbour, final long address) {}

        @Override
        public int heardFrames(final int neighbour) {
            return neighbour == 2 ? heard : 0;
        }

        @Override
        public int sentFrames(final int neighbour) {
            return neighbour == 2 ? sent : 0;
        }
    }

    @Test
    void shouldOnlyGrowAlthoughTheKernelCountsModulo32Bits() {
        // given
        final Kernel kernel = new Kernel();
        final Port port = new Port(new RecordingLink(0), 0, 0);
        port.bypass(kernel);
        final Counters counters =
                Counters.inMemory(
                        new CounterLabels(
                                "lab",
                                1,
                                0,
                                0,
                                1,
                                List.of(new CounterLabels.LinkLabel(0, 0, "nic", 4, 1))),
                        1);
        new BypassCounts(port).addCounters(counters.ofKernel());
        // when
        for (final int heard : new int[] {5, Integer.MAX_VALUE, -10, 3}) {
            kernel.heard = heard;
            kernel.sent = 2 * heard;
            counters.ofKernel().publish();
        }
        // then
        assertEquals((1L << 32) + 3, counters.sum(CounterType.LINK_NEIGHBOUR_RECEIVED_FRAMES, 2));
        assertEquals((2L << 32) + 6, counters.sum(CounterType.LINK_NEIGHBOUR_SENT_FRAMES, 2));
        assertEquals(0, counters.sum(CounterType.LINK_NEIGHBOUR_SENT_FRAMES, 1));
    }
}
