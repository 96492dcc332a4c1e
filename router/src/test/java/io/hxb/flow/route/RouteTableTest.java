package io.hxb.flow.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.OrderConfig;
import io.hxb.config.RouteConfig;
import io.hxb.routing.DimensionOrder;
import io.hxb.routing.Route;
import io.hxb.routing.RouteCodec;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.HashSet;
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
    private final RouteTable table = table(DimensionOrder.DEFAULT);
    private long nowNs = Long.MAX_VALUE - 100 * MILLISECOND;

    private RouteTable table(final int... orders) {
        return new RouteTable(
                RouteConfig.DEFAULT,
                SHAPE,
                HERE,
                16,
                orders,
                (dimension, coordinate) -> !lostLinks.contains(dimension << 8 | coordinate));
    }

    private void pass(final RouteTable of, final long timeNs) {
        nowNs += timeNs;
        of.now(nowNs);
    }

    private long choose(final RouteTable of) {
        return of.hasTrouble() ? of.choose(THERE, X_FIRST, true) : X_FIRST;
    }

    @Test
    void shouldTakeAnotherOrderAfterARelaySaidThatItHasNoLink() {
        // given
        pass(table, 0);
        assertFalse(table.hasTrouble());
        // when
        assertTrue(table.onUnreachable(THERE, X_FIRST, X_RELAY));
        // then
        assertTrue(table.hasTrouble());
        assertEquals(Y_FIRST, choose(table));
        assertEquals(1, table.counters().brokenHops);
    }

    @Test
    void shouldTryTheBrokenRouteWithFewFramesAndUseItWhenOneArrives() {
        // given
        pass(table, 0);
        table.onUnreachable(THERE, X_FIRST, X_RELAY);
        // when
        int tries = 0;
        for (int ms = 0; ms < 1_000; ms++) {
            pass(table, MILLISECOND);
            tries += choose(table) == X_FIRST ? 1 : 0;
        }
        // then
        assertTrue(tries >= 4 && tries <= 10, tries + " tries");
        assertEquals(tries, table.counters().probes);
        // when
        table.onArrived(THERE, X_FIRST, nowNs);
        // then
        assertEquals(X_FIRST, choose(table));
        assertEquals(X_FIRST, choose(table));
        assertEquals(1, table.counters().returned);
        pass(table, 2_000 * MILLISECOND);
        choose(table);
        assertFalse(table.hasTrouble(), "all is well, and the destination forgotten");
    }

    @Test
    void shouldNotBelieveInARouteBecauseOfAFrameSentBeforeItBroke() {
        // given
        pass(table, 0);
        final long sentNs = nowNs;
        pass(table, MILLISECOND);
        table.onUnreachable(THERE, X_FIRST, X_RELAY);
        // when
        table.onArrived(THERE, X_FIRST, sentNs);
        // then
        assertEquals(Y_FIRST, choose(table));
    }

    @Test
    void shouldFindARouteSilentAfterSomeTimeWithoutArrivals() {
        // given
        pass(table, 0);
        assertFalse(table.onLost(THERE, X_FIRST));
        pass(table, 20 * MILLISECOND);
        assertFalse(table.onLost(THERE, X_FIRST));
        assertEquals(X_FIRST, choose(table));
        // when
        pass(table, 20 * MILLISECOND);
        final boolean isSilent = table.onLost(THERE, X_FIRST);
        // then
        assertTrue(isSilent);
        assertEquals(Y_FIRST, choose(table));
    }

    @Test
    void shouldNotTakeLossForSilence() {
        pass(table, 0);
        for (int i = 0; i < 1_000; i++) {
            // given
            pass(table, 10 * MILLISECOND);
            final long sentNs = nowNs;
            // when
            final boolean isSilent = table.onLost(THERE, X_FIRST);
            pass(table, 10 * MILLISECOND);
            table.onArrived(THERE, X_FIRST, sentNs);
            // then
            assertFalse(isSilent);
            assertEquals(X_FIRST, choose(table));
        }
    }

    @Test
    void shouldLeaveBadOrdersOutOfThoseItSpreadsOver() {
        // given
        final RouteTable all =
                table(OrderConfig.all(2).orders().stream().mapToInt(Integer::intValue).toArray());
        pass(all, 0);
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
        pass(table, 0);
        lostLinks.add(0 << 8 | 1);
        // when
        final long route = table.onNoLink(X_RELAY, true);
        // then
        final long[] way = new long[16];
        assertEquals(3, codec.trace(route, HERE, X_RELAY, way));
        assertEquals(SHAPE.parseCoordinates("2,0"), way[1]);
        // when: its own link is back, which needs no trying
        lostLinks.clear();
        pass(table, 11 * MILLISECOND);
        // then
        assertEquals(X_FIRST, table.choose(X_RELAY, X_FIRST, true));
    }

    @Test
    void shouldSayThatThereIsNoRouteWhenAllAreProvenBroken() {
        // given
        pass(table, 0);
        final RouteTable small =
                new RouteTable(
                        RouteConfig.DEFAULT,
                        Shape.of(2, 2),
                        HERE,
                        16,
                        new int[] {DimensionOrder.DEFAULT},
                        (dimension, coordinate) -> true);
        pass(small, 0);
        // when
        small.onUnreachable(THERE, X_FIRST, X_RELAY);
        small.onUnreachable(THERE, Y_FIRST, Y_RELAY);
        // then
        assertEquals(Route.NONE, small.choose(THERE, X_FIRST, true));
        assertEquals(1, small.counters().cutOff);
        // when: after a while one frame may try
        pass(small, 25 * MILLISECOND);
        assertNotEquals(Route.NONE, small.choose(THERE, X_FIRST, false));
        // then
        assertEquals(Route.NONE, small.choose(THERE, X_FIRST, false));
    }

    @Test
    void shouldRefuseAnswersFromNodesThatAreNotOnTheRoute() {
        pass(table, 0);
        assertFalse(table.onUnreachable(THERE, X_FIRST, Y_RELAY));
        assertFalse(table.onUnreachable(THERE, X_FIRST, HERE));
        assertFalse(table.onUnreachable(THERE, X_FIRST, THERE));
        assertFalse(table.onUnreachable(THERE, Route.of(-1, -1), SHAPE.parseCoordinates("2,2")));
        assertEquals(4, table.counters().refusedAnswers);
        assertFalse(table.hasTrouble());
    }

    @Test
    void shouldAnswerByTheWayThePeerWasHeard() {
        // given
        pass(table, 0);
        // when
        table.onAskedAgain(THERE, X_FIRST);
        // then
        assertEquals(Y_FIRST, table.choose(THERE, X_FIRST, false), "x first from there, reversed");
        assertEquals(X_FIRST, table.choose(THERE, X_FIRST, true), "data goes on as before");
        pass(table, 1_100 * MILLISECOND);
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
                    new RouteTable(
                            RouteConfig.DEFAULT,
                            large,
                            HERE,
                            32,
                            new int[] {DimensionOrder.DEFAULT},
                            (dimension, coordinate) -> true);
            final RouteCodec largeCodec = new RouteCodec(large);
            for (int i = 0; i < 1_500; i++) {
                // when
                pass(many, MILLISECOND);
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
