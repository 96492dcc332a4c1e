package io.hxb.node.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.stream.IntStream;

/** With whom a node exchanges. */
@Tag("unit")
class GroupStepsTest {
    private static String text(final GroupSteps steps) {
        final StringBuilder text = new StringBuilder();
        for (int step = 0; step < steps.count(); step++) {
            for (int position = 0; position < steps.width(step); position++) {
                text.append(position == steps.ownPosition(step) ? "*" : "");
                text.append(steps.node(step, position)).append(' ');
            }
            text.append("| ");
        }
        return text.toString();
    }

    private static String steps(final String shape, final int node, final int... nodes) {
        return text(GroupSteps.of(Shape.parse(shape), node, nodes));
    }

    @Test
    void shouldGoAlongTheLinesOfAllDimensions() {
        assertEquals("4 *5 | *5 7 | 1 *5 | ", steps("2x2x2", 5, IntStream.range(0, 8).toArray()));
    }

    @Test
    void shouldLeaveDimensionsOutThatHaveOneCoordinate() {
        assertEquals("*1 7 | ", steps("3x3", 1, 1, 7));
        assertEquals("0 *2 | *2 8 | ", steps("3x3", 2, 0, 2, 6, 8));
        assertEquals("", steps("3x3", 4, 4));
    }

    @Test
    void shouldExchangeWithAllIfTheyAreNoBox() {
        assertEquals("0 *1 2 3 4 | ", steps("3x3", 1, 0, 1, 2, 3, 4));
    }

    @Test
    void shouldRefuseMoreThanCanExchangeInOneStep() {
        assertNull(GroupSteps.of(Shape.parse("10x10"), 1, IntStream.range(1, 66).toArray()));
        assertEquals(
                64,
                GroupSteps.of(Shape.parse("10x10"), 1, IntStream.range(1, 65).toArray()).width(0));
    }
}
