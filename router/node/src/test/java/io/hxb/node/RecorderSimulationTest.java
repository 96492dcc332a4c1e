package io.hxb.node;

import static io.hxb.node.FaultCluster.FAULTLESS;
import static io.hxb.node.FaultCluster.MS;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.FlowConfig;
import io.hxb.config.LinkPlan;
import io.hxb.link.sim.SimFaults;
import io.hxb.recorder.EventEntry;
import io.hxb.recorder.FlightRecorder;
import io.hxb.recorder.RecordedEvent;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** What the flight recorders of nodes hold after faults, in virtual time. */
@Tag("simulation")
class RecorderSimulationTest {
    private static final long SECOND = 1_000 * MS;
    private static final SimFaults WIRES = SimFaults.NONE.withDelay(20_000, 20_000);
    private static final SimFaults CUT = FAULTLESS.withLoss(1, 0);

    private static FaultCluster twoNodes(final long pauseNs) {
        final FaultCluster cluster = new FaultCluster(3, Shape.of(2), 2, pauseNs);
        assertTrue(cluster.runUntil(() -> cluster.disagreement().isEmpty(), 500 * MS));
        return cluster;
    }

    private static List<EventEntry> events(
            final FlightRecorder recorder, final RecordedEvent event) {
        return recorder.recent().stream().filter(entry -> entry.event() == event).toList();
    }

    private static void finish(final FaultCluster cluster) {
        cluster.members.forEach(member -> member.application.isSending = false);
        for (int link = 0; link < 2; link++) {
            cluster.damage(0, 1, link, FAULTLESS);
            cluster.damage(1, 0, link, FAULTLESS);
            cluster.carrier(0, link, true);
        }
        assertTrue(
                cluster.runUntil(() -> cluster.ledger.outstanding() == 0, 10 * SECOND),
                "messages are on the way for ever");
        assertEquals(0, cluster.leftovers(), "buffers not given back");
    }

    private static EventEntry await(final FaultCluster cluster, final RecordedEvent event) {
        final FlightRecorder recorder = cluster.members.get(0).recorder;
        assertTrue(
                cluster.runUntil(() -> !events(recorder, event).isEmpty(), 10 * SECOND),
                () -> event + " is not among " + recorder.recent());
        return events(recorder, event).getFirst();
    }

    @Test
    void shouldRecordALinkThatFallsSilentAndRecovers() {
        try (FaultCluster cluster = twoNodes(MS / 2)) {
            // given
            assertEquals(
                    2, events(cluster.members.get(0).recorder, RecordedEvent.LINK_FOUND).size());
            assertEquals(2, events(cluster.members.get(0).recorder, RecordedEvent.LINK_UP).size());
            // when
            cluster.damage(1, 0, 1, CUT);
            final EventEntry silent = await(cluster, RecordedEvent.LINK_SILENT);
            cluster.damage(1, 0, 1, FAULTLESS);
            final EventEntry recovered = await(cluster, RecordedEvent.LINK_RECOVERED);
            // then
            assertEquals("x.1", silent.report().get("link"));
            assertEquals(1L, silent.report().get("node"));
            final long silenceNs = (long) silent.report().get("silence_ns");
            assertTrue(silenceNs > MS && silenceNs < SECOND, silent::sentence);
            assertEquals(
                    recovered.monotonicNs() - silent.monotonicNs(),
                    recovered.report().get("excluded_ns"));
            finish(cluster);
        }
    }

    @Test
    void shouldRecordALinkTheOtherNodeDoesNotHear() {
        try (FaultCluster cluster = twoNodes(MS / 2)) {
            cluster.damage(0, 1, 1, CUT);
            assertEquals("x.1", await(cluster, RecordedEvent.LINK_REPORTED).report().get("link"));
            finish(cluster);
        }
    }

    @Test
    void shouldRecordHowMuchALossyLinkLoses() {
        try (FaultCluster cluster = twoNodes(MS / 2)) {
            cluster.damage(1, 0, 1, FAULTLESS.withLoss(0.4, 0));
            final EventEntry lossy = await(cluster, RecordedEvent.LINK_LOSSY);
            final double percent = (double) lossy.report().get("lost_percent");
            assertTrue(percent > 15 && percent < 70, lossy::sentence);
            finish(cluster);
        }
    }

    @Test
    void shouldRecordALostCarrier() {
        try (FaultCluster cluster = twoNodes(MS / 2)) {
            cluster.carrier(0, 1, false);
            await(cluster, RecordedEvent.LINK_NO_CARRIER);
            assertEquals("x.1", await(cluster, RecordedEvent.LINK_DOWN).report().get("link"));
            finish(cluster);
        }
    }

