package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.config.LoopConfig;
import io.hxb.node.loop.NodeThreads;
import io.hxb.os.ServiceManager;
import io.hxb.testing.NotifySocket;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

@Tag("system")
class WatchdogTaskTest {
    private static final long SECOND_NS = 1_000_000_000L;

    @TempDir private Path folder;

    @Test
    void shouldNotifyAManagerAtAPathOrAnAbstractName() throws Exception {
        final String path = folder.resolve("notify").toString();
        for (final String name : List.of(path, "@hxb-test-" + ProcessHandle.current().pid())) {
            try (NotifySocket socket = new NotifySocket(name);
                    ServiceManager manager =
                            ServiceManager.of(
                                    Map.of("NOTIFY_SOCKET", name, "WATCHDOG_USEC", "2000000"))) {
                manager.ready("node 1\nof a");
                manager.alive();
                manager.stopping();
                assertEquals(
                        List.of("READY=1\nSTATUS=node 1 of a", "WATCHDOG=1", "STOPPING=1"),
                        socket.received());
                assertEquals(2 * SECOND_NS, manager.watchdogNs());
            }
        }
    }

    @Test
    void shouldKeepQuietWithoutAManager() throws Exception {
        try (ServiceManager manager = ServiceManager.of(Map.of("WATCHDOG_PID", "1"))) {
            manager.ready("");
            assertEquals(0, manager.watchdogNs());
        }
    }

    @Test
    void shouldBeSilentWhileALoopDoesNotTurn() throws Exception {
        // given two loops, and a manager that wants a sign of life every 40 ms
        final String name = folder.resolve("notify").toString();
        final LoopConfig one = LoopConfig.DEFAULT;
        final LoopConfig two =
                new LoopConfig(
                        2,
                        one.waiting(),
                        one.spinForNs(),
                        one.batchFrames(),
                        one.cpus(),
                        one.priority());
        final CountDownLatch isStuck = new CountDownLatch(1);
        final CountDownLatch isReleased = new CountDownLatch(1);
        try (NotifySocket socket = new NotifySocket(name);
                ServiceManager manager =
                        ServiceManager.of(
                                Map.of("NOTIFY_SOCKET", name, "WATCHDOG_USEC", "160000"));
                NodeThreads threads = NodeThreads.start(two)) {
            threads.driver(0).add(new WatchdogTask(manager, threads));
            TestNamespaces.await("signs of life", () -> socket.received().size() >= 3);

            // when the second loop hangs
            threads.driver(1)
                    .runSoon(
                            () -> {
                                isStuck.countDown();
                                awaitQuietly(isReleased);
                            });
            isStuck.await();
            final int before = socket.received().size();
            final CountDownLatch turns = new CountDownLatch(1);
            final long deadlineNs = System.nanoTime() + SECOND_NS;
            while (System.nanoTime() - deadlineNs < 0) {
                Thread.onSpinWait();
            }
            threads.driver(0).runSoon(turns::countDown);
            turns.await();

            // then: the first loop turns, but reports at most what it had the answers for
            final int during = socket.received().size() - before;
            assertEquals(true, during <= 1, "signs of life: " + during);
            isReleased.countDown();
            TestNamespaces.await("signs again", () -> socket.received().size() > before + 3);
        } finally {
            isReleased.countDown();
        }
    }

    private static void awaitQuietly(final CountDownLatch latch) {
        try {
            latch.await();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
