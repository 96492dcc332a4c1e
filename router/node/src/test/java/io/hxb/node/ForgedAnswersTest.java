package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.link.sim.SimFaults;
import io.hxb.routing.DimensionOrder;
import io.hxb.routing.Route;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

/** Answers that a frame cannot go on, from nodes that mean harm. */
@Tag("simulation")
class ForgedAnswersTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Shape SHAPE = Shape.of(2, 2);
    private static final int SOURCE = 0;
    private static final int SINK = 3;
    private static final int FORGERIES = 2_000;

    private static final int BUFFERS = 512;

    /** First sequence of the flow. */
    private int first;

    private final SplittableRandom random = new SplittableRandom(7);
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final FrameHeaderFlyweight offending = new FrameHeaderFlyweight();
    private final UnreachableFlyweight answer = new UnreachableFlyweight();

    @Test
    void shouldCountAndOtherwiseIgnoreAnswersThatAnswerNothingSent() {
        try (SimCluster cluster = started()) {
            final SimCluster.Member source = cluster.members.get(SOURCE);
            for (int i = 0; i < FORGERIES; i++) {
                // given
                final int lie = i % 8;
                // when
                inject(source, lie);
                if (i % 50 == 0) {
                    cluster.runUntil(() -> false, 20_000);
                }
            }
            finish(cluster);
            // then
            final CounterBlock routes = source.loop.flows().counters();
            assertEquals(0, routes.value(CounterType.FLOW_BROKEN_HOPS_EVENTS));
            assertEquals(0, routes.value(CounterType.FLOW_DETOURED_FRAMES));
            final long refused =
                    routes.value(CounterType.FLOW_REFUSED_ANSWERS_FRAMES)
                            + source.loop.flows().counters().value(CounterType.FLOW_STALE_FRAMES);
            assertEquals(FORGERIES, refused);
            assertTrue(
                    routes.value(CounterType.FLOW_REFUSED_ANSWERS_FRAMES) > FORGERIES / 2,
                    refused + " refused");
            assertEquals(0, cluster.leftovers(), "buffers not given back");
        }
    }

    @Test
    void shouldComeToNoHarmByAnAnswerFromANodeThatKnowsEverything() {
        try (SimCluster cluster = started()) {
            final SimCluster.Member source = cluster.members.get(SOURCE);
            // when
            for (int i = 0; i < 200; i++) {
                inject(source, -1);
                cluster.runUntil(() -> false, 50_000);
            }
            finish(cluster);
            // then
            final CounterBlock routes = source.loop.flows().counters();
            assertTrue(routes.value(CounterType.FLOW_BROKEN_HOPS_EVENTS) > 0, "it was believed");
            assertTrue(routes.value(CounterType.FLOW_DETOURED_FRAMES) > 0, "and another way taken");
            assertEquals(0, cluster.leftovers(), "buffers not given back");
        }
    }

    private SimCluster started() {
        final SimCluster cluster =
                new SimCluster(0, SHAPE, 1, SimFaults.NONE.withDelay(20_000, 0), BUFFERS);
        assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "neighbours");
        final SimApplication application = cluster.members.get(SOURCE).application;
        application.targets = new int[] {SINK};
        application.toSend = 20;
        assertTrue(cluster.runUntil(() -> application.done == 20, SECOND), "first messages");
        first = lastSequence(cluster) + 1 - framesSent(cluster.members.get(SOURCE));
        application.toSend = Long.MAX_VALUE;
        final SimApplication sink = cluster.members.get(SINK).application;
        assertTrue(cluster.runUntil(() -> sink.received > 50, SECOND), "transfer");
        return cluster;
    }

    /** Sequence of the last frame that the sink got: it is in one of its buffers still. */
    private int lastSequence(final SimCluster cluster) {
        boolean isFound = false;
        int last = 0;
        for (int id = 0; id < BUFFERS; id++) {
            header.wrap(cluster.members.get(SINK).pool.headerAddress(id));
            final boolean isData =
                    header.type() == FrameType.DATA
                            && header.source() == SHAPE.coordinates(SOURCE)
                            && header.destination() == SHAPE.coordinates(SINK);
            if (isData && (!isFound || header.sequence() - last > 0)) {
                isFound = true;
                last = header.sequence();
            }
        }
        assertTrue(isFound, "a frame at the sink");
        return last;
    }

    private static int framesSent(final SimCluster.Member member) {
        return (int) member.loop.flows().counters().value(CounterType.FLOW_SENT_FRAMES);
    }

    private static void finish(final SimCluster cluster) {
        final SimApplication application = cluster.members.get(SOURCE).application;
        application.toSend = application.sent;
        assertTrue(cluster.runUntil(() -> application.done == application.sent, 5 * SECOND));
        assertEquals(0, application.failed);
        final SimApplication sink = cluster.members.get(SINK).application;
        assertTrue(cluster.runUntil(() -> sink.received == application.sent, SECOND));
    }

    /** An answer that is valid except for the {@code lie}; -1 for none. */
    private void inject(final SimCluster.Member member, final int lie) {
        final int id = member.share.acquire();
        final long relay = SHAPE.parseCoordinates(lie == 5 ? "0,1" : "1,0");
        header.wrap(member.pool.headerAddress(id));
        final int last = first + framesSent(member) - 1;
        offending
                .wrap(header.bodyAddress())
                .clear()
                .type(lie == 1 ? FrameType.ACK : FrameType.DATA)
                .source(SHAPE.coordinates(SOURCE))
                .destination(SHAPE.coordinates(SINK))
                .sourceIncarnation(lie == 0 ? 7 : lie == 3 ? random.nextInt(50) : SOURCE + 100)
                .sourceContext(SimApplication.CONTEXT)
                .destinationContext(SimApplication.CONTEXT)
                .sequence(lie == 4 ? last + 5_000 + random.nextInt(100_000) : last)
                .epoch(lie == 6 ? 9 : 0)
                .route(
                        lie == 7
                                ? Route.of(random.nextInt() | 7, 1 + random.nextInt(0xFFFF))
                                : Route.ofOrder(DimensionOrder.DEFAULT));
        answer.wrap(header.address())
                .answerOfRelay(
                        offending.address(),
                        UnreachableFlyweight.NO_ROUTE,
                        lie == 2 ? 0x0909 : SINK);
        header.source(relay);
        member.loop.flows().onFrame(header.address(), FrameHeaderFlyweight.LENGTH, id);
    }
}
