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
}
