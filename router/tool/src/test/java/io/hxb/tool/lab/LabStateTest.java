package io.hxb.tool.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.FrameConfig;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

@Tag("unit")
class LabStateTest {
    @TempDir private Path folder;

    @Test
    void shouldReadTheStateOfALabOfAnEarlierRelease() throws IOException {
        // given
        Files.writeString(
                folder.resolve("old.json"),
                """
                {"name": "old", "shape": "2x2", "links": 1, "backend": "raw", "rateBps": 0,
                 "mtuBytes": 9000, "ownerPid": 1, "ownerStartMs": 0, "nodePids": [],
                 "isReady": true}
                """);

        // when
        final LabState state = new LabRegistry(folder).require("old");

        // then
        assertEquals(Wiring.BRIDGE, state.spec().wiring());
        assertEquals(LabWire.WHOLE, state.spec().wire());
        assertEquals(FrameConfig.Encapsulation.ETHERNET, state.spec().encapsulation());
        assertEquals(5, state.namespaces().size());
    }

    @Test
    void shouldKeepWhatALabWasMadeFrom() {
        // given
        final LabSpec spec =
                new LabSpec("new", Shape.of(2, 2), 3, Backend.RAW, 1_000_000_000, 1500)
                        .withWiring(Wiring.DIRECT)
                        .withWire(LabWire.PACED)
                        .withEncapsulation(FrameConfig.Encapsulation.UDP);

        // when
        final LabRegistry registry = new LabRegistry(folder);
        registry.write(LabState.of(spec));

        // then
        assertEquals(spec, registry.require("new").spec());
    }

    @Test
    void shouldKeepTheCablesOfALab() throws IOException {
        // given
        final LabSpec spec =
                new LabSpec("new", Shape.of(2), 1, Backend.RAW, 0, 1500)
                        .withCabling(LabCabling.of("ring:4", GraphSpec.parse("ring:4", 0), 1));

        // when
        final LabRegistry registry = new LabRegistry(folder);
        registry.write(LabState.of(spec));

        // then
        assertEquals(spec, registry.require("new").spec());
        assertEquals(5, registry.require("new").namespaces().size());
        final String text = Files.readString(folder.resolve("new.json"));
        assertTrue(text.contains("\"0.x0 - 1.x0\""), text);
    }
}
