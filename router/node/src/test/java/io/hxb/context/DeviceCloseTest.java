package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmDestination;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A device that is closed, or a thread that is interrupted, while the thread waits. */
@Tag("unit")
class DeviceCloseTest {
    private static final long LONG_NS = 20_000_000_000L;
    private static final int LIMIT_S = 60;

    @TempDir private Path directory;
    private TestNode node;
    private ServedSocket socket;
    private AttachServer server;

    @BeforeEach
    void start() throws Exception {
        node = new TestNode();
        socket = new ServedSocket(directory);
        server = socket.serve(node.start());
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        socket.close();
        node.close();
        assertEquals(null, node.failure());
    }

    @FunctionalInterface
    private interface Wait {
        int await(PmContext context, CountDownLatch isOpen) throws Exception;
    }

    private static int receive(final PmContext context, final CountDownLatch isOpen) {
        isOpen.countDown();
        return context.receive(new PmMessage(), LONG_NS);
    }

    /** Closes the device of a thread that waits; several times for one that is attached. */
    private void assertEndedByClose(final PmDevice device, final Wait wait) throws Exception {
        for (int pauseMs = 0; pauseMs < 40; pauseMs += 13) {
            final PmDevice closed = device == null ? PmDevice.attach(socket.path()) : device;
            final CountDownLatch open = new CountDownLatch(1);
            final CompletableFuture<Integer> status = new CompletableFuture<>();
            final Thread waiter =
                    new Thread(
                            () -> {
                                try (PmContext context = closed.openContext(6)) {
                                    status.complete(wait.await(context, open));
                                } catch (final Throwable e) {
                                    status.completeExceptionally(e);
                                }
                            });
            waiter.start();
            assertTrue(open.await(LIMIT_S, TimeUnit.SECONDS));
            LockSupport.parkNanos(pauseMs * 1_000_000L);
            // when
            closed.close();
            // then
            assertEquals(PmStatus.CONTEXT_CLOSED, status.get(LIMIT_S, TimeUnit.SECONDS));
            waiter.join(LIMIT_S * 1_000);
            assertFalse(waiter.isAlive());
            assertFalse(closed.isNodeAlive());
            if (device != null) {
                return;
            }
        }
    }

    @Test
    void shouldEndAWaitForMessages() throws Exception {
        assertEndedByClose(null, DeviceCloseTest::receive);
    }

    @Test
    void shouldEndAWaitForSends() throws Exception {
        assertEndedByClose(
                null,
                (context, isOpen) -> {
                    isOpen.countDown();
                    return context.awaitSends(LONG_NS);
                });
    }

    @Test
    void shouldEndPollingWithoutAWait() throws Exception {
        assertEndedByClose(
                null,
                (context, isOpen) -> {
                    isOpen.countDown();
                    final PmMessage message = new PmMessage();
                    int status = PmStatus.EMPTY;
                    while (status == PmStatus.EMPTY || status == PmStatus.OK) {
                        context.send(0, 6, new byte[100], 0, 0);
                        status = context.receive(message);
                        if (status == PmStatus.OK) {
                            context.release(message);
                        }
                    }
                    return status;
                });
    }

    @Test
    void shouldEndAWaitOfAnEmbeddedDevice() throws Exception {
        assertEndedByClose(node.attached(), DeviceCloseTest::receive);
    }

    @Test
    void shouldLetMemoryBeReadThatWasTakenAway() throws Exception {
        // given a message and a region in use
        final PmDevice device = PmDevice.attach(socket.path());
        final PmContext context = device.openContext(3);
        final PmRegion region = device.openRegion(100_000);
        region.segment().fill((byte) 7);
        assertEquals(PmStatus.OK, context.send(0, 3, new byte[] {1, 2, 3}, 4, LONG_NS));
        final PmMessage message = new PmMessage();
        assertEquals(PmStatus.OK, context.receive(message, LONG_NS));
        assertEquals(1, message.buffer().getByte(0));
        // when
        device.close();
        // then
        assertEquals(0, message.buffer().getByte(0));
        assertEquals(0, region.segment().get(ValueLayout.JAVA_BYTE, 99_999));
        assertEquals(PmStatus.CONTEXT_CLOSED, context.receive(new PmMessage()));
        assertEquals(PmStatus.CONTEXT_CLOSED, context.send(0, 3, new byte[3], 4, 0));
        assertEquals("the application has closed it", context.closeReason());
        context.close();
        context.close();
        region.close();
        device.close();
    }

    @Test
    void shouldGiveBackTheContextsThatTheProgramHasForgotten() throws Exception {
        // given a context that is still used by a destination, and one by nobody
        final PmDevice device = PmDevice.attach(socket.path());
        final List<PmDestination> used = new ArrayList<>();
        final String ofUsed = open(device, 3, context -> used.add(context.destination(0, 1)));
        final String ofForgotten =
                open(
                        device,
                        4,
                        context -> context.sendDoneListener((slot, status) -> context.contextId()));
        // when
        device.close();
        // then
        final long startNs = System.nanoTime();
        while (descriptors().contains(ofForgotten)) {
            assertTrue(System.nanoTime() - startNs < 3 * LONG_NS, "its descriptor is still open");
            System.gc();
            LockSupport.parkNanos(1_000_000);
        }
        assertTrue(descriptors().contains(ofUsed));
        assertEquals(0, used.getFirst().unfinishedMessages());
        used.clear();
        while (descriptors().contains(ofUsed)) {
            assertTrue(System.nanoTime() - startNs < 3 * LONG_NS, "its descriptor is still open");
            System.gc();
            LockSupport.parkNanos(1_000_000);
        }
    }

    @FunctionalInterface
    private interface Use {
        void of(PmContext context) throws Exception;
    }

    /** Opens a context, which is forgotten; returns what its descriptor is open on. */
    private static String open(final PmDevice device, final int contextId, final Use use)
            throws Exception {
        final PmContext context = device.openContext(contextId);
        use.of(context);
        final Path link = Path.of("/proc/self/fd", Integer.toString(context.descriptor()));
        return Files.readSymbolicLink(link).toString();
    }

    private static Set<String> descriptors() throws IOException {
        final Set<String> open = new HashSet<>();
        try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (final Path link : links) {
                try {
                    open.add(Files.readSymbolicLink(link).toString());
                } catch (final NoSuchFileException e) {
                    // Closed in the meantime.
                }
            }
        }
        return open;
    }

    @Test
    void shouldEndAWaitWhenTheThreadIsInterrupted() throws Exception {
        try (PmDevice device = PmDevice.attach(socket.path());
                PmContext context = device.openContext(3)) {
            // given
            final Thread waiter = Thread.currentThread();
            final Thread other =
                    new Thread(
                            () -> {
                                LockSupport.parkNanos(50_000_000);
                                waiter.interrupt();
                            });
            other.start();
            // when
            final int status = context.receive(new PmMessage(), LONG_NS);
            // then
            assertEquals(PmStatus.INTERRUPTED, status);
            assertEquals(PmStatus.INTERRUPTED, context.awaitSends(LONG_NS));
            assertTrue(Thread.interrupted());
            assertEquals(PmStatus.TIMED_OUT, context.receive(new PmMessage(), 1_000_000));
            other.join();
            assertNotEquals(0, device.nodeCount());
        }
    }
}
