package io.hxb.tool.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.frame.TracedFlyweight;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

@Tag("unit")
class TraceResultTest {
    private static final Shape SHAPE = Shape.of(2, 2, 2);
    private static final int FROM = node("0,0,0");
    private static final int TO = node("1,1,0");

    // Two links in each dimension: x.0 and x.1 have the indices 0 and 1, y.0 has 2 and so on.
    private ClusterConfig config =
            new ClusterConfig.Builder(
                            "test", SHAPE, Backend.UDP, LinkPlan.udp(SHAPE.dimensions(), 2, 20_000))
                    .build();
    private final int hopLimit = config.frame().hopLimit();
    private final TracedFrames frames = new TracedFrames();

    private static int node(final String coordinates) {
        return SHAPE.node(SHAPE.parseCoordinates(coordinates));
    }

    private TraceResult result(final int count) {
        return TraceResult.of(
                config, new TracePlan(FROM, TO, count, 1, 1, 80, List.of(TracePlan.USUAL)), frames);
    }

    private void relayed(
            final long number, final String by, final int kind, final int in, final int out) {
        frames.reported(
                number, new TracedFrames.Hop(node(by), kind, hopLimit, in, out, 2_000, 40_000));
    }

    private void arrived(final long number, final int hop, final int in, final long tripNs) {
        frames.reported(
                number,
                new TracedFrames.Hop(
                        TO,
                        TracedFlyweight.ARRIVED,
                        hopLimit - hop + 1,
                        in,
                        TracedFlyweight.NO_LINK,
                        0,
                        tripNs));
    }

    private List<?> paths(final TraceResult result) {
        return ((List<?>) result.report().get("paths"))
                .stream().map(path -> ((Map<?, ?>) path).get("path")).toList();
    }

    @Test
    void shouldTellWhichLinksAndRelaysFramesTook() {
        // given: the report of the relay comes last
        for (int i = 0; i < 3; i++) {
            frames.sent(i, i % 2, 0);
            arrived(i, 2, 2, 50_000 + i * 1_000);
            relayed(i, "1,0,0", TracedFlyweight.RELAYED_IN_KERNEL, i % 2, 2);
        }
        // when
        final TraceResult result = result(3);
        // then
        assertTrue(result.isOk());
        assertEquals(
                List.of("0,0,0 x.0 1,0,0 y.0 1,1,0", "0,0,0 x.1 1,0,0 y.0 1,1,0"), paths(result));
        final Map<?, ?> relay = (Map<?, ?>) ((List<?>) result.report().get("hops")).getFirst();
        assertEquals(Map.of("kernel", 3), relay.get("relayed_by"));
        assertEquals(Map.of("x.0", 2, "x.1", 1), relay.get("arrived_on"));
        assertEquals(Map.of("y.0", 3), relay.get("left_on"));
        assertEquals(2.0, ((Map<?, ?>) relay.get("there_us")).get("median"));
        assertTrue(
                result.text().startsWith("0,0,0 -> 1,1,0: 3 frames of 80 bytes, 3 arrived"),
                result.text());
        assertTrue(result.text().contains("x.0:2 x.1:1"), result.text());
        assertTrue(result.text().contains("67%"), result.text());
    }

    @Test
    void shouldCallNodesByTheNamesOfTheirHosts() {
        // given
        config =
                config.withHosts(
                        Map.of("pc-a", SHAPE.coordinates(FROM), "pc-d", SHAPE.coordinates(TO)));
        frames.sent(0, 0, 0);
        relayed(0, "1,0,0", TracedFlyweight.RELAYED, 0, 2);
        arrived(0, 2, 2, 50_000);
        // when
        final TraceResult result = result(1);
        // then: for people; programs get coordinates
        assertTrue(result.text().startsWith("pc-a -> pc-d: 1 frames"), result.text());
        assertTrue(result.text().contains("pc-a x.0 1,0,0 y.0 pc-d"), result.text());
        assertEquals(List.of("0,0,0 x.0 1,0,0 y.0 1,1,0"), paths(result));
    }

    @Test
    void shouldShowWhatIsMissing() {
        // given: a report of a relay, a frame that was lost behind it, one that it could not send
        frames.sent(1, 0, 0);
        arrived(1, 2, 3, 50_000);
        frames.sent(2, 0, 0);
        relayed(2, "1,0,0", TracedFlyweight.RELAYED, 0, 2);
        frames.sent(3, 0, 0);
        relayed(3, "1,0,0", TracedFlyweight.NOT_RELAYED, 0, TracedFlyweight.NO_LINK);
        // when: a fifth was not sent
        final TraceResult result = result(4);
        // then
        assertFalse(result.isOk());
        assertEquals(
                List.of(
                        "0,0,0 x.0 ? y.1 1,1,0",
                        "0,0,0 x.0 1,0,0 y.0 lost",
                        "0,0,0 x.0 1,0,0 not relayed"),
                paths(result));
        assertEquals(1, result.report().get("missing_reports"));
        assertEquals(1, result.report().get("not_sent"));
        assertTrue(result.text().contains("3 frames of 80 bytes, 1 arrived, 1 not sent"));
        assertTrue(result.text().contains("missing: 1"), result.text());
    }

    @Test
    void shouldCountAHopOfAFrameOnce() {
        // given
        frames.sent(1, 0, 0);
        arrived(1, 2, 2, 50_000);
        arrived(1, 2, 2, 60_000);
        // when
        final Map<?, ?> hop = (Map<?, ?>) ((List<?>) result(1).report().get("hops")).getFirst();
        // then
        assertEquals(1L, hop.get("frames"));
    }

    @Test
    void shouldFindTheOrdersThatGiveDifferentWays() {
        // given
        final long here = SHAPE.coordinates(FROM);
        // when, then
        assertEquals(
                List.of(DimensionOrder.of(0, 1), DimensionOrder.of(1, 0)),
                TracePlan.orders(here, SHAPE.coordinates(TO)));
        assertEquals(
                List.of(DimensionOrder.of(1)),
                TracePlan.orders(here, SHAPE.parseCoordinates("0,1,0")));
        assertEquals(6, TracePlan.orders(here, SHAPE.parseCoordinates("1,1,1")).size());
        assertEquals(24, TracePlan.orders(0, 0x0101_0101_0101L).size());
    }
}
