package io.hxb.flow.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.OrderConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.link.LoopClock;
import io.hxb.routing.DimensionOrder;
import io.hxb.routing.Route;
import io.hxb.routing.RouteCodec;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

@Tag("unit")
class RouteTableTest {
    private static final long MILLISECOND = 1_000_000;
    private static final Shape SHAPE = Shape.of(3, 3);
    private static final long HERE = 0;
    private static final long THERE = SHAPE.parseCoordinates("1,1");
    private static final long X_RELAY = SHAPE.parseCoordinates("1,0");
    private static final long Y_RELAY = SHAPE.parseCoordinates("0,1");
    private static final long X_FIRST = Route.ofOrder(DimensionOrder.DEFAULT);
    private static final long Y_FIRST = Route.ofOrder(DimensionOrder.of(1, 0));

    private final RouteCodec codec = new RouteCodec(SHAPE);
    private final Set<Integer> lostLinks = new HashSet<>();
    private final LoopClock clock = new LoopClock();
    private final RouteTable table = table(DimensionOrder.DEFAULT);

    RouteTableTest() {
        clock.begin(Long.MAX_VALUE - 100 * MILLISECOND);
    }

    private RouteTable table(final Integer... orders) {
        return table(
                SHAPE,
                (dimension, coordinate) -> !lostLinks.contains(dimension << 8 | coordinate),
                orders);
    }

    private RouteTable table(
            final Shape shape, final RouteTable.Neighbours neighbours, final Integer... orders) {
        final ClusterConfig cluster =
                ClusterConfig.of(
                                "test",
                                shape,
                                Backend.UDP,
                                LinkPlan.udp(shape.dimensions(), 1, 20_000))
                        .withOrders(new OrderConfig(OrderConfig.Mode.EXPLICIT, List.of(orders)));
        return new RouteTable(
                cluster, HERE, null, neighbours, clock, CounterBlock.unpublished(0, 0));
    }

    private void pass(final long timeNs) {
        clock.begin(clock.nowNs() + timeNs);
    }

    private long choose(final RouteTable of) {
        return of.hasTrouble() ? of.choose(THERE, X_FIRST, true) : X_FIRST;
    }

    @Test
    void shouldTakeAnotherOrderAfterARelayReportedThatItHasNoLink() {
        // given
        assertFalse(table.hasTrouble());
        // when
        assertTrue(table.onUnreachable(THERE, X_FIRST, X_RELAY));
        // then
        assertTrue(table.hasTrouble());
        assertEquals(Y_FIRST, choose(table));
        assertEquals(1, table.counters().value(CounterType.FLOW_BROKEN_HOPS_EVENTS));
    }

    @Test
    void shouldTryTheBrokenRouteWithFewFramesAndUseItWhenOneArrives() {
        // given
        table.onUnreachable(THERE, X_FIRST, X_RELAY);
        // when
        int tries = 0;
        for (int ms = 0; ms < 1_000; ms++) {
            pass(MILLISECOND);
            tries += choose(table) == X_FIRST ? 1 : 0;
        }
        // then
        assertTrue(tries >= 4 && tries <= 10, tries + " tries");
        assertEquals(tries, table.counters().value(CounterType.FLOW_ROUTE_PROBES_FRAMES));
        // when
        table.onArrived(THERE, X_FIRST, clock.nowNs());
        // then
        assertEquals(X_FIRST, choose(table));
        assertEquals(X_FIRST, choose(table));
        assertEquals(1, table.counters().value(CounterType.FLOW_ROUTES_RETURNED_EVENTS));
        pass(2_000 * MILLISECOND);
        choose(table);
        assertFalse(table.hasTrouble(), "all is well, and the destination forgotten");
    }

    @Test
    void shouldNotTrustARouteBecauseOfAFrameSentBeforeItBroke() {
        // given
        final long sentNs = clock.nowNs();
        pass(MILLISECOND);
        table.onUnreachable(THERE, X_FIRST, X_RELAY);
        // when
        table.onArrived(THERE, X_FIRST, sentNs);
        // then
        assertEquals(Y_FIRST, choose(table));
    }

    @Test
    void shouldFindARouteSilentAfterSomeTimeWithoutArrivals() {
        // given
        assertFalse(table.onLost(THERE, X_FIRST));
        pass(20 * MILLISECOND);
        assertFalse(table.onLost(THERE, X_FIRST));
        assertEquals(X_FIRST, choose(table));
        // when
        pass(20 * MILLISECOND);
        final boolean isSilent = table.onLost(THERE, X_FIRST);
        // then
        assertTrue(isSilent);
        assertEquals(Y_FIRST, choose(table));
    }

