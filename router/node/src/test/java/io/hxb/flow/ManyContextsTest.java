package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.link.sim.SimFaults;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

/** What is guaranteed to contexts while up to a thousand of them open and close. */
@Tag("simulation")
class ManyContextsTest {
    private static final int CONTEXTS = 1_024;
    private static final int BUFFERS = 4_096;
    private static final int APPLICATION_BUFFERS = 3_072;
    private static final int QUOTA_FRAMES = BUFFERS / 4;
    private static final int MESSAGE_BYTES = 1_400;
    private static final CreditSizes SHARES = CreditSizes.of(APPLICATION_BUFFERS, CONTEXTS + 1);

    private static SimWorld world(final int loops) {
        final FlowSizes sizes =
                new FlowSizes(1_500, 512, 8, CONTEXTS + 1, 8_192)
                        .withReservedBuffers(BUFFERS - APPLICATION_BUFFERS);
        return new SimWorld(7, 2, 1, loops, new FlowSetup(sizes), SimFaults.NONE, BUFFERS);
    }

    private static ContextCredit credit(final SimWorld world, final int contextId) {
        return world.nodes.get(1).table.context(contextId).credit;
    }

    /** All loops have seen what was opened and closed. */
    private static void settle(final SimWorld world) {
        world.run(SimWorld.MILLISECOND);
        world.nodes.get(1).loops.forEach(loop -> loop.doWork(world.nowNs()));
        world.nodes.get(1).loops.forEach(loop -> loop.doWork(world.nowNs()));
    }

    private static int part(final int open) {
        return 1 + SHARES.partFrames(open);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldGuaranteeEqualPartsToThoseThatAreOpen(final int loops) {
        try (SimWorld world = world(loops)) {
            final GuaranteePool guarantees = world.nodes.get(1).table.guarantees();
            for (int round = 0; round < 2; round++) {
                // when they open
                for (int id = 1; id <= CONTEXTS; id++) {
                    world.open(1, id, QUOTA_FRAMES);
                    assertTrue(credit(world, id).guaranteedFrames() >= 1, id + " has nothing");
                    if (Integer.bitCount(id) == 1) {
                        settle(world);
                        // then each has the same, more while few are open
                        for (int other = 1; other <= id; other++) {
                            assertEquals(
                                    part(id),
                                    credit(world, other).guaranteedFrames(),
                                    other + " of " + id);
                        }
                    }
                    assertTrue(guarantees.takenFrames() <= SHARES.dividedFrames());
                }
                assertEquals(13, part(64));
                assertEquals(1, part(CONTEXTS));
                // when all but ten close
                for (int id = CONTEXTS; id > 10; id--) {
                    world.nodes.get(1).contexts.get(id).close();
                }
                settle(world);
                // then those have more again
                assertEquals(13, credit(world, 1).guaranteedFrames());
                assertEquals(10 * 12, guarantees.takenFrames());
                for (int id = 10; id > 0; id--) {
                    world.nodes.get(1).contexts.get(id).close();
                }
                assertEquals(0, guarantees.takenFrames());
            }
        }
    }

    @Test
    void shouldLeaveToAContextWhatItHoldsAndStillServeAllOthers() {
        try (SimWorld world = world(1)) {
            // given: contexts that take nothing, and hold all that they are given
            final List<SimContext> stuck = new ArrayList<>();
            for (int id = 1; id <= 64; id++) {
                world.open(0, id, QUOTA_FRAMES);
                stuck.add(world.open(1, id, QUOTA_FRAMES));
                stuck.getLast().capacityFrames = Integer.MAX_VALUE;
            }
            world.runUntil(
                    () -> false,
                    60 * SimWorld.MILLISECOND,
                    () -> stuck.forEach(sink -> fill(world, sink.id)));
            final int[] held = stuck.stream().mapToInt(SimContext::heldFrames).toArray();
            // when a thousand more are opened
            final List<SimContext> others = new ArrayList<>();
            for (int id = 65; id <= CONTEXTS; id++) {
                world.open(0, id, QUOTA_FRAMES);
                others.add(world.open(1, id, QUOTA_FRAMES));
                assertTrue(credit(world, id).guaranteedFrames() >= 1);
            }
            // then every one of them receives, again and again
            final boolean haveAll =
                    world.runUntil(
                            () -> others.stream().allMatch(sink -> sink.received >= 20),
                            20 * SimWorld.SECOND,
                            () ->
                                    others.forEach(
                                            sink -> {
                                                if (sink.received < 20) {
                                                    fill(world, sink.id);
                                                }
                                                sink.release(Integer.MAX_VALUE);
                                            }));
            assertTrue(
                    haveAll,
                    () -> others.stream().filter(sink -> sink.received < 20).count() + " starve");
            // and those that hold frames have what they had
            for (int i = 0; i < held.length; i++) {
                assertTrue(stuck.get(i).heldFrames() >= held[i]);
                final ContextCredit credit = credit(world, stuck.get(i).id);
                assertTrue(credit.committedFrames() >= held[i]);
            }
            final int all = stuck.stream().mapToInt(SimContext::heldFrames).sum();
            assertTrue(all <= APPLICATION_BUFFERS - CONTEXTS, all + " held");
            // and when they take theirs, everything goes back
            world.runUntil(
                    () -> false,
                    500 * SimWorld.MILLISECOND,
                    () -> {
                        stuck.forEach(sink -> sink.release(Integer.MAX_VALUE));
                        others.forEach(sink -> sink.release(Integer.MAX_VALUE));
                    });
            assertEquals(0, world.leftovers(), "buffers and frames in use");
            assertEquals(0, world.nodes.get(1).table.credit().lentFrames());
        }
    }

    private static void fill(final SimWorld world, final int id) {
        final SimContext source = world.nodes.get(0).contexts.get(id);
        while (source.hasFreeSlot()) {
            source.send(1, id, MESSAGE_BYTES);
        }
    }
}
