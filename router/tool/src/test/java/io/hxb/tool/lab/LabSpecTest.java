package io.hxb.tool.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.FrameConfig;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.tool.report.ToolException;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

@Tag("unit")
class LabSpecTest {
    @Test
    void shouldReportAllProblemsAtOnce() {
        final ToolException thrown =
                assertThrows(
                        ToolException.class,
                        () -> new LabSpec("No!", Shape.of(1), 9, Backend.UDP, 1_000, 20));

        for (final String part :
                new String[] {"'No!'", "at least 2 nodes", "--links", "--mtu", "--rate"}) {
            assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
        }
    }

    @Test
    void shouldRefuseMoreLinksThanAMachineCarries() {
        assertThrows(
                ToolException.class,
                () -> new LabSpec("big", Shape.of(16, 16, 10), 2, Backend.RAW, 0, 9000));
    }

    @Test
    void shouldRefuseToJoinLinesOfThreeDirectly() {
        final ToolException thrown =
                assertThrows(
                        ToolException.class,
                        () ->
                                new LabSpec("t", Shape.of(2, 3), 1, Backend.RAW, 0, 9000)
                                        .withWiring(Wiring.DIRECT));

        assertTrue(thrown.getMessage().contains("2x3"), thrown.getMessage());
        assertTrue(thrown.getMessage().contains("--wiring bridge"), thrown.getMessage());
    }

    @Test
    void shouldRefuseWiresThatCannotDoWhatTheyAreToDo() {
        final LabSpec raw = new LabSpec("t", Shape.of(2), 1, Backend.RAW, 0, 9000);
        final LabSpec udp = new LabSpec("t", Shape.of(2), 1, Backend.UDP, 0, 9000);

        assertEquals(LabWire.CUT, raw.withWire(LabWire.CUT).wire());
        refuse(() -> raw.withWire(LabWire.PACED), "--wiring paced needs --rate");
        refuse(() -> udp.withWire(LabWire.CUT), "--wiring cut and paced need --backend raw");
        refuse(
                () -> udp.withEncapsulation(FrameConfig.Encapsulation.UDP),
                "--encapsulation needs --backend raw");
    }

    @Test
    void shouldHaveCablesBetweenNicsOnly() {
        final LabCabling cabling = LabCabling.of("ring:3", GraphSpec.parse("ring:3", 0), 2);
        final LabSpec raw = new LabSpec("t", Shape.of(2), 1, Backend.RAW, 0, 9000);
        final LabSpec udp = new LabSpec("t", Shape.of(2), 1, Backend.UDP, 0, 9000);

        refuse(() -> udp.withCabling(cabling), "--graph needs --backend raw");
        assertEquals(Shape.ofAnyCabling(3), raw.withCabling(cabling).shape());
        assertEquals(4, raw.withCabling(cabling).linkCount());
        assertEquals(Wiring.DIRECT, raw.withCabling(cabling).withWiring(Wiring.DIRECT).wiring());
        assertEquals("ring:3, 3 nodes, 6 cables", raw.withCabling(cabling).text());
        assertEquals("2, 1 links per dimension", raw.text());
    }

    private static void refuse(final Executable action, final String part) {
        final ToolException thrown = assertThrows(ToolException.class, action);

        assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
    }

    @Test
    void shouldReadRates() {
        assertEquals(0, LabSpec.parseRate("none"));
        assertEquals(1_000_000_000L, LabSpec.parseRate("1gbit"));
        assertEquals(250_000_000L, LabSpec.parseRate("250mbit"));
        assertThrows(IllegalArgumentException.class, () -> LabSpec.parseRate("fast"));
    }
}
