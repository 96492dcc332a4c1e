package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FlowConfig;
import io.hxb.link.sim.SimFaults;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A context that is closed and opened again while messages are on the way to it, over links that
 * lose, double and reorder frames: what it had released is never reported as lost, what had arrived
 * and was not released always is, and what was sent after it was opened again arrives.
 */
@Tag("simulation")
@Tag("search")
class ContextCloseSimulationTest {
    private static final int SEEDS = Math.max(1, SimSeeds.COUNT / 4);
    private static final int SENDER = 1;
    private static final int RECEIVER = 2;

    @Test
    void shouldReportWhatWasNotReleasedAndNothingElse() {
        SimSeeds.run(
                SEEDS,
                seed -> {
                    final Run run = new Run(seed);
                    run.run();
                    return run;
                },
                ContextCloseSimulationTest::checkAll);
    }

    private static void checkAll(final List<Run> runs) {
        assertTrue(sum(runs, Run::released) > 50L * SEEDS, "few messages were released");
        assertTrue(sum(runs, Run::reported) > SEEDS, "few messages were reported");
        assertTrue(sum(runs, Run::acknowledgedLost) > 0, "no acknowledged message was lost");
        assertTrue(sum(runs, Run::heldBySource) > SEEDS, "no message was left in its frame");
    }

    private static long sum(
            final List<Run> runs, final java.util.function.ToLongFunction<Run> what) {
        return runs.stream().mapToLong(what).sum();
    }

    private static final class Run {
        private final SplittableRandom random;
        private final SimWorld world;
        private final SimContext sender;
        private final Map<Long, Integer> done = new HashMap<>();
        private final Map<Long, Integer> deliveredTo = new HashMap<>();
        private final Set<Long> left = new HashSet<>();
        private final Set<Long> afterOpening = new HashSet<>();
        private final List<Integer> eventsBefore = new ArrayList<>();
        private SimContext receiver;
        private long sent;

        Run(final long seed) {
            random = new SplittableRandom(seed);
            final FlowSetup setup =
                    new FlowSetup(
                            FlowConfig.DEFAULT.withWindowFrames(8 << random.nextInt(4)),
                            new FlowSizes(1_500, 128, 8, 8, 64),
                            random.nextInt(4) == 0 ? -random.nextInt(32) : FlowSetup.RANDOM);
            final SimFaults faults =
                    SimFaults.NONE
                            .withDelay(1_000 + random.nextInt(200_000), random.nextInt(50_000))
                            .withLoss(random.nextDouble() * 0.1, random.nextDouble() * 0.1)
                            .withReordering(
                                    random.nextDouble() * 0.5, 1 + random.nextInt(3_000_000));
            world = new SimWorld(seed, 2, 2, 1 + random.nextInt(2), setup, faults);
            world.peerWaitNs = 60 * SimWorld.SECOND;
            sender = world.open(0, SENDER, 32);
            sender.onDone = done::put;
        }

        void run() {
            try (SimWorld made = world) {
                open();
                for (int round = 0; round < 6; round++) {
                    exchange();
                    close();
                    if (random.nextBoolean()) {
                        send(random.nextInt(3), false);
                        step(random.nextInt(30_000_000));
                    }
                    open();
                }
                send(1, true);
                settle();
                check();
                assertEquals(0, made.leftovers(), "buffers and frames in use at the end");
            }
        }

        private void open() {
            receiver = world.open(1, RECEIVER, 16 + random.nextInt(48));
            receiver.onMessage = this::onMessage;
            receiver.capacityFrames = random.nextInt(3) == 0 ? 4 : 64;
            // What is sent from now on is for the context that is open now.
            send(1 + random.nextInt(3), true);
        }

        private void onMessage(final long stream, final long number) {
            final int incarnation = receiver.incarnation;
            final Integer before = deliveredTo.put(number, incarnation);
            assertTrue(before == null, () -> "message " + number + " came twice");
        }

        private void exchange() {
            // The first ones have to arrive, so that nothing closes the context before.
            final long awaited = sent;
            assertTrue(
                    world.runUntil(
                            () -> deliveredTo.containsKey(awaited),
                            20 * SimWorld.SECOND,
                            this::receive),
                    () ->
                            "message "
                                    + awaited
                                    + " sent after the opening is lost: "
                                    + done.get(awaited)
                                    + " "
                                    + new java.util.TreeMap<>(done)
                                    + sender.statusCounts
                                    + sender.peerStatus
                                    + " left "
                                    + left);
            if (random.nextInt(3) > 0) {
                receiver.send(0, SENDER, 100);
            }
            send(random.nextInt(50), false);
            step(random.nextInt(4_000_000));
            if (random.nextBoolean()) {
                world.runUntil(
                        () -> deliveredTo.containsKey(sent), 20 * SimWorld.SECOND, this::receive);
                receiver.release(Integer.MAX_VALUE);
            }
        }

        private void close() {
            eventsBefore.add(sender.peerEvents);
            receiver.abandon((stream, number) -> left.add(number));
        }

        private void send(final int count, final boolean isAfterOpening) {
            for (int i = 0; i < count && sender.hasFreeSlot(); i++) {
                sender.send(1, RECEIVER, random.nextInt(random.nextBoolean() ? 100 : 1_300));
                sent++;
                if (isAfterOpening) {
                    afterOpening.add(sent);
                }
            }
            if (isAfterOpening && count > 0) {
                assertTrue(sender.hasFreeSlot() || afterOpening.contains(sent) || count > 0);
            }
        }

        private void receive() {
            receiver.release(random.nextInt(3));
            sender.release(Integer.MAX_VALUE);
        }

        private void step(final int timeNs) {
            world.runUntil(
                    () -> false,
                    timeNs + 1L,
                    () -> {
                        if (receiver.isOpen && random.nextInt(4) > 0) {
                            receive();
                        }
                    });
        }

        private void settle() {
            assertTrue(
                    world.runUntil(sender::isIdle, 100 * SimWorld.SECOND, this::receive),
                    "messages neither arrived nor failed");
            world.runUntil(() -> false, 8 * SimWorld.SECOND, this::receive);
            receiver.release(Integer.MAX_VALUE);
        }

        private void check() {
            boolean isUntold = false;
            for (long number = 1; number <= sent; number++) {
                final boolean isOk = done.get(number) == PmStatus.OK;
                final boolean isReleased =
                        deliveredTo.containsKey(number) && !left.contains(number);
                if (isReleased) {
                    assertTrue(isOk, "message " + number + " was released and reported as lost");
                } else {
                    isUntold |= isOk;
                }
                assertTrue(
                        !afterOpening.contains(number) || deliveredTo.containsKey(number),
                        "message " + number + ", sent after the opening, is lost");
            }
            assertTrue(!isUntold || sender.peerEvents > 0, "messages are lost without a word");
        }

        long released() {
            return (long) deliveredTo.size() - left.size();
        }

        long reported() {
            return done.values().stream().filter(status -> status != PmStatus.OK).count();
        }

        long acknowledgedLost() {
            return left.stream().filter(number -> done.get(number) == PmStatus.OK).count();
        }

        long heldBySource() {
            return left.size();
        }
    }
}
