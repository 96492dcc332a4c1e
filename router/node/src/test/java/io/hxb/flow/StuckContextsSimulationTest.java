package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.link.sim.SimFaults;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Contexts that do not release what they get stall the flows to themselves and no others. */
@Tag("simulation")
class StuckContextsSimulationTest {
    private static final int STUCK_CONTEXTS = 60;
    private static final int VICTIM = 61;
    private static final int BUFFERS = 4_096;
    private static final int QUOTA_FRAMES = BUFFERS / 4;
    private static final int RESERVED_BUFFERS = 768;
    private static final int MESSAGE_BYTES = 1_400;
    private static final long MEASURED_NS = 30 * SimWorld.MILLISECOND;
    private static final long RATE_BPS = 1_000_000_000;

    private static SimWorld world(final int loops) {
        final FlowSizes sizes =
                new FlowSizes(1_500, 512, 8, 64, 256).withReservedBuffers(RESERVED_BUFFERS);
        return new SimWorld(
                7,
                2,
                1,
                loops,
                new FlowSetup(sizes),
                SimFaults.NONE.withRate(RATE_BPS, 256),
                BUFFERS);
    }

    @Test
    void shouldKeepItsThroughputBesideContextsThatNeverRelease() {
        final long alone = throughputAlone();
        for (final int loops : new int[] {1, 3}) {
            try (SimWorld world = world(loops)) {
                // given
                final List<SimContext> stuck = stuckContexts(world, 0);
                // when
                final long beside = throughput(world);
                // then
                assertTrue(beside >= 0.9 * alone, beside + " beside them, " + alone + " alone");
                check(world, stuck);
            }
        }
    }

    @Test
    void shouldKeepItsThroughputBesideContextsThatStopOnceTheyAreFast() {
        final long alone = throughputAlone();
        try (SimWorld world = world(1)) {
            // given: the first of them have earned all the credit there is
            final List<SimContext> stuck = stuckContexts(world, 6);
            // when
            final long beside = throughput(world);
            // then
            assertTrue(beside >= 0.9 * alone, beside + " beside them, " + alone + " alone");
            check(world, stuck);
        }
    }

    private static long throughputAlone() {
        try (SimWorld world = world(1)) {
            return throughput(world);
        }
    }

    // Sources and sinks have the same numbers: on node 0 and on node 1.
    private static List<SimContext> stuckContexts(final SimWorld world, final int fast) {
        final List<SimContext> stuck = new ArrayList<>();
        for (int id = 1; id <= STUCK_CONTEXTS; id++) {
            final int number = id;
            final SimContext source = world.open(0, id, QUOTA_FRAMES);
            final SimContext sink = world.open(1, id, QUOTA_FRAMES);
            sink.capacityFrames = Integer.MAX_VALUE;
            stuck.add(sink);
            if (number <= fast) {
                world.runUntil(
                        () -> sink.received >= 2 * QUOTA_FRAMES,
                        SimWorld.SECOND,
                        () -> {
                            fill(source);
                            sink.release(Integer.MAX_VALUE);
                        });
                world.runUntil(() -> false, 10 * SimWorld.MILLISECOND, () -> fill(source));
            }
        }
        world.runUntil(
                () -> false,
                60 * SimWorld.MILLISECOND,
                () -> stuck.forEach(sink -> fill(world.nodes.get(0).contexts.get(sink.id))));
        stuck.forEach(sink -> assertTrue(sink.heldFrames() > 0, "it is stuck"));
        return stuck;
    }

    private static long throughput(final SimWorld world) {
        final SimContext source = world.open(0, VICTIM, QUOTA_FRAMES);
        final SimContext sink = world.open(1, VICTIM, QUOTA_FRAMES);
        sink.capacityFrames = Integer.MAX_VALUE;
        world.runUntil(
                () -> false,
                MEASURED_NS,
                () -> {
                    fill(source);
                    sink.release(Integer.MAX_VALUE);
                });
        assertEquals(0, source.errors());
        return sink.received;
    }

    private static void fill(final SimContext source) {
        while (source.hasFreeSlot()) {
            source.send(1, source.id, MESSAGE_BYTES);
        }
    }

    private static void check(final SimWorld world, final List<SimContext> stuck) {
        final SimNode node = world.nodes.get(1);
        final int held = stuck.stream().mapToInt(SimContext::heldFrames).sum();
        assertTrue(
                held <= node.pool.bufferCount() - RESERVED_BUFFERS,
                held + " of " + node.pool.bufferCount() + " buffers are held");
        for (final SimNode each : world.nodes) {
            each.contexts.values().forEach(context -> assertEquals(0, context.errors()));
        }
        // All of them receive again, so nothing was lost.
        world.runUntil(
                () -> false,
                100 * SimWorld.MILLISECOND,
                () -> stuck.forEach(context -> context.release(Integer.MAX_VALUE)));
        stuck.forEach(
                context ->
                        assertTrue(
                                world.nodes.get(0).contexts.get(context.id).isIdle(),
                                "what was sent to context " + context.id + " has arrived"));
        assertEquals(0, world.leftovers(), "buffers and frames in use");
        assertEquals(0, node.table.credit().lentFrames(), "frames lent");
    }
}
