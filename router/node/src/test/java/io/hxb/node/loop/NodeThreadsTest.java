package io.hxb.node.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.LoopConfig;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Threads;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Loops on the CPUs of this machine. */
@Tag("system")
class NodeThreadsTest {
    private static final LoopConfig TWO_ON_ONE_CPU =
            new LoopConfig(2, LoopConfig.Waiting.SPIN, 50_000, 64, List.of(0), 0);

    @Test
    void shouldGiveWayWhereSpinningLoopsShareACpu() {
        // given
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        try (NodeThreads threads = NodeThreads.start(TWO_ON_ONE_CPU)) {
            // when
            while (yields(threads) == 0 && System.nanoTime() - deadlineNs < 0) {
                LockSupport.parkNanos(1_000_000);
            }
            // then
            assertTrue(yields(threads) > 0, "both still spin on CPU 0");
        }
    }

    @Test
    void shouldHaveItsPriorityThoughItsCpuIsNotThere() throws Exception {
        assumeTrue(mayHavePriority(), "skipped: SCHED_FIFO needs CAP_SYS_NICE");
        // given: as a cluster file may have it, a CPU that is in no cpuset
        final LoopConfig absent =
                new LoopConfig(1, LoopConfig.Waiting.BLOCK, 0, 64, List.of(1_023), 7);
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        // when
        try (NodeThreads threads = NodeThreads.start(absent, 97)) {
            // then
            while (!priorities("hxb-loop-97").contains("7 1")
                    && System.nanoTime() - deadlineNs < 0) {
                LockSupport.parkNanos(1_000_000);
            }
            assertEquals(List.of("7 1"), priorities("hxb-loop-97"));
            assertEquals(1, threads.count());
        }
    }

    private static boolean mayHavePriority() throws InterruptedException {
        final AtomicBoolean may = new AtomicBoolean();
        final Thread thread =
                new Thread(
                        () -> {
                            try {
                                Threads.schedule(Threads.POLICY_FIFO, 7);
                                may.set(true);
                            } catch (final LinuxException e) {
                                may.set(false);
                            }
                        });
        thread.start();
        thread.join();
        return may.get();
    }

    /** Priority and policy of this process's threads of a name. Source: proc_pid_stat(5). */
    private static List<String> priorities(final String name) throws IOException {
        final List<String> found = new ArrayList<>();
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            for (final Path task : tasks.toList()) {
                final String stat = text(task.resolve("stat"));
                if (stat.contains("(" + name + ")")) {
                    final String[] fields =
                            stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
                    found.add(fields[40 - 3] + " " + fields[41 - 3]);
                }
            }
        }
        return found;
    }

    private static String text(final Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            // The thread has ended meanwhile.
            return "";
        }
    }

    private static long yields(final NodeThreads threads) {
        return threads.driver(0).yields() + threads.driver(1).yields();
    }
}
