package io.hxb.tool.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

@Tag("unit")
class LabNamesTest {
    @Test
    void shouldGiveEveryNicOfALabItsOwnMacAddress() {
        // given
        final Set<String> addresses = new HashSet<>();

        // when
        for (int dimension = 0; dimension < 8; dimension++) {
            for (int link = 0; link < 8; link++) {
                for (final int node :
                        new int[] {0, 1, 255, 256, 65_535, 65_536, Shape.MAX_NODES - 1}) {
                    addresses.add(LabNames.mac(dimension, link, node));
                }
            }
        }

        // then
        assertEquals(8 * 8 * 7, addresses.size());
        assertTrue(
                addresses.stream().allMatch(mac -> mac.matches("02(:[0-9a-f]{2}){5}")),
                addresses::toString);
    }

    @Test
    void shouldPutNodesOnOneBridgeWhenTheyDifferInThatCoordinateOnly() {
        // given
        final Shape shape = Shape.of(3, 3, 3);

        // when
        final int first =
                LabNames.firstNodeOfLine(shape, shape.node(shape.parseCoordinates("0,1,2")), 0);
        final int second =
                LabNames.firstNodeOfLine(shape, shape.node(shape.parseCoordinates("2,1,2")), 0);
        final int other =
                LabNames.firstNodeOfLine(shape, shape.node(shape.parseCoordinates("2,2,2")), 0);

        // then
        assertEquals(first, second);
        assertTrue(first != other);
    }

    @Test
    void shouldFindTheLabOfItsOwnNamespacesOnly() {
        assertEquals(Optional.of("lab"), LabNames.labOf(LabNames.namespace("lab", 17)));
        assertEquals(Optional.of("a-b-3"), LabNames.labOf(LabNames.namespace("a-b-3", 0)));
        assertEquals(Optional.of("lab"), LabNames.labOf(LabNames.switchNamespace("lab")));
        assertEquals(Optional.empty(), LabNames.labOf("hxb-lab"));
        assertEquals(Optional.empty(), LabNames.labOf("hxb-lab-left"));
        assertEquals(Optional.empty(), LabNames.labOf("hxbt-1-2"));
        assertEquals(Optional.empty(), LabNames.labOf("docker0"));
    }

    @Test
    void shouldKeepInterfaceNamesWithinWhatTheKernelTakes() {
        assertTrue(LabNames.port(7, 7, Shape.MAX_NODES - 1).length() < 16);
        assertTrue(LabNames.bridge(7, 7, Shape.MAX_NODES - 1).length() < 16);
    }
}
