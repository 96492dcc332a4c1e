package io.hxb.tool.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Map;

/** What nodes are called. */
@Tag("unit")
class NodeNamesTest {
    private static NodeNames names(final Shape shape, final Map<String, Long> hosts) {
        return new NodeNames(
                ClusterConfig.of(
                                "Lab.one",
                                shape,
                                Backend.UDP,
                                LinkPlan.udp(shape.dimensions(), 1, 20_000))
                        .withHosts(hosts));
    }

    @Test
    void shouldKnowHostsCoordinatesAndIdsInShortAndLong() {
        // given
        final Shape shape = Shape.of(2, 3);
        final NodeNames names =
                names(shape, Map.of("PC.example.org", shape.parseCoordinates("1,2"), "3", 0L));
        // then
        for (final String name :
                new String[] {
                    "pc.example.org",
                    "PC.EXAMPLE.ORG.lab.ONE.hxb",
                    "1,2",
                    "1-2",
                    "1-2.lab.one.hxb",
                    "1,2.lab.one.hxb",
                    "5",
                    "5.lab.one.hxb",
                    "0005",
                    "node5",
                    "Node5.lab.one.hxb"
                }) {
            assertEquals(5, names.node(name), name);
        }
        // a name of the file goes before an id
        assertEquals(0, names.node("3"));
    }

    @Test
    void shouldPutHostNamesInPlaceOfNumbers() {
        // given
        final Shape shape = Shape.of(2, 3);
        final NodeNames names =
                names(shape, Map.of("pc-d$1", shape.parseCoordinates("1,1"), "a\u001b", 0L));
        // then
        assertEquals("pc-d$1", names.host(3).orElseThrow());
        assertTrue(names.host(1).isEmpty());
        assertEquals(
                "no route from node 1 to pc-d$1; pc-d$1's",
                names.in("no route from node 1 to node 3; node 3's"));
        assertEquals("node 33, node3, nodes 3", names.in("node 33, node3, nodes 3"));
        assertFalse(names.in("node 0").contains("\u001b"));
        assertEquals("node 0", names(shape, Map.of()).in("node 0"));
    }

    @Test
    void shouldRefuseWhatNamesNoNode() {
        // given
        final NodeNames names = names(Shape.of(2, 3), Map.of("beta", 1L));
        // then
        for (final String name :
                new String[] {
                    "",
                    ".",
                    "gamma",
                    "6",
                    "-1",
                    "2,0",
                    "1,2,0",
                    "1-",
                    "5.other.hxb",
                    ".lab.one.hxb",
                    "99999999999999999999",
                    "beta.example.org",
                    "1-2-3",
                    "999999-1"
                }) {
            final var thrown =
                    assertThrows(IllegalArgumentException.class, () -> names.node(name), name);
            assertTrue(thrown.getMessage().contains("0 to 5"), thrown::getMessage);
            assertTrue(thrown.getMessage().contains("hosts:"), thrown::getMessage);
        }
        final String message =
                assertThrows(
                                IllegalArgumentException.class,
                                () -> names.node("a\u001b[2J\n" + "x".repeat(500)))
                        .getMessage();
        assertFalse(message.contains("\n") || message.contains("\u001b"), message);
        assertTrue(message.length() < 400, message);
    }

    @Test
    void shouldTakeANumberForACoordinateOnASingleLine() {
        assertEquals(2, names(Shape.of(4), Map.of()).node("2"));
        assertThrows(IllegalArgumentException.class, () -> names(Shape.of(4), Map.of()).node("4"));
    }
}
