package io.hxb.linux;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

@Tag("unit")
class ThreadsTest {
    @Test
    void shouldPinAndRankOnlyTheCallingThread() throws ExecutionException, InterruptedException {
        // given
        final CompletableFuture<List<String>> status = new CompletableFuture<>();
        // when
        Thread.ofPlatform().start(() -> pinAndRead(status)).join();
        // then
        assertTrue(status.get().contains("Cpus_allowed_list:\t0"), status.get().toString());
        assertFalse(readStatus().contains("Cpus_allowed_list:\t0"));
    }

    private static void pinAndRead(final CompletableFuture<List<String>> status) {
        try {
            Threads.pin(0);
            Threads.nice(5);
            status.complete(readStatus());
        } catch (final IOException e) {
            status.completeExceptionally(e);
        }
    }

    private static List<String> readStatus() {
        try {
            return Files.readAllLines(Path.of("/proc/self/task/" + Threads.threadId() + "/status"));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldRefuseACpuThatCannotBe() {
        // given
        final int cpu = 1024;
        // when, then
        assertThrows(IllegalArgumentException.class, () -> Threads.pin(cpu));
        assertThrows(LinuxException.class, () -> Threads.pin(1023));
    }

    @Test
    void shouldCountHowOftenAThreadThatSharesItsCpuIsTakenOffIt() throws Exception {
        // given: another thread that never waits
        final AtomicBoolean isDone = new AtomicBoolean();
        final Thread other = Thread.ofPlatform().start(() -> spinOnCpu0(isDone::get));
        final CompletableFuture<Long> counted = new CompletableFuture<>();
        // when
        final Thread thread =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    final SwitchCount count = new SwitchCount();
                                    final long before = count.involuntary();
                                    spinOnCpu0(() -> count.involuntary() - before > 3);
                                    counted.complete(count.involuntary() - before);
                                });
        // then
        assertTrue(counted.get(60, TimeUnit.SECONDS) > 3);
        isDone.set(true);
        thread.join();
        other.join();
    }

    private static void spinOnCpu0(final BooleanSupplier until) {
        try {
            Threads.pin(0);
        } catch (final LinuxException e) {
            throw new UncheckedIOException(e);
        }
        while (!until.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }
}