    @Test
    void shouldNotTakeLossForSilence() {
        for (int i = 0; i < 1_000; i++) {
            // given
            pass(10 * MILLISECOND);
            final long sentNs = clock.nowNs();
            // when
            final boolean isSilent = table.onLost(THERE, X_FIRST);
            pass(10 * MILLISECOND);
            table.onArrived(THERE, X_FIRST, sentNs);
            // then
            assertFalse(isSilent);
            assertEquals(X_FIRST, choose(table));
        }
    }

    @Test
    void shouldLeaveBadOrdersOutOfThoseItSpreadsOver() {
        // given
        final RouteTable all = table(OrderConfig.all(2).orders().toArray(Integer[]::new));
        // when
        all.onUnreachable(THERE, X_FIRST, X_RELAY);
        // then
        for (int i = 0; i < 10; i++) {
            assertEquals(Y_FIRST, all.choose(THERE, X_FIRST, true));
        }
    }

    @Test
    void shouldGoRoundByAThirdNodeWhenNoMinimalOrderWorks() {
        // given
        lostLinks.add(0 << 8 | 1);
        // when
        final long route = table.onNoLink(X_RELAY, true);
        // then
        final long[] way = new long[16];
        assertEquals(3, codec.trace(route, HERE, X_RELAY, way));
        assertEquals(SHAPE.parseCoordinates("2,0"), way[1]);
        // when: its own link is back, which needs no trying
        lostLinks.clear();
        pass(11 * MILLISECOND);
        // then
        assertEquals(X_FIRST, table.choose(X_RELAY, X_FIRST, true));
    }

    @Test
    void shouldReportThatThereIsNoRouteWhenAllAreProvenBroken() {
        // given
        final RouteTable small =
                table(Shape.of(2, 2), (dimension, coordinate) -> true, DimensionOrder.DEFAULT);
        // when
        small.onUnreachable(THERE, X_FIRST, X_RELAY);
        small.onUnreachable(THERE, Y_FIRST, Y_RELAY);
        // then
        assertEquals(Route.NONE, small.choose(THERE, X_FIRST, true));
        assertEquals(1, small.counters().value(CounterType.FLOW_CUT_OFF_EVENTS));
        // when: after a while one frame may try
        pass(25 * MILLISECOND);
        assertNotEquals(Route.NONE, small.choose(THERE, X_FIRST, false));
        // then
        assertEquals(Route.NONE, small.choose(THERE, X_FIRST, false));
    }

    @Test
    void shouldRefuseAnswersFromNodesThatAreNotOnTheRoute() {
        assertFalse(table.onUnreachable(THERE, X_FIRST, Y_RELAY));
        assertFalse(table.onUnreachable(THERE, X_FIRST, HERE));
        assertFalse(table.onUnreachable(THERE, X_FIRST, THERE));
        assertFalse(table.onUnreachable(THERE, Route.of(-1, -1), SHAPE.parseCoordinates("2,2")));
        assertEquals(4, table.counters().value(CounterType.FLOW_REFUSED_ANSWERS_FRAMES));
        assertFalse(table.hasTrouble());
    }

    @Test
    void shouldAnswerByTheWayThePeerWasHeard() {
        // given
        // when
        table.onAskedAgain(THERE, X_FIRST);
        // then
        assertEquals(Y_FIRST, table.choose(THERE, X_FIRST, false), "x first from there, reversed");
        assertEquals(X_FIRST, table.choose(THERE, X_FIRST, true), "data goes on as before");
        pass(1_100 * MILLISECOND);
        assertEquals(X_FIRST, table.choose(THERE, X_FIRST, false));
    }

    @Test
    void shouldKeepWithinItsBoundsWhateverHappens() {
        final Shape large = Shape.of(16, 16, 10);
        final long[] way = new long[32];
        for (long seed = 0; seed < 5; seed++) {
            // given
            final SplittableRandom random = new SplittableRandom(seed);
            final RouteTable many =
                    table(large, (dimension, coordinate) -> true, DimensionOrder.DEFAULT);
            final RouteCodec largeCodec = new RouteCodec(large);
            for (int i = 0; i < 1_500; i++) {
                // when
                pass(MILLISECOND);
                final long to = large.coordinates(1 + random.nextInt(large.nodeCount() - 1));
                final long route = many.hasTrouble() ? many.choose(to, X_FIRST, true) : X_FIRST;
                final int count = largeCodec.trace(route, HERE, to, way);
                // then
                assertTrue(route != Route.NONE && count > 0, "seed " + seed);
                assertEquals(count, Arrays.stream(way).limit(count).distinct().count());
                if (random.nextBoolean()) {
                    many.onUnreachable(to, route, way[random.nextInt(count)]);
                } else {
                    many.onLost(to, route);
                }
                assertTrue(many.troubledDestinations() <= 128);
            }
        }
    }
}
