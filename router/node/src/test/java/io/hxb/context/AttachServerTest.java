package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmException;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.pm.attach.AttachMessage;
import io.hxb.recorder.RecordedEvent;
import io.hxb.recorder.TakenEvents;
import io.hxb.testing.RemovedFolder;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

@Tag("system")
class AttachServerTest {
    private static final long SECOND_NS = 1_000_000_000L;

    @TempDir private Path directory;

    private final PmMessage message = new PmMessage();
    private ServedSocket socket;

    @BeforeEach
    void chooseSocket() {
        socket = new ServedSocket(directory);
    }

    @AfterEach
    void killChildren() {
        socket.close();
    }

    private static int send(final PmContext from, final int context, final int value) {
        final int slot = from.claim(0, context, 8);
        if (slot >= 0) {
            from.sendBuffer(slot).putLong(0, value);
            assertEquals(PmStatus.OK, from.send(slot, 8, value));
        }
        return slot;
    }

    private void pingPong(final PmContext context, final int peer, final int count) {
        for (int i = 0; i < count; i++) {
            assertTrue(send(context, peer, i) >= 0);
            assertEquals(PmStatus.OK, context.await(20 * SECOND_NS));
            assertEquals(PmStatus.OK, context.receive(message));
            assertEquals(i, message.tag());
            assertEquals(i, message.buffer().getLong(0));
            context.release(message);
        }
    }