    @Test
    void shouldRecordANeighbourThatStandsStillAndOneThatRestarts() {
        try (FaultCluster cluster = twoNodes(10 * MS)) {
            // when
            cluster.freeze(1, 3 * SECOND);
            // then
            await(cluster, RecordedEvent.LINK_UNANSWERED);
            assertEquals(
                    List.of(),
                    events(cluster.members.get(0).recorder, RecordedEvent.DETOUR_USED),
                    "there is only one way to a neighbour");
            final EventEntry lost = await(cluster, RecordedEvent.TRUNK_LOST);
            assertEquals("x", lost.report().get("dimension"));
            // and when
            await(cluster, RecordedEvent.LINK_RECOVERED);
            assertTrue(
                    events(cluster.members.get(0).recorder, RecordedEvent.NEIGHBOUR_RESTARTED)
                            .isEmpty());
            cluster.restart(1);
            // then
            assertEquals(
                    1L, await(cluster, RecordedEvent.NEIGHBOUR_RESTARTED).report().get("node"));
            finish(cluster);
        }
    }

    @Test
    void shouldRecordLateTurnsAndWakeUps() {
        try (FaultCluster cluster = twoNodes(MS / 2)) {
            // given a turn of 5 ms, which is nothing
            final SimLoop turns = cluster.members.get(0).turns;
            turns.longTurns++;
            turns.overrunNs += 3 * MS;
            cluster.runUntil(() -> false, 10 * MS);
            // when
            turns.longTurns++;
            turns.overrunNs += 20 * MS;
            turns.lateWakeUps++;
            turns.lateNs = 15 * MS;
            // then
            final EventEntry late = await(cluster, RecordedEvent.TURN_LATE);
            assertEquals(22 * MS, late.report().get("duration_ns"));
            assertEquals(
                    15 * MS, await(cluster, RecordedEvent.WAKE_UP_LATE).report().get("late_ns"));
            assertEquals(
                    1, events(cluster.members.get(0).recorder, RecordedEvent.TURN_LATE).size());
            finish(cluster);
        }
    }

    @Test
    void shouldRecordDetoursAndDestinationsWithoutARoute() {
        try (SimCluster cluster = new SimCluster(0, Shape.of(2, 2), 1, WIRES, 1_024)) {
            // given
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "neighbours");
            final FlightRecorder recorder = cluster.members.get(0).recorder;
            cluster.members.forEach(member -> member.application.mayEnd = true);
            final SimApplication source = cluster.members.get(0).application;
            source.targets = new int[] {1};
            source.toSend = Long.MAX_VALUE;
            assertTrue(cluster.runUntil(() -> source.done > 100, SECOND), "first part");
            assertEquals(List.of(), events(recorder, RecordedEvent.DETOUR_USED));
            // when
            cluster.cutTrunk(0, 0, true);
            // then
            await(cluster, recorder, RecordedEvent.DETOUR_USED);
            // and when
            cluster.cutTrunk(0, 0, false);
            await(cluster, recorder, RecordedEvent.ROUTE_RETURNED);
            cluster.cutTrunk(0, 0, true);
            cluster.cutTrunk(0, 1, true);
            // then
            await(cluster, recorder, RecordedEvent.CUT_OFF);
            await(cluster, recorder, RecordedEvent.PEER_UNREACHABLE);
            source.toSend = source.sent;
            cluster.leftovers();
        }
    }

    @Test
    void shouldRecordMessagesThatWaitLongForTheirWindow() {
        final ClusterConfig config =
                ClusterConfig.of("sim", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, 20_000))
                        .withContext(new ContextConfig(SimHardware.CONTEXTS, 0))
                        .withFlow(FlowConfig.DEFAULT.withWindowFrames(16))
                        .withFrame(SimCluster.FRAME);
        try (SimCluster cluster = new SimCluster(0, config, WIRES, 1_024, SimApplication.SLOTS)) {
            // given
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "neighbours");
            final FlightRecorder recorder = cluster.members.get(0).recorder;
            final SimApplication source = cluster.members.get(0).application;
            source.targets = new int[] {1};
            source.toSend = Long.MAX_VALUE;
            assertTrue(cluster.runUntil(() -> source.done > 100, SECOND), "first part");
            // when the receiver stands still
            cluster.members.get(1).isDead = true;
            cluster.runUntil(() -> false, 300 * MS);
            assertEquals(List.of(), events(recorder, RecordedEvent.WINDOW_STALLED));
            cluster.members.get(1).isDead = false;
            // then
            final EventEntry stalled = await(cluster, recorder, RecordedEvent.WINDOW_STALLED);
            assertTrue((long) stalled.report().get("stall_ns") > 100 * MS, stalled::sentence);
            final EventEntry timedOut =
                    await(cluster, recorder, RecordedEvent.RETRANSMISSION_TIMED_OUT);
            assertEquals(1L, timedOut.report().get("node"));
            assertTrue((long) timedOut.report().get("frames") > 0, timedOut::sentence);
            source.toSend = source.sent;
            cluster.leftovers();
        }
    }

    private static EventEntry await(
            final SimCluster cluster, final FlightRecorder recorder, final RecordedEvent event) {
        assertTrue(
                cluster.runUntil(() -> !events(recorder, event).isEmpty(), 10 * SECOND),
                () -> event + " is not among " + recorder.recent());
        return events(recorder, event).getFirst();
    }
}
