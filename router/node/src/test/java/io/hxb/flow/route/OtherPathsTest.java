package io.hxb.flow.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.link.LoopClock;
import io.hxb.routing.CablingMap;
import io.hxb.routing.DimensionOrder;
import io.hxb.routing.GraphRoutes;
import io.hxb.routing.Route;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

/**
 * The paths beside the default routes of a node in a full mesh of three, and what is told of them.
 */
@Tag("unit")
class OtherPathsTest {
    private static final Shape SHAPE = Shape.ofAnyCabling(3);
    private static final int TO = 1;
    private static final int RELAY = 2;

    private final CablingMap map = new CablingMap(SHAPE.nodeCount());
    private final LoopClock clock = new LoopClock();
    private final CounterBlock counters = CounterBlock.unpublished(0, 0);
    private final RouteTable table =
            new RouteTable(
                    ClusterConfig.of(
                            "test",
                            SHAPE,
                            Backend.RAW,
                            new LinkPlan(List.of(List.of("a", "b")), "", "", 1, Map.of())),
                    0,
                    map,
                    (dimension, coordinate) -> true,
                    clock,
                    counters);
    private final OtherPaths paths = table.otherPaths();

    @BeforeEach
    void cable() {
        map.replace(
                GraphRoutes.of(
                        3,
                        new int[] {0, 0, 1},
                        new int[] {1, 2, 2},
                        new int[] {1_000, 1_000, 1_000}));
    }

    private boolean mayTake() {
        return paths.mayTake(TO, 0, clock.nowNs());
    }

    @Test
    void shouldKnowTheWayOverTheThirdNode() {
        assertEquals(1, paths.count(TO));
        assertTrue(OtherPaths.isOther(paths.route(TO, 0)));
        assertFalse(OtherPaths.isOther(Route.ofOrder(DimensionOrder.DEFAULT)));
        assertEquals(0, paths.count(0), "this node");
        assertEquals(0, paths.count(99), "no node");
    }

    @Test
    void shouldFollowTheMap() {
        assertEquals(1, paths.count(TO));
        map.replace(GraphRoutes.of(3, new int[] {0}, new int[] {1}, new int[] {1_000}));
        assertEquals(0, paths.count(TO));
    }

    @Test
    void shouldRestWhenTheRelayOfThePathReportsThatItIsBusy() {
        final long route = paths.route(TO, 0);
        assertTrue(mayTake());
        table.onBusy(TO, route, RELAY);
        assertFalse(mayTake());
    }

    @Test
    void shouldNotBelieveOthersThatAPathIsBusy() {
        final long route = paths.route(TO, 0);
        table.onBusy(TO, route, TO);
        table.onBusy(TO, route, 0);
        table.onBusy(TO, Route.ofOrder(DimensionOrder.DEFAULT), RELAY);
        table.onBusy(TO, -1, RELAY);
        table.onBusy(Long.MIN_VALUE, route, RELAY);
        assertTrue(mayTake());
        assertEquals(5, counters.value(CounterType.FLOW_REFUSED_ANSWERS_FRAMES));
    }
}
