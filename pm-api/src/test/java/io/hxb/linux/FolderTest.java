package io.hxb.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

@Tag("unit")
class FolderTest {
    private static final int NOBODY = 65_534;
    private static final byte[] TEXT = "text".getBytes(StandardCharsets.UTF_8);

    @TempDir private Path folder;

    private static void mode(final Path path, final String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private static String mode(final Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static void giveToNobody(final Path path) throws IOException {
        assumeTrue(FileStatus.ownUid() == 0, "skipped: giving files away needs root");
        Files.setAttribute(path, "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);
    }

    private static String refusal(final Path path) {
        return assertThrows(UntrustedFolderException.class, () -> Folder.open(path).close())
                .getMessage();
    }

    @Test
    void shouldMakeTheFolderWithItsParentsWhateverTheUmask() throws IOException {
        final Path deep = folder.resolve("a/b/c");
        try (Folder made = Folder.make(deep, 0711)) {
            assertEquals(deep, made.path());
            assertEquals(0711, made.status().permissions());
        }
        assertEquals("rwx--x--x", mode(deep));
        assertEquals("rwxr-xr-x", mode(folder.resolve("a/b")));
    }

    @Test
    void shouldReplaceAddAndRemoveFiles() throws IOException {
        try (Folder open = Folder.open(folder)) {
            // when
            open.add("a", TEXT, 0640);
            open.replace("a", "other".getBytes(StandardCharsets.UTF_8), 0600);

            // then
            assertEquals("other", Files.readString(folder.resolve("a")));
            assertEquals("rw-------", mode(folder.resolve("a")));
            assertThrows(FileAlreadyExistsException.class, () -> open.add("a", TEXT, 0600));
            assertThrows(FileAlreadyExistsException.class, () -> open.create("a", 0600));
            assertEquals("other", Files.readString(folder.resolve("a")));
            try (var files = Files.list(folder)) {
                assertEquals(List.of(folder.resolve("a")), files.toList(), "nothing stays behind");
            }
            assertTrue(open.delete("a"));
            assertFalse(open.delete("a"));
            assertThrows(IllegalArgumentException.class, () -> open.delete("../a"));
        }
    }

    @Test
    void shouldKeepTheFolderThatItHasOpenedWhenItsNameLeadsElsewhere() throws IOException {
        // given
        final Path first = Files.createDirectory(folder.resolve("first"));
        final Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        try (Folder open = Folder.open(first)) {
            // when
            Files.move(first, folder.resolve("moved"));
            Files.createSymbolicLink(first, elsewhere);
            open.add("a", TEXT, 0600);
            open.changeMode("a", 0644);
        }

        // then
        assertEquals("rw-r--r--", mode(folder.resolve("moved/a")));
        assertFalse(Files.exists(elsewhere.resolve("a")));
    }

    @Test
    void shouldNeverFollowALinkInPlaceOfAFile() throws IOException {
        // given
        final Path secret = Files.write(folder.resolve("secret"), TEXT);
        mode(secret, "rw-------");
        Files.createSymbolicLink(folder.resolve("link"), secret);
        try (Folder open = Folder.open(folder)) {
            // when
            assertThrows(FileAlreadyExistsException.class, () -> open.create("link", 0644));
            assertThrows(UntrustedFolderException.class, () -> open.openOrCreate("link", 0644));
            assertThrows(IOException.class, () -> open.changeMode("link", 0644));
            open.replace("link", new byte[1], 0644);
        }

        // then: the link is gone, and what it led to is as it was
        assertEquals("text", Files.readString(secret));
        assertEquals("rw-------", mode(secret));
        assertFalse(Files.isSymbolicLink(folder.resolve("link")));
    }

    @Test
    void shouldFollowOwnLinksOnTheWayToTheFolder() throws IOException {
        Files.createDirectories(folder.resolve("real/below"));
        Files.createSymbolicLink(folder.resolve("relative"), Path.of("real"));
        Files.createSymbolicLink(folder.resolve("absolute"), folder.resolve("relative/../real"));
        Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"));
        for (final String way : List.of("relative/below", "absolute/./below", "real/../real")) {
            try (Folder open = Folder.open(folder.resolve(way))) {
                open.replace("a", TEXT, 0600);
            }
        }
        assertTrue(Files.exists(folder.resolve("real/below/a")));
        assertTrue(Files.exists(folder.resolve("real/a")));
        final LinuxException thrown =
                assertThrows(
                        LinuxException.class, () -> Folder.open(folder.resolve("loop")).close());
        assertEquals(Errno.ELOOP, thrown.errno());
    }

    @Test
    void shouldRefuseWhereOthersMayWrite() throws IOException {
        // given
        final Path open = Files.createDirectory(folder.resolve("open"));
        mode(open, "rwxr-xrwx");
        Files.createDirectory(open.resolve("below"));

        // when, then
        assertTrue(refusal(open).contains("chmod go-w " + open), refusal(open));
        assertTrue(refusal(open.resolve("below")).contains("others may write in " + open));
        assertThrows(UntrustedFolderException.class, () -> Folder.make(open.resolve("new"), 0755));
        assertFalse(Files.exists(open.resolve("new")));
    }

    @Test
    void shouldAllowOwnFoldersBelowAStickyOneOnly() throws IOException {
        // given a folder like /tmp
        final Path sticky = Files.createDirectory(folder.resolve("sticky"));
        mode(sticky, "rwxrwxrwx");
        Files.setAttribute(sticky, "unix:mode", 0041777);

        // when, then
        assertTrue(refusal(sticky).contains("others may write"));
        try (Folder below = Folder.make(sticky.resolve("own"), 0700)) {
            assertEquals(0700, below.status().permissions());
        }
    }

    @Test
    void shouldRefuseFoldersAndLinksAndFilesOfOtherUsers() throws IOException {
        // given
        final Path foreign = Files.createDirectory(folder.resolve("foreign"));
        Files.createDirectory(foreign.resolve("below"));
        giveToNobody(foreign);
        final Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
        giveToNobody(link);
        giveToNobody(Files.createFile(folder.resolve("file")));

        // when, then
        assertTrue(refusal(foreign).contains("uid 65534"), refusal(foreign));
        assertTrue(refusal(foreign.resolve("below")).contains(foreign + " belongs to another"));
        assertTrue(refusal(link).contains("symbolic link of another user"), refusal(link));
        try (Folder open = Folder.open(folder)) {
            assertThrows(UntrustedFolderException.class, () -> open.openOrCreate("file", 0600));
        }
    }

    @Test
    void shouldTrustTheUserOfSudoOnlyAsRoot() {
        assertEquals(1000, FileStatus.sudoUid(0, "1000"));
        assertEquals(0, FileStatus.sudoUid(0, null));
        assertEquals(0, FileStatus.sudoUid(0, "1000 0"));
        assertEquals(1001, FileStatus.sudoUid(1001, "1000"));
        assertTrue(new FileStatus(1, 4711, 0040775).isOpenToOthers());
        assertFalse(new FileStatus(1, 0, 0040775).isOpenToOthers());
    }

    @Test
    void shouldReportThatAFolderIsMissingOrNoFolder() throws IOException {
        Files.createFile(folder.resolve("file"));
        final LinuxException missing =
                assertThrows(
                        LinuxException.class, () -> Folder.open(folder.resolve("no/b")).close());
        assertEquals(Errno.ENOENT, missing.errno());
        final LinuxException file =
                assertThrows(
                        LinuxException.class, () -> Folder.make(folder.resolve("file/b"), 0700));
        assertEquals(Errno.ENOTDIR, file.errno());
        try (Folder open = Folder.open(folder);
                FileChannel channel = open.openOrCreate("file", 0600)) {
            assertEquals(4, channel.write(ByteBuffer.wrap(TEXT)));
            assertTrue(open.status("file").isFile());
        }
    }

    @Test
    void shouldReadSecretsOfItsOwnAloneAndNeverMoreThanAsked() throws IOException {
        try (Folder open = Folder.open(folder)) {
            // given
            open.add("secret", TEXT, 0600);
            final Path secret = folder.resolve("secret");
            assertEquals("text", new String(open.readSecret("secret", 5), StandardCharsets.UTF_8));
            // when, then
            assertThrows(UntrustedFolderException.class, () -> open.readSecret("secret", 4));
            for (final String mode : List.of("rw----r--", "rw-----w-", "rw------x")) {
                mode(secret, mode);
                final String refusal =
                        assertThrows(
                                        UntrustedFolderException.class,
                                        () -> open.readSecret("secret", 100))
                                .getMessage();
                assertTrue(refusal.contains("run chmod 600 " + secret), refusal);
            }
            mode(secret, "rw-------");
            Files.createSymbolicLink(folder.resolve("link"), secret);
            assertThrows(UntrustedFolderException.class, () -> open.readSecret("link", 100));
            assertEquals(
                    Errno.ENOENT,
                    assertThrows(LinuxException.class, () -> open.readSecret("none", 100)).errno());
            giveToNobody(secret);
            assertThrows(UntrustedFolderException.class, () -> open.readSecret("secret", 100));
        }
    }
}
