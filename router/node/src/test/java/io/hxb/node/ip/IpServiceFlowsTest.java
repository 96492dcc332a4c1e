package io.hxb.node.ip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.FlowRights;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.tap.PacketDevice;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Which of the two flows to a node a connection takes, and when it changes. */
@Tag("unit")
class IpServiceFlowsTest {
    private static final int NODE = 1;
    private static final int SHORT = IpService.SHORT_END;
    private static final int BULK = IpService.BULK_END;
    private static final int LONG_BYTES = 9_000;
    private static final int SHORT_BYTES = 100;
    private static final long REPAIR_NS = 200_000_000;

    private final Device device = new Device();
    private final Flows flows = new Flows();
    private final CounterBlock counters = CounterBlock.unpublished(0, 0);
    private IpService service;
    private IpDelivery delivery;
    private long nowNs = 1;

    /** What the machine sends: by packet its port and length. */
    private static final class Device implements PacketDevice {
        final ArrayDeque<int[]> packets = new ArrayDeque<>();

        @Override
        public int descriptor() {
            return -1;
        }

        @Override
        public int read(final long address, final int lengthBytes) {
            final int[] packet = packets.poll();
            if (packet == null) {
                return 0;
            }
            Memory.fill(address, 64, 0);
            Memory.putShortBigEndian(address + 22, PacketHeaders.IPV4);
            Memory.putByte(address + 24, 0x45);
            Memory.putByte(address + 33, PacketHeaders.UDP);
            Memory.putInt(address + 44, packet[0]);
            return packet[1];
        }

        @Override
        public int write(final long address, final int lengthBytes) {
            return lengthBytes;
        }

        @Override
        public int mtuBytes() {
            return 65_000;
        }

        @Override
        public void close() {}
    }

    private record Sent(int end, int slot, int port, int lengthBytes) {}

    /** Flows that keep what they get. */
    private static final class Flows extends TestFlows {
        final List<Sent> sent = new ArrayList<>();
        final List<Integer> ended = new ArrayList<>();
        long waitingBytes;

        @Override
        public void submitOrReport(
                final int contextId,
                final int sendSlot,
                final int destinationNode,
                final int destinationContext,
                final long payloadAddress,
                final int lengthBytes,
                final int tag) {
            assertEquals(NODE, destinationNode);
            assertEquals(contextId, destinationContext);
            sent.add(
                    new Sent(contextId, sendSlot, Memory.getInt(payloadAddress + 44), lengthBytes));
        }

        @Override
        public long waitingBytes(final int id, final int node, final int context) {
            return id == BULK ? waitingBytes : 0;
        }

        @Override
        public void endFlow(final int id, final int node, final int context) {
            ended.add(id);
        }
    }

    @BeforeEach
    void start() {
        service =
                new IpService(
                        device,
                        new OneNode(NODE),
                        new IpSetup(0, Shape.of(2), 1, 65_600, REPAIR_NS, FlowRights.ALL));
        delivery = new IpDelivery(service, null);
        service.start(flows, counters, (dimension, neighbour) -> true, () -> {});
    }

    @AfterEach
    void close() {
        service.close();
        service.free();
    }

    private void offer(final int port, final int lengthBytes) {
        device.packets.add(new int[] {port, lengthBytes});
    }

    /** Lets some time pass and the service work; what it has sent. */
    private List<Sent> after(final long ns) {
        nowNs += ns;
        final int before = flows.sent.size();
        service.doWork(nowNs);
        service.doWork(nowNs);
        return List.copyOf(flows.sent.subList(before, flows.sent.size()));
    }

    private void done(final Sent sent, final int status) {
        delivery.onSendDone(sent.end, sent.slot, status);
    }

    private static List<Integer> ends(final List<Sent> sent) {
        return sent.stream().map(Sent::end).toList();
    }

    @Test
    void shouldSendShortPacketsWhileTheOtherFlowIsFull() {
        // given
        flows.waitingBytes = 1 << 20;
        // when
        offer(1, LONG_BYTES);
        offer(2, SHORT_BYTES);
        // then
        final List<Sent> sent = after(1);
        assertEquals(List.of(SHORT), ends(sent));
        assertEquals(2, sent.getFirst().port);
        assertEquals(1, counters.value(CounterType.IP_SENT_SHORT_PACKETS));
        // when
        flows.waitingBytes = 0;
        // then
        assertEquals(List.of(BULK), ends(after(1)));
        assertEquals(2, counters.value(CounterType.IP_SENT_PACKETS));
        assertEquals(1, counters.value(CounterType.IP_SENT_SHORT_PACKETS));
    }

    @Test
    void shouldChangeTheFlowOfAConnectionOnceItsPacketsHaveArrived() {
        // given
        offer(1, SHORT_BYTES);
        final Sent first = after(1).getFirst();
        assertEquals(SHORT, first.end);
        // when
        offer(1, LONG_BYTES);
        offer(1, SHORT_BYTES);
        // then
        assertEquals(List.of(), after(1_000));
        done(first, PmStatus.OK);
        final List<Sent> rest = after(1_000);
        assertEquals(List.of(BULK, BULK), ends(rest));
        assertEquals(LONG_BYTES, rest.getFirst().lengthBytes);
        assertEquals(1, counters.value(CounterType.IP_FLOW_CHANGES_EVENTS));
    }

