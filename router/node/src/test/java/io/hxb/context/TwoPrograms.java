package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Two programs that are attached to one node, with a context each, of the numbers 1 and 2. Used by
 * one thread.
 */
final class TwoPrograms implements AutoCloseable {
    private static final long EXCHANGE_LIMIT_NS = 1_000_000_000L;

    final TestNode node;
    final AttachServer server;
    final PmDevice left;
    final PmDevice right;
    final PmContext one;
    final PmContext two;
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    /**
     * Attaches them.
     *
     * @param directory for the node's socket.
     * @param node which this closes.
     */
    TwoPrograms(final Path directory, final TestNode node, final PmContextOptions options)
            throws Exception {
        this.node = opened(node);
        final ServedSocket socket = opened(new ServedSocket(directory));
        server = opened(socket.serve(node.start()));
        left = opened(PmDevice.attach(socket.path()));
        right = opened(PmDevice.attach(socket.path()));
        one = opened(left.openContext(1, options));
        two = opened(right.openContext(2, options));
    }

    /** The same with a node and contexts as by default. */
    TwoPrograms(final Path directory) throws Exception {
        this(directory, new TestNode(), PmContextOptions.DEFAULT);
    }

    /** Sends a message from one context to another, which receives and releases it. */
    static void exchange(final PmContext from, final PmContext to) {
        final PmMessage message = new PmMessage();
        assertEquals(
                PmStatus.OK,
                from.send(0, to.contextId(), new byte[] {1, 2, 3}, 7, EXCHANGE_LIMIT_NS));
        assertEquals(PmStatus.OK, to.receive(message, EXCHANGE_LIMIT_NS));
        assertEquals(3, message.lengthBytes());
        assertEquals(from.contextId(), message.sourceContext());
        final long handle = message.handle();
        to.release(message);
        assertThrows(IllegalStateException.class, () -> to.release(handle));
    }

    private <T extends AutoCloseable> T opened(final T resource) {
        resources.push(resource);
        return resource;
    }

    @Override
    public void close() {
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
            } catch (final Exception e) {
                throw new IllegalStateException("closing", e);
            }
        }
    }
}
