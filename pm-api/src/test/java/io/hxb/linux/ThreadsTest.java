package io.hxb.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.nic.NicInfo;

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

    @Test
    void shouldBecomeReadableWhenTheTimeHasCome() throws LinuxException {
        // given
        try (TimerFd timer = new TimerFd()) {
            timer.set(Long.MAX_VALUE / 2);
            final int early = Sockets.poll(timer.descriptor(), Sockets.POLLIN, 0);
            // when
            final long start = System.nanoTime();
            timer.set(3_000_000);
            final int events = Sockets.poll(timer.descriptor(), Sockets.POLLIN, 5000);
            // then
            assertEquals(0, early);
            assertEquals(Sockets.POLLIN, events);
            assertTrue(System.nanoTime() - start >= 3_000_000);
            timer.clear();
            assertEquals(0, Sockets.poll(timer.descriptor(), Sockets.POLLIN, 0));
            timer.setDeadline(System.nanoTime() - 1);
            assertEquals(Sockets.POLLIN, Sockets.poll(timer.descriptor(), Sockets.POLLIN, 0));
            timer.cancel();
            assertEquals(0, Sockets.poll(timer.descriptor(), Sockets.POLLIN, 0));
        }
    }

    @Test
    void shouldTellTheLoopbackFromANicThatIsNotThere() throws LinuxException {
        // given
        final String missing = "nosuchnic0";
        // when
        final NicInfo loopback = NicInfo.read("lo");
        final NicInfo none = NicInfo.read(missing);
        // then
        assertTrue(loopback.exists() && loopback.ifindex() > 0);
        assertFalse(none.exists());
        assertFalse(NicInfo.read("a-name-that-is-too-long").exists());
    }

    @Test
    void shouldSayWhichNamespaceIsMissing() {
        // given
        final String namespace = "no-such-namespace";
        // when
        final IOException thrown =
                assertThrows(
                        IOException.class, () -> NetworkNamespace.run(namespace, () -> "here"));
        // then
        assertTrue(thrown.getMessage().contains("/run/netns/no-such-namespace"));
    }
}
