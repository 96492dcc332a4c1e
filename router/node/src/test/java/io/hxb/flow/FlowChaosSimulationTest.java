package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FlowConfig;
import io.hxb.link.sim.SimLink;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/**
 * Applications that come and go, links that are cut for longer than a peer is waited for: flows
 * end, but nothing is doubled, reordered or lost without a report, and in the end all go on.
 */
@Tag("simulation")
@Tag("search")
class FlowChaosSimulationTest {
    private static final int SEEDS = Math.max(1, SimSeeds.COUNT / 5);

    @Test
    void shouldReportWhatIsLostWhenPeersRestartAndLinksAreCut() {
        SimSeeds.run(
                SEEDS,
                seed -> {
                    final Run run = new Run(seed);
                    run.run();
                    return new Counts(run.restarted, run.unreachable);
                },
                FlowChaosSimulationTest::checkAll);
    }

    private static void checkAll(final List<Counts> runs) {
        assertTrue(
                runs.stream().anyMatch(run -> run.restarted > 0),
                "no flow met a peer that restarted");
        assertTrue(runs.stream().anyMatch(run -> run.unreachable > 0), "no flow met a silent peer");
    }

    /** How many messages failed because their peer had restarted, or was silent. */
    private record Counts(long restarted, long unreachable) {}

    private static final class Run extends SimApplications {
        private long restarted;
        private long unreachable;
        private boolean isQuiet;
        private long nextSendNs;

        Run(final long seed) {
            super(seed, 1_000_000);
        }

        @Override
        FlowSetup setup() {
            return new FlowSetup(
                    FlowConfig.DEFAULT
                            .withWindowFrames(4 << random.nextInt(6))
                            .withPeerTimeoutNs(400 * SimWorld.MILLISECOND),
                    new FlowSizes(1_500, 128, 8, 8, 64),
                    random.nextInt(4) == 0 ? -random.nextInt(32) : FlowSetup.RANDOM);
        }

        @Override
        void live() {
            nextSendNs = world().nowNs();
            disturb();
            settle();
            goOn();
            check();
        }

        private void disturb() {
            for (int round = 0; round < 12; round++) {
                final int what = random.nextInt(4);
                if (what == 0) {
                    restart();
                } else if (what == 1) {
                    cut(random.nextBoolean());
                } else if (what == 2) {
                    cut(false);
                }
                final long timeNs = random.nextInt(600) * SimWorld.MILLISECOND;
                world().runUntil(() -> false, timeNs + 1, this::act);
            }
        }

        private void settle() {
            cut(false);
            isQuiet = true;
            assertTrue(
                    world().runUntil(this::isIdle, 20 * SimWorld.SECOND, this::act),
                    "messages neither arrived nor failed");
        }

        private void goOn() {
            final List<SimContext> open = all.stream().filter(context -> context.isOpen).toList();
            final long before = open.stream().mapToLong(context -> context.received).sum();
            final int errorsBefore = errors();
            int sent = 0;
            for (final SimContext from : open) {
                for (final SimContext to : open) {
                    sent += from.send(to.node.id, to.id, 100) ? 1 : 0;
                }
            }
            final int expected = sent;
            assertTrue(world().runUntil(this::isIdle, 20 * SimWorld.SECOND, this::act));
            final long after = open.stream().mapToLong(context -> context.received).sum();
            final int failed = errors() - errorsBefore;
            assertEquals(
                    expected,
                    after - before + failed,
                    "every message after the trouble arrives or meets an old flow");
            assertTrue(world().runUntil(this::isIdle, 20 * SimWorld.SECOND, this::act));
        }

        private void check() {
            int gaps = 0;
            for (final SimContext context : all) {
                gaps += (int) (context.gaps - context.acknowledgedGaps);
                restarted +=
                        context.statusCounts.getOrDefault(PmStatus.PEER_RESTARTED, 0)
                                + context.statusCounts.getOrDefault(PmStatus.NO_SUCH_CONTEXT, 0);
                unreachable += context.statusCounts.getOrDefault(PmStatus.PEER_UNREACHABLE, 0);
            }
            assertTrue(gaps <= errors(), gaps + " lost, " + errors() + " reported");
            assertEquals(0, world().leftovers(), "buffers and frames in use at the end");
        }

        private int errors() {
            return all.stream().mapToInt(SimContext::errors).sum();
        }

        private boolean isIdle() {
            return all.stream().allMatch(c -> !c.isOpen || (c.isIdle() && c.heldFrames() == 0));
        }

        private void restart() {
            final int index = random.nextInt(nodeCount * CONTEXTS_A_NODE);
            final int node = index / CONTEXTS_A_NODE;
            final int id = index % CONTEXTS_A_NODE;
            final SimContext before = world().nodes.get(node).contexts.get(id);
            before.close();
            before.release(Integer.MAX_VALUE);
            world().runUntil(() -> false, 1 + random.nextInt(20_000_000), this::act);
            all.add(world().open(node, id, 16 + random.nextInt(64)));
        }

        private void cut(final boolean isCut) {
            for (final var segment : world().segments) {
                for (final SimLink from : segment.links()) {
                    for (final SimLink to : segment.links()) {
                        if (from != to && (!isCut || random.nextInt(3) > 0)) {
                            world().network.cut(from, to, isCut);
                        }
                    }
                }
            }
        }

        private void act() {
            final boolean isTime = world().nowNs() - nextSendNs >= 0;
            if (isTime) {
                nextSendNs = world().nowNs() + random.nextInt(3_000_000);
            }
            for (final SimContext context : all) {
                if (!context.isOpen) {
                    continue;
                }
                context.release(random.nextInt(8));
                final boolean isSending = isTime && !isQuiet && random.nextInt(2) == 0;
                for (int i = 0; isSending && context.hasFreeSlot() && i < 3; i++) {
                    context.send(
                            random.nextInt(nodeCount),
                            random.nextInt(CONTEXTS_A_NODE),
                            random.nextInt(400));
                }
            }
        }
    }
}
