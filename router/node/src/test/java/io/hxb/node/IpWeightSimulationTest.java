package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.IpConfig;
import io.hxb.link.sim.SimFaults;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

/** How packets of virtual NICs and messages of programs share a full link, in virtual time. */
@Tag("simulation")
class IpWeightSimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long MILLISECOND = 1_000_000L;
    private static final long RATE_BPS = 1_000_000_000L;
    private static final long RUN_NS = 60 * MILLISECOND;
    private static final int PACKET_BYTES = 8_900;
    private static final int MESSAGE_BYTES = 8_900;
    private static final int LONGEST_BYTES = 65_000;
    private static final int REQUEST_PORT = 7;

    /** Packets that wait for a node at any time, as many as connections would have on the way. */
    private static final int WAITING_PACKETS = 100;

    /** Two nodes and the link between them, which is full. */
    private static final class FullLink implements AutoCloseable {
        final IpCluster cluster;
        final long[] packetBytes = new long[2];
        private final int[] bytesOfPackets = new int[2];
        private int requests;

        FullLink(final int weight, final int contexts, final int queueFrames, final long rateBps) {
            cluster =
                    new IpCluster(
                            1,
                            Shape.of(2),
                            SimFaults.NONE.withDelay(20_000, 0).withRate(rateBps, queueFrames),
                            IpConfig.DEFAULT.withWeight(weight));
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "neighbours");
            for (final IpCluster.Member member : cluster.members) {
                member.programs.open(member.loop.flows(), contexts, LONGEST_BYTES);
            }
        }

        FullLink(final int weight) {
            this(weight, 1, 16, RATE_BPS);
        }

        /** One node sends to the other without end; 0 for nothing of a kind. */
        FullLink with(final int from, final int bytesOfEachPacket, final int bytesOfEachMessage) {
            bytesOfPackets[from] = bytesOfEachPacket;
            final SimProgram programs = cluster.members.get(from).programs;
            programs.messageBytes = bytesOfEachMessage;
            programs.target = bytesOfEachMessage > 0 ? 1 - from : -1;
            return this;
        }

        void run(final long timeNs) {
            cluster.runUntil(this::step, timeNs);
        }

        /** Runs until a number of requests has arrived. */
        boolean runUntilRequests(final int count, final long limitNs) {
            return cluster.runUntil(() -> step() || requests >= count, limitNs);
        }

        private boolean step() {
            for (int node = 0; node < 2; node++) {
                final IpCluster.Member member = cluster.members.get(node);
                if (bytesOfPackets[node] > 0) {
                    offer(member, node);
                }
                for (final byte[] packet : member.device.arrived) {
                    packetBytes[node] += packet.length;
                    requests += SimPackets.port(packet) == REQUEST_PORT ? 1 : 0;
                }
                member.device.arrived.clear();
            }
            return false;
        }

        private void offer(final IpCluster.Member member, final int node) {
            final int waiting = member.service.usedSlots() + member.device.outgoing.size();
            for (int number = waiting; number < WAITING_PACKETS; number++) {
                member.device.outgoing.add(
                        SimPackets.packet(node, 1 - node, 1_000, number, bytesOfPackets[node]));
            }
        }

        void request(final int from) {
            cluster.members
                    .get(from)
                    .device
                    .outgoing
                    .add(SimPackets.packet(from, 1 - from, REQUEST_PORT, 0, 100));
        }

        SimProgram programs(final int node) {
            return cluster.members.get(node).programs;
        }

        long messageBytes(final int node) {
            return Arrays.stream(programs(node).receivedBytes).sum();
        }

        /** Bytes of packets for each byte of messages that a node got. */
        double share(final int node) {
            return packetBytes[node] / (double) messageBytes(node);
        }

        @Override
        public void close() {
            cluster.close();
        }
    }

    private static void assertShare(final int weight, final double share, final String what) {
        assertEquals(1, share / weight * 100, 0.05, () -> "weight " + weight + ", " + what);
    }

    @Test
    void shouldShareAFullLinkByWeightInBothDirections() {
        for (final int weight : new int[] {25, 100, 400}) {
            // given
            try (FullLink link =
                    new FullLink(weight)
                            .with(0, PACKET_BYTES, MESSAGE_BYTES)
                            .with(1, PACKET_BYTES, MESSAGE_BYTES)) {
                // when
                link.run(2 * RUN_NS);
                // then
                assertShare(weight, link.share(0), "to node 0");
                assertShare(weight, link.share(1), "to node 1");
            }
        }
    }

    @Test
    void shouldShareByBytesWhateverTheFramesHold() {
        for (final int[] bytes : new int[][] {{60_000, 8_000}, {8_900, 1_400}, {1_400, 60_000}}) {
            // given
            try (FullLink link = new FullLink(100).with(0, bytes[0], bytes[1])) {
                // when
                link.run(2 * RUN_NS);
                // then
                assertShare(100, link.share(1), Arrays.toString(bytes));
            }
        }
    }

    @Test
    void shouldShareByKindHoweverManyProgramsSend() {
        // given
        try (FullLink link = new FullLink(100, 5, 16, RATE_BPS)) {
            link.with(0, PACKET_BYTES, MESSAGE_BYTES);
            // when
            link.run(2 * RUN_NS);
            // then
            assertShare(100, link.share(1), "all programs");
            final long each = link.messageBytes(1) / 5;
            for (int i = 0; i < 5; i++) {
                final long bytes = link.programs(1).receivedBytes[SimProgram.FIRST_CONTEXT + i];
                assertEquals(1, bytes / (double) each, 0.25, "program " + i);
            }
        }
    }

    @Test
    void shouldGiveEverythingToTheKindThatSendsAlone() {
        final double fullBytes = RATE_BPS / 8.0 * RUN_NS / SECOND;
        for (final boolean isOfPackets : new boolean[] {true, false}) {
            // given a weight by which it would get next to nothing
            try (FullLink link = new FullLink(isOfPackets ? 1 : 10_000)) {
                link.with(0, isOfPackets ? PACKET_BYTES : 0, isOfPackets ? 0 : MESSAGE_BYTES);
                // when
                link.run(RUN_NS);
                // then
                final long bytes = isOfPackets ? link.packetBytes[1] : link.messageBytes(1);
                assertTrue(bytes > 0.95 * fullBytes, bytes + " of " + fullBytes);
            }
        }
    }

    @Test
    void shouldLetNeitherKindStarve() {
        for (final int weight : new int[] {1, 10_000}) {
            // given
            try (FullLink link = new FullLink(weight)) {
                link.with(0, PACKET_BYTES, MESSAGE_BYTES);
                // when
                for (int i = 0; i < 2; i++) {
                    final long packets = link.packetBytes[1];
                    final long messages = link.messageBytes(1);
                    link.run(5 * RUN_NS);
                    // then
                    assertTrue(link.packetBytes[1] > packets, "packets, weight " + weight);
                    assertTrue(link.messageBytes(1) > messages, "messages, weight " + weight);
                }
            }
        }
    }

    @Test
    void shouldReturnToTheShareSoonAfterOneKindWasSilent() {
        for (final boolean isOfPackets : new boolean[] {true, false}) {
            // given
            try (FullLink link = new FullLink(100)) {
                link.with(0, isOfPackets ? PACKET_BYTES : 0, isOfPackets ? 0 : MESSAGE_BYTES);
                link.run(5 * RUN_NS);
                // when the other begins
                link.with(0, PACKET_BYTES, MESSAGE_BYTES);
                final long packets = link.packetBytes[1];
                final long messages = link.messageBytes(1);
                link.run(RUN_NS);
                // then it is not owed what it did not send
                final double share =
                        (link.packetBytes[1] - packets)
                                / (double) (link.messageBytes(1) - messages);
                assertEquals(1, share, 0.5, "packets were first: " + isOfPackets);
            }
        }
    }

    @Test
    void shouldSendSparseFlowsFirstWhateverTheWeight() {
        // given a request of the kind that has a hundredth of the link
        try (FullLink link = new FullLink(1).with(0, PACKET_BYTES, MESSAGE_BYTES)) {
            link.run(RUN_NS);
            // when
            for (int count = 1; count <= 5; count++) {
                link.request(0);
                // then
                assertTrue(link.runUntilRequests(count, 5 * MILLISECOND), "packet " + count);
            }
        }
        // given
        try (FullLink link = new FullLink(10_000).with(0, PACKET_BYTES, MESSAGE_BYTES)) {
            final int context = SimProgram.FIRST_CONTEXT + 1;
            link.programs(0).send(context, 1, 100);
            link.run(RUN_NS);
            final long[] received = link.programs(1).receivedBytes;
            for (int count = 2; count <= 6; count++) {
                // when
                link.programs(0).send(context, 1, 100);
                link.run(5 * MILLISECOND);
                // then
                assertEquals(100L * count, received[context]);
            }
        }
    }

    @Test
    void shouldKeepTheShareWhereLinksTakeMuchAtOnce() {
        for (final int weight : new int[] {25, 100, 400}) {
            // given a fast link, and a loop that comes late, so that it finds much room each time
            try (FullLink link = new FullLink(weight, 5, 128, 10 * RATE_BPS)) {
                link.with(0, PACKET_BYTES, MESSAGE_BYTES);
                final IpCluster.Member sender = link.cluster.members.get(0);
                // when
                for (int i = 0; i < 100; i++) {
                    sender.isStopped = true;
                    link.run(MILLISECOND);
                    sender.isStopped = false;
                    link.run(MILLISECOND / 50);
                }
                // then
                assertShare(weight, link.share(1), "late");
            }
        }
    }
}
