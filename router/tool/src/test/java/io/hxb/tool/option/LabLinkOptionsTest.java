package io.hxb.tool.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.LabWire;
import io.hxb.tool.lab.Wiring;
import io.hxb.tool.report.UsageException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import picocli.CommandLine;

@Tag("unit")
class LabLinkOptionsTest {
    private static LabSpec spec(final String... arguments) {
        final LabLinkOptions options = new LabLinkOptions();
        new CommandLine(options).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        return options.spec("t", "2");
    }

    @Test
    void shouldTakeOneWordOfEachKindOfWiring() {
        // when
        final LabSpec standard = spec("--backend", "raw");
        final LabSpec direct = spec("--backend", "raw", "--wiring", "direct");
        final LabSpec paced = spec("--backend=raw", "--rate=1gbit", "--wiring=paced");
        final LabSpec both = spec("--backend=raw", "--rate=1gbit", "--wiring=PACED,direct");
        // then
        assertEquals(Wiring.BRIDGE, standard.wiring());
        assertEquals(LabWire.WHOLE, standard.wire());
        assertEquals(Wiring.DIRECT, direct.wiring());
        assertEquals(LabWire.WHOLE, direct.wire());
        assertEquals(Wiring.BRIDGE, paced.wiring());
        assertEquals(LabWire.PACED, paced.wire());
        assertEquals(Wiring.DIRECT, both.wiring());
        assertEquals(LabWire.PACED, both.wire());
    }

    @Test
    void shouldRefuseWordsThatContradictOneAnotherOrAreNone() {
        refuse("bridge,direct", "one word of bridge and direct");
        refuse("cut,whole", "one of whole, cut and paced");
        refuse("bent", "must be of bridge, direct, whole, cut and paced: bent");
    }

    private static void refuse(final String wiring, final String part) {
        final UsageException thrown =
                assertThrows(
                        UsageException.class, () -> spec("--backend", "raw", "--wiring", wiring));

        assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
    }

    @Test
    void shouldTakeAnEncapsulation() {
        assertEquals(
                FrameConfig.Encapsulation.TCP,
                spec("--backend", "raw", "--encapsulation", "tcp").encapsulation());
        assertEquals(FrameConfig.DEFAULT.encapsulation(), spec("--backend", "raw").encapsulation());
        assertEquals(FrameConfig.DEFAULT.encapsulation(), spec("--backend", "udp").encapsulation());
    }
}
