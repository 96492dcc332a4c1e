package io.hxb.context;

import io.hxb.fuzz.Script;
import io.hxb.linux.Descriptors;
import io.hxb.linux.EventFd;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.PmDevice;
import io.hxb.pm.attach.AttachMessage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * A program at the node's Unix socket that sends what a script contains: requests in any order with
 * any arguments, cut, with descriptors, answers taken or not. When it has gone the node has every
 * context and buffer back, and serves others; that descriptors and mappings are gone is checked for
 * all targets. Used by one thread.
 */
public final class HostileClient {
    private static final long LIMIT_NS = 60_000_000_000L;
    private static final long CONNECT_LIMIT_MS = 5_000;
    private static final long LOOK_NS = 200_000;
    private static final int MAX_STEPS = 40;
    private static final int HONEST_EVERY = 64;

    private static HostileClient instance;

    private final TestNode node;
    private final Path socket;
    private int runs;

    private HostileClient() throws Exception {
        node = new TestNode().start();
        socket = Files.createTempDirectory("hxb-fuzz").resolve("s");
        socket.toFile().deleteOnExit();
        socket.getParent().toFile().deleteOnExit();
        final AttachServer server =
                new AttachServer(node.manager, socket, AttachAccess.ownUser()).start();
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        attachHonestly();
    }

    /**
     * Runs a script of any bytes.
     *
     * @throws AssertionError if something is left behind, or the node serves nobody any more.
     */
    public static void run(final byte[] bytes) {
        try {
            if (instance == null) {
                instance = new HostileClient();
            }
            instance.run(new Script(bytes));
        } catch (final RuntimeException e) {
            throw e;
        } catch (final Exception e) {
            throw new AssertionError(e);
        }
    }

    private void run(final Script script) throws IOException {
        try (UnixSocket connection = UnixSocket.connect(socket, CONNECT_LIMIT_MS)) {
            talk(script, connection);
        }
        await("contexts", () -> node.manager.openContexts() == 0);
        await("buffers", () -> node.pool.outstanding() == 0);
        await("rings", () -> node.manager.directOffers().count() == 0);
        if (node.failure() != null) {
            throw new AssertionError("the loop has ended", node.failure());
        }
        if (++runs % HONEST_EVERY == 0) {
            attachHonestly();
        }
    }

    private void talk(final Script script, final UnixSocket connection) throws LinuxException {
        final AttachMessage message = new AttachMessage();
        message.request(script.next() % 16 != 0 ? AttachMessage.HELLO : script.next());
        for (int step = 0; step < MAX_STEPS && script.hasNext(); step++) {
            final int how = script.next();
            if ((how & 7) == 7) {
                Memory.putLong(message.address() + script.next() % 64 * 8L, script.nextLong());
            }
            final int lengthBytes =
                    (how & 24) == 24 ? script.next() * 2 : AttachMessage.LENGTH_BYTES;
            if (!send(connection, message, lengthBytes, (how & 96) == 96)) {
                return;
            }
            if ((how & 128) == 0) {
                answer(connection, message);
            }
            message.request(type(script.next()));
            message.argument(0, script.near(script.next()));
            message.argument(1, script.near(16));
            message.argument(2, script.near(256));
            message.argument(3, script.near(256));
            message.argument(4, script.near(0));
        }
    }

    private static int type(final int chosen) {
        final int type = 1 + chosen % 7;
        final boolean isDirect = type == 7 && chosen >= 128;
        return isDirect ? AttachMessage.OFFER_DIRECT + chosen % 2 : type;
    }

    private static boolean send(
            final UnixSocket connection,
            final AttachMessage message,
            final int lengthBytes,
            final boolean hasDescriptor)
            throws LinuxException {
        if (!hasDescriptor) {
            return connection.send(message.address(), lengthBytes) > 0;
        }
        final int descriptor = EventFd.create();
        final boolean isPair = message.type() == AttachMessage.OFFER_DIRECT;
        final int[] descriptors =
                isPair ? new int[] {descriptor, descriptor} : new int[] {descriptor};
        try {
            return connection.send(message.address(), lengthBytes, descriptors) > 0;
        } finally {
            Descriptors.close(descriptor);
        }
    }

    // Waits a moment for an answer; a node that has had enough gives none.
    private static void answer(final UnixSocket connection, final AttachMessage message)
            throws LinuxException {
        for (int i = 0; i < 20; i++) {
            final int length =
                    connection.receive(message.address(), AttachMessage.LENGTH_BYTES, false);
            connection.closeReceivedDescriptors();
            if (length != UnixSocket.WOULD_BLOCK) {
                return;
            }
            LockSupport.parkNanos(LOOK_NS);
        }
    }

    private void attachHonestly() throws IOException {
        try (PmDevice device = PmDevice.attach(socket)) {
            device.openContext(1).close();
        }
        await("contexts", () -> node.manager.openContexts() == 0);
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(final String what, final Condition condition) {
        final long startNs = System.nanoTime();
        while (!condition.holds()) {
            if (System.nanoTime() - startNs > LIMIT_NS) {
                throw new AssertionError(what + " are left behind");
            }
            LockSupport.parkNanos(LOOK_NS);
        }
    }
}
