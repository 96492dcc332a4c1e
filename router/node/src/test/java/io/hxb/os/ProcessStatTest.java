package io.hxb.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

@Tag("unit")
class ProcessStatTest {
    private static final long NAMESPACE = 4026531836L;
    private static final ProcessStat NODE = new ProcessStat(17, 9900, NAMESPACE);

    @TempDir private Path proc;

    @BeforeEach
    void makesAProc() throws IOException {
        Files.createDirectories(proc.resolve("self/ns"));
        Files.createSymbolicLink(proc.resolve("self/ns/pid"), Path.of("pid:[" + NAMESPACE + "]"));
        Files.createDirectories(proc.resolve("1"));
    }

    private void process(final char state, final long startTicks) throws IOException {
        final Path folder = Files.createDirectories(proc.resolve("17"));
        Files.writeString(
                folder.resolve("stat"),
                "17 (a (b) c) " + state + " 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 " + startTicks);
    }

    @Test
    void shouldKnowItselfAsRunning() {
        final ProcessStat self = ProcessStat.ofThisProcess();
        assertEquals(ProcessHandle.current().pid(), self.pid());
        assertTrue(self.startTicks() > 0 && self.namespace() > 0, self.toString());
        assertFalse(self.hasEnded());
    }

    @Test
    void shouldSeeThatAProcessRuns() throws IOException {
        process('S', 9900);
        assertFalse(NODE.hasEnded(proc));
    }

    @Test
    void shouldSeeThatAProcessIsNotThere() {
        assertTrue(NODE.hasEnded(proc));
    }

    @Test
    void shouldTakeAZombieForEnded() throws IOException {
        process('Z', 9900);
        assertTrue(NODE.hasEnded(proc));
    }

    @Test
    void shouldRecogniseALaterProcessWithTheSameNumber() throws IOException {
        process('S', 12000);
        assertTrue(NODE.hasEnded(proc));
    }

    @Test
    void shouldNotJudgeProcessesOfOtherNamespaces() {
        assertFalse(new ProcessStat(17, 9900, NAMESPACE + 1).hasEnded(proc));
        assertFalse(new ProcessStat(17, 0, 0).hasEnded(proc));
    }

    @Test
    void shouldNotJudgeWhereProcessesAreHidden() throws IOException {
        Files.delete(proc.resolve("1"));
        assertFalse(NODE.hasEnded(proc));
    }
}
