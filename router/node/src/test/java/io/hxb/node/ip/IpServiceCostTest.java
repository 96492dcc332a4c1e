package io.hxb.node.ip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowListener;
import io.hxb.flow.FlowRights;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.tap.PacketDevice;
import io.hxb.testing.Allocations;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;

/** What carrying packets costs the heap. */
@Tag("unit")
class IpServiceCostTest {
    private static final int NODE = 1;
    private static final int PACKETS = 100_000;
    private static final int BYTES = 3_000;
    private static final int MTU = 9_000;

    /** A NIC with a packet to read whenever one is wanted. */
    private static final class EndlessDevice implements PacketDevice {
        int left;
        int written;

        @Override
        public int descriptor() {
            return -1;
        }

        @Override
        public int read(final long address, final int lengthBytes) {
            if (left == 0) {
                return 0;
            }
            left--;
            final int bytes = left % 2 == 0 ? BYTES : 100;
            Memory.fill(address, 64, 0);
            Memory.putShortBigEndian(address + 22, PacketHeaders.IPV4);
            Memory.putByte(address + 24, 0x45);
            Memory.putInt(address + 44, left & 7);
            return bytes;
        }

        @Override
        public int write(final long address, final int lengthBytes) {
            written++;
            return lengthBytes;
        }

        @Override
        public int mtuBytes() {
            return MTU;
        }

        @Override
        public void close() {}
    }

    /** Flows that deliver each message to the service that sent it, at the end of a turn. */
    private static final class Echo extends TestFlows {
        private final IpDelivery delivery;
        private final long body;
        private final FlowEndpoints shortEnds = ends(IpService.SHORT_END);
        private final FlowEndpoints bulkEnds = ends(IpService.BULK_END);
        private final int[] slots = new int[256];
        private final int[] contexts = new int[256];
        int count;
        int released;

        private static FlowEndpoints ends(final int end) {
            return new FlowEndpoints(end, 1, NODE, end, 7);
        }

        Echo(final IpDelivery delivery, final long body) {
            this.delivery = delivery;
            this.body = body;
        }

        void turn() {
            for (int i = 0; i < count; i++) {
                delivery.onSendDone(contexts[i], slots[i], PmStatus.OK);
            }
            count = 0;
        }

        @Override
        public void submitOrReport(
                final int contextId,
                final int sendSlot,
                final int destinationNode,
                final int destinationContext,
                final long payloadAddress,
                final int lengthBytes,
                final int tag) {
            Memory.putInt(body, lengthBytes);
            Memory.copy(payloadAddress, body + 8, lengthBytes);
            final FlowEndpoints ends = contextId == IpService.SHORT_END ? shortEnds : bulkEnds;
            assertEquals(FlowListener.COPIED, delivery.onFrame(ends, 0, body, 8 + lengthBytes, 1));
            contexts[count] = contextId;
            slots[count++] = sendSlot;
        }

        @Override
        public void releasedCopy(final int flowHandle) {
            released++;
        }
    }

    @Test
    void shouldAllocateNothingForPackets() {
        try (Arena arena = Arena.ofConfined()) {
            // given
            final EndlessDevice device = new EndlessDevice();
            final IpService service =
                    new IpService(
                            device,
                            new OneNode(NODE),
                            new IpSetup(0, Shape.of(2), 1, 65_600, 200_000_000L, FlowRights.ALL));
            final Echo echo =
                    new Echo(new IpDelivery(service, null), arena.allocate(70_000, 64).address());
            final CounterBlock counters = CounterBlock.unpublished(0, 0);
            service.start(echo, counters, (dimension, neighbour) -> true, () -> {});
            // when, then
            Allocations.awaitNone(() -> run(service, device, echo));
            assertEquals(
                    counters.value(CounterType.IP_SENT_PACKETS),
                    counters.value(CounterType.IP_RECEIVED_PACKETS));
            assertTrue(device.written >= PACKETS);
            assertEquals(0, service.usedSlots());
            assertEquals(device.written, echo.released);
            service.close();
            service.free();
        }
    }

    private static void run(final IpService service, final EndlessDevice device, final Echo echo) {
        device.left = PACKETS;
        long nowNs = 1;
        while (device.left > 0 || service.usedSlots() > 0) {
            nowNs += 1_000;
            service.doWork(nowNs);
            echo.turn();
        }
        service.doWork(nowNs);
    }
}
