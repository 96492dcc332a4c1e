package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.hxb.config.AttachConfig;
import io.hxb.config.ClusterConfig;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Where the identity of a node lies, and that it stays the same. */
@Tag("unit")
class IdentityFileTest {
    @TempDir Path folder;

    private final ClusterConfig cluster = SimCables.ring(3).cluster();

    @Test
    void shouldBeTheSameAfterARestart() throws IOException {
        final Path file = folder.resolve("deep/er/room-1.identity");
        final long identity = IdentityFile.readOrMake(file, new Random(1));
        assertEquals(identity, IdentityFile.readOrMake(file, new Random(2)));
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertNotEquals(
                identity,
                IdentityFile.readOrMake(folder.resolve("room-2.identity"), new Random(2)));
    }

    @Test
    void shouldGoOnWithAnotherOneWhereTheFileIsDamagedAndLeaveIt() throws IOException {
        final Path file = folder.resolve("room-1.identity");
        for (final String text : List.of("", "12", "not 16 digits...", "0123456789abcdef0")) {
            Files.writeString(file, text);
            assertEquals(new Random(5).nextLong(), IdentityFile.readOrMake(file, new Random(5)));
            assertEquals(text, Files.readString(file));
        }
    }

    @Test
    void shouldGoOnWhereNoFileCanBeMade() throws IOException {
        final Path file = Files.writeString(folder.resolve("file"), "").resolve("room-1.identity");
        assertEquals(new Random(5).nextLong(), IdentityFile.readOrMake(file, new Random(5)));
    }

    @Test
    void shouldLieWhereStateLies() {
        final Map<String, String> none = Map.of();
        assertEquals(Path.of("/var/lib/hxb/sim-2.identity"), path(none, "root"));
        assertEquals(
                Path.of("/srv/state/sim-2.identity"),
                path(Map.of("STATE_DIRECTORY", "/srv/state:/srv/other"), "root"));
        assertEquals(
                Path.of("/home/a/.local/state/hxb/sim-2.identity"),
                path(Map.of("HOME", "/home/a"), "a"));
        assertEquals(
                Path.of("/home/a/state/hxb/sim-2.identity"),
                path(Map.of("HOME", "/home/a", "XDG_STATE_HOME", "/home/a/state"), "a"));
        final ClusterConfig own =
                cluster.withAttach(new AttachConfig(folder, folder, List.of(), List.of()));
        assertEquals(folder.resolve("sim-2.identity"), IdentityFile.path(own, 2, none, "root"));
    }

    private Path path(final Map<String, String> environment, final String user) {
        return IdentityFile.path(cluster, 2, environment, user);
    }
}
