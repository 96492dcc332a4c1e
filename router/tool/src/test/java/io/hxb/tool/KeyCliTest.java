package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** {@code hxb key}: a key that only its owner may read, and its fingerprint. */
@Tag("unit")
class KeyCliTest {
    @TempDir private Path folder;

    @Test
    void shouldMakeAKeyForItsOwnerAloneAndNeverOverwriteOne() throws IOException {
        // given
        final Path file = folder.resolve("key");
        // when
        final HxbOutput made = HxbOutput.of("key", "generate", file.toString());
        // then
        assertEquals(ExitStatus.OK, made.status(), made.errors());
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        final byte[] content = Files.readAllBytes(file);
        final HxbOutput again = HxbOutput.of("key", "generate", file.toString());
        assertEquals(ExitStatus.USAGE, again.status());
        assertTrue(again.errors().contains("a key is never overwritten"), again.errors());
        assertArrayEquals(content, Files.readAllBytes(file));
    }

    @Test
    void shouldShowTheSameFingerprintAsText() {
        // given
        final String file = folder.resolve("key").toString();
        final String made = HxbOutput.of("key", "generate", file).text().strip();
        // when, then
        assertEquals(made, HxbOutput.of("key", "show", file).text().strip());
        final String json = HxbOutput.of("key", "show", file, "--json").text().strip();
        assertTrue(json.startsWith("{") && json.contains(made), json);
        assertTrue(json.contains("\"ok\":true"), json);
    }
}
