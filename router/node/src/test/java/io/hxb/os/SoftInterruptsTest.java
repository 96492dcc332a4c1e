package io.hxb.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder in place of the kernel's. */
@Tag("unit")
class SoftInterruptsTest {
    private static final long MS = 1_000_000;

    @TempDir private Path proc;

    private void thread(final int pid, final String name, final char state, final long workedNs)
            throws IOException {
        final Path folder = Files.createDirectories(proc.resolve(Integer.toString(pid)));
        Files.writeString(folder.resolve("comm"), name + "\n");
        Files.writeString(folder.resolve("stat"), pid + " (" + name + ") " + state + " 2 0 0\n");
        Files.writeString(folder.resolve("schedstat"), workedNs + " 77 5\n");
    }

    @Test
    void shouldReportThatFramesWaitWhileAThreadWaitsForItsCpu() throws IOException {
        // given
        thread(1, "init) R (x", 'R', 0);
        thread(14, "ksoftirqd/0", 'S', 1_000);
        thread(22, "ksoftirqd/1", 'S', 5_000);
        try (SoftInterrupts kernel = SoftInterrupts.open(proc)) {
            assertEquals(2, kernel.count());
            assertFalse(kernel.isWaiting(0));
            // when: it gets no turn
            thread(22, "ksoftirqd/1", 'R', 5_000);
            assertTrue(kernel.isWaiting(MS));
            assertTrue(kernel.isWaiting(2 * MS));
            // then: it works, but has more to do
            thread(22, "ksoftirqd/1", 'R', 5_000 + MS);
            assertFalse(kernel.isWaiting(3 * MS));
            // and when: what was seen is old
            assertTrue(kernel.isWaiting(30 * MS));
            thread(22, "ksoftirqd/1", 'S', 5_000 + MS);
            assertFalse(kernel.isWaiting(31 * MS));
        }
    }

    @Test
    void shouldKnowOfNothingWhereThreadsOfTheKernelAreNotSeen() {
        try (SoftInterrupts kernel = SoftInterrupts.open(proc)) {
            assertEquals(0, kernel.count());
            assertFalse(kernel.isWaiting(0));
        }
    }
}
