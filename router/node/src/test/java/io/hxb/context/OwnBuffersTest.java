package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.ResourceShare;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.pm.attach.AttachMessage;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Contexts with receive buffers of their own: {@code context.isolation: copy}. */
@Tag("system")
class OwnBuffersTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int OWN_BUFFERS = 32;
    private static final String COMMON_POOL = "memfd:hxb-receive";

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

    private static int send(final PmContext from, final int context, final byte[] payload) {
        final int slot = from.claim(0, context, payload.length);
        if (slot >= 0) {
            from.sendBuffer(slot).putBytes(0, payload);
            assertEquals(PmStatus.OK, from.send(slot, payload.length, payload.length));
        }
        return slot;
    }

    @Test
    void shouldPassNoDescriptorOfTheCommonPool() throws Exception {
        try (TestNode node = TestNode.copying(OWN_BUFFERS).start();
                AttachServer server = socket.serve(node)) {
            assertEquals(List.of("memfd:hxb-node"), descriptorsOfHello());
            assertEquals(0, server.refused());
        }
        try (TestNode node = new TestNode().start();
                AttachServer server = socket.serve(node)) {
            assertEquals(List.of("memfd:hxb-node", COMMON_POOL), descriptorsOfHello());
            assertEquals(0, server.refused());
        }
    }

    private List<String> descriptorsOfHello() throws IOException {
        final List<String> names = new ArrayList<>();
        try (UnixSocket connection = UnixSocket.connect(socket.path())) {
            final AttachMessage hello = new AttachMessage().request(AttachMessage.HELLO);
            connection.send(hello.address(), AttachMessage.LENGTH_BYTES);
            TestNode.await("a reply", () -> isAnswered(connection, hello));
            for (int i = 0; i < connection.receivedDescriptors(); i++) {
                final Path link = Path.of("/proc/self/fd/" + connection.receivedDescriptor(i));
                names.add(Files.readSymbolicLink(link).toString().replaceAll("^/| .*", ""));
            }
            connection.closeReceivedDescriptors();
        }
        return names;
    }

    private static boolean isAnswered(final UnixSocket connection, final AttachMessage reply) {
        try {
            return connection.receive(reply.address(), AttachMessage.LENGTH_BYTES, false)
                    == AttachMessage.LENGTH_BYTES;
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldEchoEveryByteThoughTheProcessCannotSeeTheCommonPool() throws Exception {
        try (TestNode node = TestNode.copying(OWN_BUFFERS).start();
                AttachServer server = socket.serve(node);
                PmDevice device = PmDevice.attach(socket.path());
                PmContext context = device.openContext(1)) {
            final Process echo = socket.child("echo", 5);
            final Random random = new Random(11);
            for (int i = 0; i < 500; i++) {
                // given
                final byte[] payload = new byte[i < 2 ? i : random.nextInt(TestNode.MTU_BYTES)];
                random.nextBytes(payload);
                // when
                assertTrue(send(context, 5, payload) >= 0);
                assertEquals(PmStatus.OK, context.await(20 * SECOND_NS));
                assertEquals(PmStatus.OK, context.receive(message));
                // then
                final byte[] back = new byte[message.lengthBytes()];
                message.buffer().getBytes(0, back);
                assertArrayEquals(payload, back);
                context.release(message);
            }
            TestNode.await("all buffers are back", () -> node.pool.outstanding() == 0);
            assertFalse(isMapped(echo), "the process has mapped the common pool");
            assertEquals(0, server.refused());
        }
    }

    private static boolean isMapped(final Process process) throws IOException {
        return Files.readString(Path.of("/proc/" + process.pid() + "/maps")).contains(COMMON_POOL);
    }

    @Test
    void shouldHoldNoBufferOfTheNodeAndTakeBackEverythingFromAKilledProcess() throws Exception {
        try (TestNode node = TestNode.copying(OWN_BUFFERS).start();
                AttachServer server = socket.serve(node);
                PmDevice device = node.attached();
                PmContext context = device.openContext(1)) {
            // given: a process that holds all the buffers it has
            final UserAccount account = node.manager.shares().of(AttachAccess.ownUid());
            final Process holder = socket.child("hold", 5);
            for (int i = 0; i < 2 * OWN_BUFFERS; i++) {
                send(context, 5, new byte[100]);
            }
            TestNode.await("it is full", () -> context.unfinishedSends() == OWN_BUFFERS);
            TestNode.await("it holds none of the node", () -> node.pool.outstanding() == 0);
            // when: others go on
            final Process echo = socket.child("echo", 6);
            assertTrue(send(context, 6, new byte[8]) >= 0);
            assertEquals(PmStatus.OK, context.await(20 * SECOND_NS));
            assertEquals(PmStatus.OK, context.receive(message));
            context.release(message);
            echo.destroyForcibly().waitFor();
            holder.destroyForcibly().waitFor();
            // then
            TestNode.await("contexts closed", () -> node.manager.openContexts() == 1);
            TestNode.await(
                    "memory back", () -> account.book(ResourceShare.MEMORY_BYTES).used() == 0);
            assertEquals(0, node.pool.outstanding());
            assertEquals(0, server.refused());
        }
    }
}
