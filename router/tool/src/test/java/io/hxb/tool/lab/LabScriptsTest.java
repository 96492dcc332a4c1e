package io.hxb.tool.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

@Tag("unit")
class LabScriptsTest {
    @Test
    void shouldMakeOneBridgePerLineAndLinkAndOnePortPerNic() {
        // given
        final LabSpec spec = new LabSpec("t", Shape.of(3, 3, 3), 2, Backend.RAW, 0, 9000);

        // when
        final List<String> lines = LabScripts.switches(spec).lines().toList();

        // then: 9 lines in each of 3 dimensions, 2 links; 27 nodes with 6 NICs
        assertEquals(9 * 3 * 2, count(lines, " type bridge "));
        assertEquals(27 * 6, count(lines, " type veth "));
        assertEquals(27 * 6, count(lines, "link set "));
    }

    @Test
    void shouldMakeABridgeBeforeItsFirstPort() {
        // given
        final LabSpec spec = new LabSpec("t", Shape.of(2, 3), 1, Backend.RAW, 0, 1500);

        // when
        final String script = LabScripts.switches(spec);

        // then
        for (final String line :
                script.lines().filter(line -> line.contains(" master ")).toList()) {
            final String bridge = line.replaceAll(".* master (\\S+) .*", "$1");
            final int made = script.indexOf("link add " + bridge + " ");
            assertTrue(made >= 0 && made < script.indexOf(line), bridge);
        }
    }

    @Test
    void shouldWriteTheWholePairInOneLine() {
        final LabSpec spec = new LabSpec("t", Shape.of(2), 1, Backend.RAW, 0, 9000);

        assertTrue(
                LabScripts.switches(spec)
                        .contains(
                                "link add x0.1 mtu 9000 master bx0.0 type veth peer name x0 mtu"
                                        + " 9000 address 02:48:00:00:00:01 netns hxb-t-1\n"),
                LabScripts.switches(spec));
    }

    @Test
    void shouldJoinTwoNicsByOnePairWithoutABridge() {
        // given
        final LabSpec spec =
                new LabSpec("t", Shape.of(2, 2), 2, Backend.RAW, 0, 9000).withWiring(Wiring.DIRECT);

        // when
        final List<String> lines = LabScripts.switches(spec).lines().toList();

        // then: 4 lines of 2 links
        assertEquals(8, lines.size());
        assertEquals(
                "link add x0 mtu 9000 address 02:48:00:00:00:00 netns hxb-t-0 type veth peer name"
                        + " x0 mtu 9000 address 02:48:00:00:00:01 netns hxb-t-1",
                lines.getFirst());
    }

    @Test
    void shouldShapeNothingWithoutARate() {
        final LabSpec spec = new LabSpec("t", Shape.of(3, 3), 2, Backend.RAW, 0, 9000);

        assertEquals("", LabScripts.nodeShapers(spec, 0));
        assertEquals("", LabScripts.switchShapers(spec));
    }

    @Test
    void shouldShapeSwitchPortsOnlyOnLinesOfMoreThanTwoNodes() {
        // given
        final LabSpec spec = new LabSpec("t", Shape.of(2, 3), 1, Backend.RAW, 250_000_000, 9000);

        // when
        final String ports = LabScripts.switchShapers(spec);

        // then
        assertFalse(ports.contains(" x0."), ports);
        assertEquals(6, count(ports.lines().toList(), " y0."));
        assertEquals(
                "qdisc add dev x0 root tbf rate 250000000bit burst 156250b limit 64mb",
                LabScripts.nodeShapers(spec, 0).lines().findFirst().orElseThrow());
    }

    @Test
    void shouldLetAPacedWireTakeOneFrameAfterTheOther() {
        // given
        final LabSpec spec =
                new LabSpec("t", Shape.of(2), 1, Backend.RAW, 1_000_000_000, 9000)
                        .withWire(LabWire.PACED);

        // when
        final String shapers = LabScripts.nodeShapers(spec, 0);

        // then: its bucket has no room for a train
        assertEquals(
                "qdisc add dev x0 root tbf rate 1000000000bit burst 18028b limit 64mb\n", shapers);
    }

    private static LabSpec cabled(final String words, final int parallel) {
        return new LabSpec("t", Shape.of(2), 1, Backend.RAW, 0, 9000)
                .withCabling(LabCabling.of(words, GraphSpec.parse(words, 0), parallel));
    }

    @Test
    void shouldGiveEachCableABridgeOfItsOwn() {
        // when
        final List<String> lines = LabScripts.switches(cabled("full:3", 1)).lines().toList();

        // then
        assertEquals(3, count(lines, " type bridge "));
        assertEquals(6, count(lines, " type veth "));
        for (final String bridge : List.of("bx0.0", "bx1.0", "bx1.1")) {
            assertEquals(2, count(lines, " master " + bridge + " "), bridge);
        }
        assertEquals(
                "link add x0.2 mtu 9000 master bx1.0 type veth peer name x0 mtu 9000 address"
                        + " 02:48:00:00:00:02 netns hxb-t-2",
                lines.stream().filter(line -> line.contains("add x0.2")).findFirst().orElseThrow());
    }

    @Test
    void shouldJoinTheNicsOfACableDirectly() {
        // when
        final LabSpec spec = cabled("chain:3", 1).withWiring(Wiring.DIRECT);

        // then
        assertEquals(
                """
                link add x0 mtu 9000 address 02:48:00:00:00:00 netns hxb-t-0 type veth peer name x0\
                 mtu 9000 address 02:48:00:00:00:01 netns hxb-t-1
                link add x1 mtu 9000 address 02:48:01:00:00:01 netns hxb-t-1 type veth peer name x0\
                 mtu 9000 address 02:48:00:00:00:02 netns hxb-t-2
                """,
                LabScripts.switches(spec));
    }

    @Test
    void shouldBringUpAndShapeOnlyTheNicsThatANodeHas() {
        // given
        final LabSpec star = cabled("star:4", 1);
        final LabSpec limited =
                new LabSpec("t", Shape.of(2), 1, Backend.RAW, 1_000_000_000, 9000)
                        .withCabling(star.cabling().orElseThrow());

        // then
        assertEquals(
                "link set lo up\nlink set x0 up\nlink set x1 up\nlink set x2 up\n",
                LabScripts.nodeLinks(star, 0));
        assertEquals("link set lo up\nlink set x0 up\n", LabScripts.nodeLinks(star, 3));
        assertEquals(3, LabScripts.nodeShapers(limited, 0).lines().count());
        assertEquals(1, LabScripts.nodeShapers(limited, 1).lines().count());
        assertEquals("", LabScripts.switchShapers(limited));
    }

    @Test
    void shouldTakeTheCarrierOfBothEndsOfACable() {
        // given
        final LabSpec spec = cabled("ring:3", 2);
        final LabCabling.Cable cable = LabCabling.Cable.parse("1.x2 - 2.x0");
        final LabSpec direct = spec.withWiring(Wiring.DIRECT);

        // then
        assertEquals(
                "link set x2.1 down\nlink set x0.2 down\n",
                LabScripts.setCable(spec, cable, "down"));
        assertEquals("hxb-t-switch", LabScripts.cableNamespace(spec, cable));
        assertEquals("link set x2 up\n", LabScripts.setCable(direct, cable, "up"));
        assertEquals("hxb-t-1", LabScripts.cableNamespace(direct, cable));
    }

    private static long count(final List<String> lines, final String part) {
        return lines.stream().filter(line -> line.contains(part)).count();
    }
}
