package io.hxb.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.SecurityConfig;
import io.hxb.linux.FileStatus;
import io.hxb.os.Capabilities;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** Keys in files, and each reason for which one is refused, with what to do about it. */
@Tag("unit")
class KeyFileTest {
    private static final int NOBODY = 65_534;
    private static final String DIGITS = "0123456789abcdefABCDEF0123456789".repeat(2);

    @TempDir private Path folder;

    private Path file;

    @BeforeEach
    void names() {
        file = folder.resolve("key");
    }

    private static void mode(final Path path, final String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private void write(final String content) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, content);
    }

    private void assertRefused(final Path path, final String reason) {
        final IOException refusal = assertThrows(IOException.class, () -> KeyFile.read(path));
        assertTrue(refusal.getMessage().startsWith("key " + path + ": "), refusal.getMessage());
        assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    }

    private void assertRefused(final String reason) {
        assertRefused(file, reason);
    }

    @Test
    void shouldReadWhatItGenerates() throws IOException {
        // when
        final ClusterKey key = KeyFile.generate(file);
        // then
        assertEquals(key, KeyFile.read(file));
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        assertThrows(FileAlreadyExistsException.class, () -> KeyFile.generate(file));
        assertEquals(key, KeyFile.read(file), "a key is never overwritten");
    }

    @Test
    void shouldReadWhatPeopleEdit() throws IOException {
        write("# of the cluster in room 3\r\n\n  hxb-key-1 \n\t" + DIGITS + "  \r\n# end");
        final ClusterKey key = KeyFile.read(file);
        write("hxb-key-1\n" + DIGITS);
        assertEquals(key, KeyFile.read(file));
    }

    @Test
    void shouldRefuseWhatIsNoKey() throws IOException {
        for (final String content :
                List.of(
                        "",
                        "\n",
                        "hxb-key-1\n",
                        DIGITS + "\n",
                        "hxb-key-2\n" + DIGITS,
                        "hxb-key-1\n" + DIGITS.substring(1),
                        "hxb-key-1\n" + DIGITS + "0",
                        "hxb-key-1\n" + DIGITS + "\n" + DIGITS,
                        "hxb-key-1\n" + DIGITS.replace('f', 'g'),
                        DIGITS + "\nhxb-key-1",
                        "\0\u0001\u00ff".repeat(300))) {
            write(content);
            assertRefused("64 hexadecimal digits, as hxb key generate writes");
        }
        write("hxb-key-1\n" + DIGITS + "\n" + "#".repeat(4096));
        assertRefused("4096 bytes or more");
    }

    @Test
    void shouldReportThatThereIsNone() {
        assertRefused("no such file; hxb key generate makes one");
        assertRefused(folder.resolve("none/key"), "no such file");
        assertRefused(Path.of("/"), "is a folder");
        assertRefused(folder.resolve(".."), "is a folder");
        assertThrows(IOException.class, () -> KeyFile.generate(folder.resolve("none/key")));
    }

    @Test
    void shouldRefuseAFileThatOthersMayReadOrWrite() throws IOException {
        KeyFile.generate(file);
        for (final String mode : List.of("rw----r--", "rw-----w-", "rw-r--r--", "r-------x")) {
            mode(file, mode);
            assertRefused("run chmod 600 " + file);
        }
        mode(file, "r--------");
        KeyFile.read(file);
    }

    @Test
    void shouldRefuseAFileOfAnyGroupButRoots() throws IOException {
        assumeTrue(FileStatus.ownUid() == 0, "skipped: giving files away needs root");
        final ClusterKey key = KeyFile.generate(file);
        mode(file, "r--r-----");
        assertEquals(key, KeyFile.read(file), "as systemd lends credentials by an access list");
        Files.setAttribute(file, "unix:gid", NOBODY);
        assertRefused("can be read or written by others (mode 0440)");
    }

    @Test
    void shouldRefuseAFileOfAnotherUser() throws IOException {
        assumeTrue(FileStatus.ownUid() == 0, "skipped: giving files away needs root");
        KeyFile.generate(file);
        Files.setAttribute(file, "unix:uid", NOBODY);
        assertRefused("belongs to another user (uid 65534)");
    }

    @Test
    void shouldRefuseWhatIsNoPlainFile() throws Exception {
        // A link, even to a good key: the user who may put one there chooses the key.
        KeyFile.generate(file);
        final Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        assertRefused(link, "is a symbolic link");
        assertRefused(Files.createDirectory(folder.resolve("folder")), "is not a plain file");
        final Path pipe = folder.resolve("pipe");
        assertEquals(
                0, new ProcessBuilder("mkfifo", "-m", "600", pipe.toString()).start().waitFor());
        assertTimeoutPreemptively(
                Duration.ofSeconds(10), () -> assertRefused(pipe, "is not a plain file"));
    }

    @Test
    void shouldRefuseAFolderInWhichOthersCouldExchangeTheKey() throws IOException {
        // given
        final Path open = Files.createDirectory(folder.resolve("open"));
        final Path key = open.resolve("key");
        KeyFile.generate(key);
        // when
        mode(open, "rwxrwxrwx");
        // then
        assertRefused(key, "others may write in " + open);
        assertThrows(IOException.class, () -> KeyFile.generate(open.resolve("other")));
    }

    @Test
    void shouldReadTheKeysOfAConfiguration() throws IOException {
        // given
        final Path other = folder.resolve("other");
        final ClusterKey one = KeyFile.generate(file);
        final ClusterKey two = KeyFile.generate(other);
        final Map<String, String> environment = Map.of("CREDENTIALS_DIRECTORY", folder.toString());
        // when, then
        assertEquals(
                KeyRing.of(one, two),
                KeyFile.read(security(file.toString(), "credential:other"), environment));
        assertEquals(
                KeyRing.of(one),
                KeyFile.read(security(file.toString(), "credential:key"), environment),
                "the same key twice is one");
        assertEquals(KeyRing.NONE, KeyFile.read(SecurityConfig.DEFAULT, Map.of()));
        final IOException none =
                assertThrows(
                        IOException.class,
                        () -> KeyFile.read(security("credential:key"), Map.of()));
        assertTrue(none.getMessage().contains("LoadCredential="), none.getMessage());
    }

    private static SecurityConfig security(final String... keys) {
        return new SecurityConfig(SecurityConfig.Mode.AUTHENTICATE, List.of(keys));
    }

    // Without CAP_DAC_READ_SEARCH, too, which givingUp leaves.
    private static Runnable withoutRights(final Runnable task) {
        return () -> {
            Capabilities.keepOnlyIfPossible(0);
            task.run();
        };
    }

    @Test
    void shouldReportWhoMayNotReadIt() throws Exception {
        // given
        KeyFile.generate(file);
        KeyFile.read(file);
        mode(file, "---------");
        // when: root reads everything, but without its rights
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Thread ordinary =
                new Thread(
                        withoutRights(
                                () ->
                                        assertRefused(
                                                "may not be read by user " + FileStatus.ownUid())));
        ordinary.setUncaughtExceptionHandler((_, thrown) -> failure.set(thrown));
        ordinary.start();
        ordinary.join();
        // then
        assertNull(failure.get(), () -> String.valueOf(failure.get()));
    }
}
