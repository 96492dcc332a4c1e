package io.hxb.pm.attach;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

@Tag("unit")
class RunFoldersTest {
    @TempDir private Path folder;

    private Path system;
    private Path temporary;
    private Path runtime;

    @BeforeEach
    void makesTheFolders() throws IOException {
        // No user may make a folder below a file, which stands for a /run without the right to.
        system = Files.createFile(folder.resolve("run")).resolve("hxb");
        temporary = Files.createDirectory(folder.resolve("tmp"));
        runtime = Files.createDirectory(folder.resolve("user"));
    }

    private RunFolders folders(final Map<String, String> environment) {
        return new RunFolders(environment, system, temporary, "joe");
    }

    private Map<String, String> session() {
        return Map.of("XDG_RUNTIME_DIR", runtime.toString());
    }

    @Test
    void shouldUseTheFolderOfTheServiceWhereThisUserMayWrite() throws IOException {
        // given
        Files.delete(folder.resolve("run"));
        Files.createDirectory(folder.resolve("run"));

        // when
        final RunFolders folders = folders(session());

        // then
        assertEquals(system, folders.own());
        folders.prepare(system);
        assertEquals("rwxr-xr-x", mode(system));
    }

    @Test
    void shouldMakeAPrivateFolderInTheRunTimeFolderOfTheSession() throws IOException {
        // given
        final RunFolders folders = folders(session());

        // when
        folders.prepare(folders.own());

        // then
        assertEquals(runtime.resolve("hxb"), folders.own());
        assertEquals("rwx------", mode(folders.own()));
        assertEquals(List.of(system, folders.own()), folders.searched());
        assertEquals("", folders.problem());
    }

    @Test
    void shouldMakeAPrivateTemporaryFolderWithoutASession() throws IOException {
        // given
        final RunFolders folders = folders(Map.of());

        // when
        folders.prepare(folders.own());

        // then
        assertEquals(temporary.resolve("hxb-joe"), folders.own());
        assertEquals("rwx------", mode(folders.own()));
    }

    @Test
    void shouldRefuseAPrivateFolderThatOthersMayEnter() throws IOException {
        // given
        final RunFolders folders = folders(Map.of());
        Files.createDirectory(folders.own());
        Files.setPosixFilePermissions(folders.own(), PosixFilePermissions.fromString("rwxrwxrwx"));

        // when
        final IOException thrown =
                assertThrows(IOException.class, () -> folders.prepare(folders.own()));

        // then: neither made nor looked for there
        assertTrue(thrown.getMessage().contains("mode 0777"), thrown.getMessage());
        assertTrue(thrown.getMessage().contains("chmod 700"), thrown.getMessage());
        assertEquals(thrown.getMessage(), folders.problem());
        assertEquals(List.of(system), folders.searched());
    }

    @Test
    void shouldRefuseALinkInPlaceOfThePrivateFolder() throws IOException {
        final RunFolders folders = folders(Map.of());
        Files.createSymbolicLink(folders.own(), runtime);
        final IOException thrown =
                assertThrows(IOException.class, () -> folders.prepare(folders.own()));
        assertTrue(thrown.getMessage().contains("is not a folder"), thrown.getMessage());
    }

    @Test
    void shouldFollowTheVariable() throws IOException {
        // given
        final Path chosen = folder.resolve("chosen");
        final RunFolders folders = folders(Map.of("HXB_RUN", chosen.toString()));

        // when
        folders.prepare(folders.own());
        folders.removeIfEmpty();

        // then
        assertEquals(chosen, folders.own());
        assertEquals(chosen, folders.searched().getFirst());
        assertTrue(Files.isDirectory(chosen), "what a variable names is not ours to remove");
    }

    @Test
    void shouldLeaveFoldersAloneThatAClusterFileNames() throws IOException {
        final Path named = folder.resolve("named");
        folders(Map.of()).prepare(named);
        assertFalse(Files.exists(named));
    }

    @Test
    void shouldRemoveItsFolderWhenItIsEmpty() throws IOException {
        // given
        final RunFolders folders = folders(session());
        folders.prepare(folders.own());
        final Path file = Files.createFile(folders.own().resolve("a.sock"));

        // when, then
        folders.removeIfEmpty();
        assertTrue(Files.exists(file));
        Files.delete(file);
        folders.removeIfEmpty();
        assertFalse(Files.exists(folders.own()));
    }

    private static String mode(final Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
