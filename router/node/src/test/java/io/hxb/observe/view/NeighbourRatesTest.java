package io.hxb.observe.view;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.counter.NeighbourCounts;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.NodeState;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.List;

/** Rates with each neighbour on a line of four nodes, as viewers get them. */
@Tag("unit")
class NeighbourRatesTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final long SECOND_NS = 1_000_000_000L;

    private final NetworkState state = new NetworkState();
    private long nowNs = 5 * SECOND_NS;

    private static NodeReading node(final NeighbourCounts... neighbours) {
        final LinkReading link =
                new LinkReading(
                        new LinkReading.Place(0, 0, "eth0"),
                        new LinkReading.Health(LinkCondition.GOOD, 8_988, 3, 0, 100, 0, 0, ""),
                        new LinkReading.Counts(0, 0, 0, 0, 0),
                        List.of(neighbours));
        return new NodeReading(
                1, NodeState.RUNNING, new NodeReading.Counts(0, 0, 0, 0), List.of(link), List.of());
    }

    private JsonNode rates(final NeighbourCounts... neighbours) {
        state.apply(List.of(node(neighbours)));
        nowNs += SECOND_NS;
        return JSON.readTree(NetworkJson.rates(state, state.rate(nowNs), 0)).get("neighbours");
    }

    private JsonNode snapshot() {
        final NetworkPlan plan = new NetworkPlan("demo", Shape.of(4), List.of("", "", "", ""));
        final byte[] json = NetworkJson.network(plan, state, new Timeline(), "1", 0);
        return JSON.readTree(json).get("links").get(0).get("by_neighbour");
    }

    @Test
    void shouldBeSentWhenTheyChange() {
        // given
        assertEquals("[]", rates(new NeighbourCounts(0, 3, 10, 100, 1_000, 10_000)).toString());
        // when one goes on, and there is traffic with another for the first time
        final String changed =
                rates(
                                new NeighbourCounts(0, 0, 5, 50, 0, 0),
                                new NeighbourCounts(0, 3, 11, 102, 1_003, 10_004))
                        .toString();
        // then
        assertEquals("[[0,0,50,0,5,0],[0,3,2,4,1,3]]", changed);
        assertEquals(2, snapshot().size());
        assertEquals(3, snapshot().get(1).get("node").asInt());
        assertEquals(4, snapshot().get(1).get("out_bytes_per_s").asLong());
        // when the node was started again
        assertEquals("[[0,0,0,0,0,0],[0,3,0,0,0,0]]", rates().toString());
        assertEquals("[]", rates().toString());
    }
}
