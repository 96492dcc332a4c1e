package io.hxb.tool.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

@Tag("unit")
class LabOptionsTest {
    private static LabSpec spec(final String... arguments) {
        final LabOptions options = new LabOptions();
        new CommandLine(options).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        return options.spec();
    }

    @Test
    void shouldMakeTheUsualShapeWithoutAnyOption() {
        // when
        final LabSpec spec = spec("--backend", "udp");
        // then
        assertEquals(Shape.of(2, 2, 2), spec.shape());
        assertEquals(2, spec.linkCount());
        assertTrue(spec.cabling().isEmpty());
    }

    @Test
    void shouldMakeNodesOfSwitchesAndCablesOfLinks() {
        // when
        final LabSpec spec = spec("--graph", "clos:4,2", "--parallel", "2", "--mtu", "1500");
        // then: hosts are ignored
        assertEquals(Shape.ofAnyCabling(6), spec.shape());
        assertEquals(Backend.RAW, spec.backend());
        assertEquals(16, spec.cabling().orElseThrow().cables().size());
        assertEquals(4, spec.linkCount(0));
        assertEquals(8, spec.linkCount(5));
        assertEquals(1500, spec.mtuBytes());
    }

    @Test
    void shouldReadAFileOfCables(@TempDir final Path folder) throws IOException {
        // given
        final Path file = Files.writeString(folder.resolve("room.edges"), "0 1\n1 2\n1 2\n");
        // when
        final LabSpec spec = spec("--graph", file.toString());
        // then
        assertEquals(
                "[0.x0 - 1.x0, 1.x1 - 2.x0, 1.x2 - 2.x1]",
                spec.cabling().orElseThrow().cables().toString());
        assertEquals(1, spec.linkCount(0));
        assertEquals(3, spec.linkCount(1));
    }

    @Test
    void shouldReportWhatContradictsAGraph() {
        refuse("--graph and --shape exclude each other", "--graph", "ring:4", "--shape", "2");
        refuse("--links is for the lines of a --shape", "--graph", "ring:4", "--links", "1");
        refuse("--parallel needs --graph", "--parallel", "2");
        refuse("--graph needs --backend raw", "--graph", "ring:4", "--backend", "udp");
        refuse("'ring:2' needs at least 3 switches", "--graph", "ring:2");
        refuse("at most 8 cables", "--graph", "full:10");
    }

    private static void refuse(final String part, final String... arguments) {
        final UsageException thrown =
                assertThrows(UsageException.class, () -> spec(arguments), part);

        assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
    }
}
