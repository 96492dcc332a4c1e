package io.hxb.tool.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
        assertEquals(5, state.namespaces().size());
    }
}
