package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.hxb.config.SecurityConfig;
import io.hxb.session.ClusterKey;
import io.hxb.session.KeyFile;
import io.hxb.session.KeyRing;
import io.hxb.session.Sessions;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** What becomes of the keys of a running node when somebody does something to their files. */
@Tag("unit")
class KeyWatchTest {
    @TempDir private Path folder;

    private Path file;
    private Path prepared;
    private ClusterKey first;
    private ClusterKey second;
    private SecurityConfig security;
    private Sessions sessions;
    private KeyWatch watch;

    @BeforeEach
    void begins() throws IOException {
        file = folder.resolve("key");
        prepared = folder.resolve("prepared");
        first = KeyFile.generate(file);
        second = KeyFile.generate(prepared);
        begin(file.toString());
    }

    private void begin(final String... keys) throws IOException {
        security = new SecurityConfig(SecurityConfig.Mode.AUTHENTICATE, List.of(keys));
        sessions =
                new Sessions(
                        new Sessions.Identity(Shape.of(2), 0, 7, 1),
                        security.mode(),
                        KeyFile.read(security, Map.of()),
                        new Random(1));
        watch = new KeyWatch(security, sessions, Map.of());
    }

    private void assertRingAfterALook(final ClusterKey... keys) {
        watch.look();
        assertEquals(KeyRing.of(keys), sessions.ring());
    }

    private static void mode(final Path path, final String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    @Test
    void shouldLeaveTheKeysWhileNothingChanges() {
        final KeyRing before = sessions.ring();
        watch.look();
        watch.look();
        assertSame(before, sessions.ring());
    }

    @Test
    void shouldTakeANewFileAndTheOldOneAgain() throws IOException {
        // given
        final Path old = folder.resolve("old");
        Files.copy(file, old, StandardCopyOption.COPY_ATTRIBUTES);
        // when, then
        Files.move(prepared, file, StandardCopyOption.REPLACE_EXISTING);
        assertRingAfterALook(second);
        Files.move(old, file, StandardCopyOption.REPLACE_EXISTING);
        assertRingAfterALook(first);
    }

    @Test
    void shouldTakeAKeyThatIsWrittenInPlaceWithAnyTimeOfChange() throws IOException {
        // given
        final FileTime time = Files.getLastModifiedTime(file);
        // when: as rsync -t and archives do
        Files.write(file, Files.readAllBytes(prepared));
        Files.setLastModifiedTime(file, time);
        // then
        assertRingAfterALook(second);
    }

    @Test
    void shouldTakeAKeyOnceItsModeIsCorrected() throws IOException {
        // given: nobody should have seen it, so it is not used
        mode(prepared, "rw-r--r--");
        Files.move(prepared, file, StandardCopyOption.REPLACE_EXISTING);
        assertRingAfterALook(first);
        // when: following the message
        mode(file, "rw-------");
        // then
        assertRingAfterALook(second);
    }

    @Test
    void shouldKeepTheKeysWhileTheFileIsGone() throws IOException {
        // given
        final Path away = folder.resolve("away");
        Files.move(file, away);
        assertRingAfterALook(first);
        assertRingAfterALook(first);
        // when: back as it was
        Files.move(away, file);
        assertRingAfterALook(first);
        // then: it is still looked at
        Files.move(prepared, file, StandardCopyOption.REPLACE_EXISTING);
        assertRingAfterALook(second);
    }

    @Test
    void shouldKeepTheKeysWhileTheFileIsWritten() throws IOException {
        final String text = Files.readString(prepared);
        for (int length = 0; length < text.strip().length(); length++) {
            Files.writeString(file, text.substring(0, length));
            assertRingAfterALook(first);
        }
        Files.writeString(file, text);
        assertRingAfterALook(second);
    }

    @Test
    void shouldKeepTheKeysWhateverElseIsInPlaceOfTheFile() throws Exception {
        Files.writeString(file, "garbage");
        assertRingAfterALook(first);
        Files.write(file, new byte[1 << 20]);
        assertRingAfterALook(first);
        Files.delete(file);
        Files.createDirectory(file);
        assertRingAfterALook(first);
        Files.delete(file);
        Files.createSymbolicLink(file, prepared);
        assertRingAfterALook(first);
        Files.delete(file);
        assertEquals(
                0, new ProcessBuilder("mkfifo", "-m", "600", file.toString()).start().waitFor());
        // The loop must not wait for a writer.
        assertTimeoutPreemptively(Duration.ofSeconds(10), () -> assertRingAfterALook(first));
        Files.delete(file);
        Files.move(prepared, file);
        assertRingAfterALook(second);
    }

    @Test
    void shouldKeepTheKeysWhileOthersCouldExchangeTheFile() throws IOException {
        // given
        mode(folder, "rwxrwxrwx");
        Files.move(prepared, file, StandardCopyOption.REPLACE_EXISTING);
        // when, then
        assertRingAfterALook(first);
        mode(folder, "rwx------");
        assertRingAfterALook(second);
    }

    @Test
    void shouldChangeBothKeysOnlyTogether() throws IOException {
        // given
        begin(file.toString(), prepared.toString());
        assertRingAfterALook(first, second);
        // when: one is new, the other one not readable for the moment
        Files.delete(file);
        final ClusterKey third = KeyFile.generate(file);
        mode(prepared, "rw-rw-rw-");
        // then
        assertRingAfterALook(first, second);
        mode(prepared, "rw-------");
        assertRingAfterALook(third, second);
    }

    @Test
    void shouldTakeWhatChangedWhileTheNodeStarted() throws IOException {
        // given: the node has read its keys
        final Sessions started = sessions;
        Files.move(prepared, file, StandardCopyOption.REPLACE_EXISTING);
        // when: and only then begins to look
        final KeyWatch late = new KeyWatch(security, started, Map.of());
        late.look();
        // then
        assertEquals(KeyRing.of(second), started.ring());
    }

    @Test
    void shouldFindCredentialsByTheEnvironment() throws IOException {
        // given
        security = new SecurityConfig(SecurityConfig.Mode.AUTHENTICATE, List.of("credential:key"));
        final Map<String, String> environment = Map.of("CREDENTIALS_DIRECTORY", folder.toString());
        watch = new KeyWatch(security, sessions, environment);
        // when
        Files.move(prepared, file, StandardCopyOption.REPLACE_EXISTING);
        // then
        assertRingAfterALook(second);
    }
}