    @Test
    void shouldServeAnotherProcess() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node);
                PmDevice device = node.attached();
                PmContext context = device.openContext(1)) {
            socket.child("echo", 5);
            pingPong(context, 5, 1000);
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldListenAgainWhereItsSocketWasRemoved() throws Exception {
        final Path place = Files.createDirectory(directory.resolve("run"));
        try (ServedSocket removed = new ServedSocket(place);
                TestNode node = new TestNode().start();
                AttachServer server = removed.serve(node);
                PmDevice device = PmDevice.attach(removed.path());
                PmContext context = device.openContext(1)) {
            // when: the folder goes, as at logout
            RemovedFolder.remove(place);
            // then: attached programs go on
            assertTrue(send(context, 1, 7) >= 0);
            assertEquals(PmStatus.OK, context.await(20 * SECOND_NS));
            assertEquals(PmStatus.OK, context.receive(message));
            context.release(message);
            // and: others attach as soon as it is there again
            Files.createDirectory(place);
            TestNode.await("a socket", () -> isAttachable(removed.path()));
            removed.child("echo", 5);
            pingPong(context, 5, 10);
            assertEquals(0, server.refused());
            // and: where the socket alone was removed
            Files.delete(removed.path());
            TestNode.await("a socket", () -> isAttachable(removed.path()));
        }
        assertFalse(Files.exists(place.resolve("node.sock")));
    }

    private static boolean isAttachable(final Path path) {
        try {
            PmDevice.attach(path).close();
            return true;
        } catch (final IOException e) {
            return false;
        }
    }

    /** A process that attaches again until there is a node must not get a permanent error. */
    @Test
    void shouldBeMissingWhileItStops() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node);
                PmDevice device = PmDevice.attach(socket.path())) {
            node.stop();
            node.loop.close();
            // when
            final CompletableFuture<PmContext> opened = new CompletableFuture<>();
            Thread.startVirtualThread(
                    () -> {
                        try {
                            opened.complete(device.openContext(1));
                        } catch (final Exception e) {
                            opened.completeExceptionally(e);
                        }
                    });
            TestNode.await("an answer", () -> node.loop.doWork(0) >= 0 && opened.isDone());
            // then
            final Throwable why = opened.exceptionNow();
            assertTrue(assertInstanceOf(PmException.class, why).isNodeMissing(), why::getMessage);
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldServeRegionsOverTheSocket() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node);
                PmDevice device = PmDevice.attach(socket.path());
                PmContext context = device.openContext(1);
                PmRegion region = device.openRegion(1 << 20)) {
            region.segment().fill((byte) 7);
            final int slot = context.claim(0, 1, 0);
            assertEquals(PmStatus.OK, context.sendFrom(slot, region, 4096, 100, 3));
            assertEquals(PmStatus.OK, context.await(20 * SECOND_NS));
            assertEquals(PmStatus.OK, context.receive(message));
            assertEquals(7, Memory.getByte(message.address() + 99));
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldTakeBackEverythingFromAKilledProcess() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node);
                PmDevice device = node.attached();
                PmContext context = device.openContext(1)) {
            // given a process that holds all the buffers it may have
            final Process holder = socket.child("hold", 5);
            for (int i = 0; i < TestNode.QUOTA_FRAMES; i++) {
                send(context, 5, i);
            }
            TestNode.await("all sent", () -> context.unfinishedSends() == 0);
            assertEquals(TestNode.QUOTA_FRAMES, node.pool.outstanding());
            // when
            holder.destroyForcibly().waitFor();
            // then
            TestNode.await("context closed", () -> node.manager.openContexts() == 1);
            assertEquals(0, node.pool.outstanding());
            TestNode.await(
                    "it is recorded",
                    () ->
                            TakenEvents.of(node.loop.counters().events())
                                    .contains(RecordedEvent.CONTEXT_DEAD));
            socket.child("echo", 5);
            pingPong(context, 5, 10);
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldServeOthersWhileAProcessHangsAndGoOnWithItAfterwards() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node);
                PmDevice device = node.attached();
                PmContext one = device.openContext(1);
                PmContext two = device.openContext(2)) {
            // given
            final Process hung = socket.child("echo", 5);
            socket.child("echo", 6);
            signal(hung, "STOP");
            int sent = 0;
            while (send(one, 5, sent) >= 0) {
                sent++;
            }
            // when
            pingPong(two, 6, 500);
            TestNode.await(
                    "only the hung one holds",
                    () -> node.pool.outstanding() <= TestNode.QUOTA_FRAMES);
            signal(hung, "CONT");
            // then
            for (int i = 0; i < sent; i++) {
                assertEquals(PmStatus.OK, one.await(20 * SECOND_NS));
                assertEquals(PmStatus.OK, one.receive(message));
                assertEquals(i, message.tag());
                one.release(message);
            }
            assertEquals(0, server.refused());
        }
    }

    private static void signal(final Process process, final String name) throws Exception {
        final int result =
                new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor();
        assertEquals(0, result);
        if (name.equals("STOP")) {
            TestNode.await("every thread stands still", () -> isStopped(process.pid()));
        }
    }

    private static boolean isStopped(final long pid) {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
            return threads.allMatch(thread -> state(thread.resolve("stat")).equals("T"));
        } catch (final IOException | UncheckedIOException e) {
            // A thread has ended meanwhile.
            return false;
        }
    }

    private static String state(final Path stat) {
        try {
            final String line = Files.readString(stat);
            return line.substring(line.lastIndexOf(')') + 2, line.lastIndexOf(')') + 3);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldNotifyApplicationsOfAKilledNodeAndAttachToTheNextOne() throws Exception {
        // given
        final Process node = socket.child("node", 0);
        try (PmDevice device = PmDevice.attach(socket.path());
                PmContext context = device.openContext(1)) {
            pingPong(context, 1, 10);
            // when
            node.destroyForcibly().waitFor();
            // then
            assertEquals(PmStatus.NODE_GONE, context.await(60 * SECOND_NS));
            assertEquals(PmStatus.NODE_GONE, context.receive(message));
            final IOException refused =
                    assertThrows(IOException.class, () -> PmDevice.attach(socket.path()));
            assertTrue(refused.getMessage().contains("no node listens"), refused.getMessage());
        }
        socket.child("node", 0);
        try (PmDevice device = PmDevice.attach(socket.path());
                PmContext context = device.openContext(1)) {
            pingPong(context, 1, 10);
        }
    }

    @Test
    void shouldNotifyApplicationsOfANodeThatStandsStillAndGoOnWithItAfterwards() throws Exception {
        // given
        final Process node = socket.child("node", 0);
        try (PmDevice device = PmDevice.attach(socket.path());
                PmContext context = device.openContext(1)) {
            pingPong(context, 1, 10);
            assertEquals(PmStatus.TIMED_OUT, context.await(SECOND_NS / 2));
            // when
            signal(node, "STOP");
            // then
            assertEquals(PmStatus.NODE_SILENT, context.await(60 * SECOND_NS));
            assertEquals(PmStatus.NODE_SILENT, context.await(1_000));
            assertTrue(send(context, 1, 77) >= 0);
            // when
            signal(node, "CONT");
            // then
            TestNode.await("a message", () -> context.await(SECOND_NS) == PmStatus.OK);
            assertEquals(PmStatus.OK, context.receive(message));
            assertEquals(77, message.tag());
        }
    }

    @Test
    void shouldNoticeAKilledNodeWhileSpinning() throws Exception {
        // given
        final Process node = socket.child("node", 0);
        try (PmDevice device = PmDevice.attach(socket.path());
                PmContext context = device.openContext(1)) {
            // when
            node.destroyForcibly().waitFor();
            // then
            TestNode.await("node gone", () -> context.receive(message) == PmStatus.NODE_GONE);
        }
    }

    @Test
    void shouldRefuseASecondNodeOnTheSamePath() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node)) {
            final IOException refused =
                    assertThrows(
                            IOException.class,
                            () -> ChildProcess.start("node", socket.path(), 0).destroy());
            assertTrue(refused.getMessage().contains("the child process printed ''"));
            final IOException here =
                    assertThrows(IOException.class, () -> socket.serve(node).close());
            assertTrue(here.getMessage().contains("two nodes on one socket path"));
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldNotRemoveAFileThatIsNoSocket() throws Exception {
        try (TestNode node = new TestNode().start()) {
            Files.writeString(socket.path(), "precious");
            final IOException refused =
                    assertThrows(IOException.class, () -> socket.serve(node).close());
            assertTrue(refused.getMessage().contains("is not a socket"), refused.getMessage());
            assertEquals("precious", Files.readString(socket.path()));
        }
    }

    @Test
    void shouldRefuseUsersThatAreNotAllowed() throws Exception {
        try (TestNode node = new TestNode().start();
                AttachServer server =
                        new AttachServer(
                                        node.manager,
                                        socket.path(),
                                        new AttachAccess(Set.of(12_345), Set.of(12_345)))
                                .start()) {
            final IOException refused =
                    assertThrows(IOException.class, () -> PmDevice.attach(socket.path()));
            assertTrue(refused.getMessage().contains("may not attach"), refused.getMessage());
            assertEquals(1, server.refused());
        }
    }

    @Test
    void shouldDetachProcessesThatSendRubbishAndServeOthers() throws Exception {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node);
                PmDevice device = PmDevice.attach(socket.path());
                PmContext context = device.openContext(1)) {
            for (int i = 0; i < 200; i++) {
                sendRubbish(random);
                pingPong(context, 1, 1);
            }
            assertTrue(server.refused() > 0, () -> "seed " + seed);
            TestNode.await("all closed", () -> node.manager.openContexts() == 1);
            assertEquals(null, node.failure(), () -> "seed " + seed);
        }
    }

    private void sendRubbish(final Random random) throws IOException {
        final AttachMessage rubbish = new AttachMessage();
        try (UnixSocket connection = UnixSocket.connect(socket.path())) {
            for (int i = random.nextInt(5); i >= 0; i--) {
                rubbish.request(i == 0 ? random.nextInt(8) : AttachMessage.HELLO + i % 2);
                for (int argument = 0; argument < 5; argument++) {
                    rubbish.argument(argument, random.nextLong() >> random.nextInt(64));
                }
                if (random.nextInt(4) == 0) {
                    Memory.putByte(rubbish.address() + random.nextInt(512), random.nextInt());
                }
                final int length = random.nextInt(8) == 0 ? 1 + random.nextInt(512) : 512;
                connection.send(rubbish.address(), length, 0);
            }
        }
    }

    @Test
    void shouldAlwaysReportWhyAConnectionEnds() {
        // An exception without a message would let it go on.
        assertEquals(
                "java.lang.IllegalStateException", AttachServer.words(new IllegalStateException()));
        assertEquals("why", AttachServer.words(new IllegalStateException("why")));
    }
}