    @Test
    void shouldWaitForEarlierPacketsOfOthersThatTheFlowHandsOverFirst() {
        // given
        offer(2, SHORT_BYTES);
        offer(1, SHORT_BYTES);
        final List<Sent> both = after(1);
        // when the later one is acknowledged alone, it may still wait for the earlier one there
        done(both.get(1), PmStatus.OK);
        offer(1, LONG_BYTES);
        // then
        assertEquals(List.of(), after(1_000));
        done(both.get(0), PmStatus.OK);
        assertEquals(List.of(BULK), ends(after(1_000)));
    }

    @Test
    void shouldGoBackToTheShortFlowAfterSomeTimeWithoutLongPackets() {
        // given
        offer(1, LONG_BYTES);
        final Sent first = after(1).getFirst();
        done(first, PmStatus.OK);
        // when
        offer(1, SHORT_BYTES);
        final Sent soon = after(PacketQueue.BULK_NS / 2).getFirst();
        offer(1, SHORT_BYTES);
        final List<Sent> later = after(PacketQueue.BULK_NS);
        // then
        assertEquals(BULK, soon.end);
        assertEquals(List.of(), later, "the one before is on the way");
        done(soon, PmStatus.OK);
        assertEquals(List.of(SHORT), ends(after(1_000)));
    }

    @Test
    void shouldTakeTheBulkFlowForManyShortPackets() {
        // given
        final int fitting = PacketQueue.LITTLE_BYTES / 1_500;
        for (int i = 0; i < fitting; i++) {
            offer(1, 1_500);
        }
        final List<Sent> some = after(1);
        // when
        offer(1, 1_500);
        offer(1, 1_500);
        assertEquals(List.of(), after(1_000));
        some.forEach(each -> done(each, PmStatus.OK));
        // then
        assertEquals(fitting, some.stream().filter(each -> each.end == SHORT).count());
        assertEquals(List.of(BULK, BULK), ends(after(1_000)));
    }

    @Test
    void shouldStayOnAFlowThatHasEndedUntilItCarriesSomethingAgain() {
        // given
        offer(1, SHORT_BYTES);
        final Sent lost = after(1).getFirst();
        offer(1, LONG_BYTES);
        assertEquals(List.of(), after(1_000));
        // when the flow ends, what was lost may still arrive until the flow has begun again
        done(lost, PmStatus.PEER_UNREACHABLE);
        final List<Sent> next = after(1_000);
        assertEquals(List.of(SHORT), ends(next));
        assertEquals(LONG_BYTES, next.getFirst().lengthBytes);
        done(next.getFirst(), PmStatus.OK);
        // then
        offer(1, LONG_BYTES);
        assertEquals(List.of(BULK), ends(after(1_000)));
    }

    @Test
    void shouldEndOnlyTheFlowThatIsStuck() {
        // given
        offer(1, LONG_BYTES);
        assertEquals(List.of(BULK), ends(after(1)));
        // when
        for (int i = 0; i < 20; i++) {
            offer(2, SHORT_BYTES);
            for (final Sent sent : after(REPAIR_NS / 10)) {
                assertEquals(SHORT, sent.end);
                done(sent, PmStatus.OK);
            }
        }
        // then
        assertTrue(flows.ended.contains(BULK), "given up");
        assertTrue(!flows.ended.contains(SHORT), "the other one goes on");
        assertEquals(20, counters.value(CounterType.IP_SENT_SHORT_PACKETS));
        assertTrue(counters.value(CounterType.IP_GAPS_EVENTS) > 0);
    }

    @Test
    void shouldDropOnlyPacketsOfTheFlowThatIsRefused() {
        // given
        offer(1, LONG_BYTES);
        final Sent refused = after(1).getFirst();
        // when
        done(refused, PmStatus.PEER_FULL);
        offer(1, LONG_BYTES);
        offer(2, SHORT_BYTES);
        // then
        assertEquals(List.of(SHORT), ends(after(1_000)));
        assertEquals(2, counters.value(CounterType.IP_DROPPED_UNREACHABLE_PACKETS));
        // when it is tried again
        offer(1, LONG_BYTES);
        // then
        assertEquals(List.of(BULK), ends(after(REPAIR_NS)));
    }

    @Test
    void shouldForgetPacketsThatWaitForTheirFlowToChange() {
        // given
        offer(1, SHORT_BYTES);
        final Sent first = after(1).getFirst();
        offer(1, LONG_BYTES);
        assertEquals(List.of(), after(1_000));
        // when
        assertEquals(List.of(), after(2 * REPAIR_NS));
        assertEquals(1, service.usedSlots(), "the one on the way");
        done(first, PmStatus.OK);
        // then
        offer(1, LONG_BYTES);
        assertEquals(List.of(BULK), ends(after(1_000)));
    }
}
