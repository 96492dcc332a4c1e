package io.hxb.tool.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.tool.report.ToolException;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

@Tag("unit")
class ClusterFileTest {
    private static final String ABSENT_LAB = "absent";

    @TempDir private Path folder;
    private String first;
    private String second;

    @BeforeEach
    void writesTwoClusterFiles() throws IOException {
        first = write("first");
        second = write("second");
    }

    private String write(final String name) throws IOException {
        return Files.writeString(
                        folder.resolve(name + ".yaml"),
                        "name: " + name + "\nshape: 2x2\nbackend: udp\nlinks: {x: 1, y: 1}\n")
                .toString();
    }

    private ClusterFile parse(final String variable, final String... arguments) {
        return CommandLine.populateCommand(
                new ClusterFile(variable, new LocalFile(folder)), arguments);
    }

    @Test
    void shouldReadTheFileOfTheVariable() {
        final ClusterFile cluster = parse(first);
        assertEquals("first", cluster.config().name());
        assertTrue(cluster.isGiven());
        assertTrue(cluster.lab().isEmpty());
    }

    @Test
    void shouldPreferAnOptionToTheVariable() {
        assertEquals("second", parse(first, "--config", second).config().name());
        final ClusterFile cluster = parse(first, "--name", ABSENT_LAB);
        final ToolException e = assertThrows(ToolException.class, cluster::config);
        assertTrue(e.getMessage().contains(ABSENT_LAB), e.getMessage());
    }

    @Test
    void shouldReadNoOtherClusterThanTheNamedLab() {
        final ClusterFile cluster = parse(null, "--name", ABSENT_LAB);
        final ToolException e = assertThrows(ToolException.class, cluster::config);
        assertTrue(e.getMessage().contains(ABSENT_LAB), e.getMessage());
        assertTrue(cluster.isGiven());
    }

    @Test
    void shouldSelectTheSameClusterInAnotherCommand() {
        assertEquals(List.of(), parse(first).words());
        assertEquals(List.of("--name", "x"), parse(first, "--name", "x").words());
        assertEquals(List.of("--config", second), parse(first, "--config", second).words());
        assertEquals(List.of("--name", "lab"), parse(null).words());
    }

    @Test
    void shouldTakeTheFileOfTheFolderWhenNothingElseIsNamed() throws IOException {
        // given
        final String local = write("cluster");
        assumeTrue(parse(null).lab().isEmpty(), "a lab of this user runs");
        // when
        final ClusterFile cluster = parse(null);
        // then
        assertTrue(cluster.isGiven());
        assertEquals("cluster", cluster.config().name());
        assertEquals(List.of("--config", local), cluster.words());
        assertEquals("first", parse(first).config().name());
        assertEquals("second", parse(null, "--config", second).config().name());
    }

    @Test
    void shouldNotTakeAFileThatOthersMayWrite() throws IOException {
        // given
        final Path local = Path.of(write("cluster"));
        Files.setPosixFilePermissions(local, PosixFilePermissions.fromString("rw-rw-rw-"));
        // then
        assertFalse(new LocalFile(folder).isTrusted());
        assertTrue(new LocalFile(folder).complaint().endsWith("others may write it"));
        // and: a link leads anywhere
        Files.delete(local);
        Files.createSymbolicLink(local, Path.of(first));
        assertFalse(new LocalFile(folder).isTrusted());
        Files.delete(local);
        assertEquals("", new LocalFile(folder).complaint());
    }
}
