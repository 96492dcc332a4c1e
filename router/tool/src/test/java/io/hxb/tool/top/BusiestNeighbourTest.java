package io.hxb.tool.top;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.counter.CounterLabels;
import io.hxb.counter.NeighbourCounts;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

@Tag("unit")
class BusiestNeighbourTest {
    /** Node (1,2) of 2 by 4. */
    private static final CounterLabels LABELS =
            new CounterLabels(
                    "lab",
                    7,
                    5,
                    0x0201L,
                    2,
                    List.of(
                            new CounterLabels.LinkLabel(1, 0, "eth0", 4, 2),
                            new CounterLabels.LinkLabel(1, 1, "eth1", 4, 2)));

    @Test
    void shouldNameWithWhomMostWasExchangedSinceTheLastLook() {
        // given
        final BusiestNeighbour busiest = new BusiestNeighbour();
        final NeighbourCounts before = new NeighbourCounts(0, 1, 9, 9_000_000, 9, 9_000_000);
        assertEquals(Map.of(), busiest.look(LABELS, List.of(before)));
        // when
        final Map<Integer, String> shown =
                busiest.look(
                        LABELS,
                        List.of(
                                new NeighbourCounts(0, 1, 10, 9_000_100, 10, 9_000_100),
                                new NeighbourCounts(0, 3, 1, 300, 0, 0),
                                new NeighbourCounts(0, 7, 1, 300, 1, 200)));
        // then: 200, 300 and 500 bytes; nothing on the other link
        assertEquals(Map.of(0, "50% (1,3)"), shown);
    }
}
