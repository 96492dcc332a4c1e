package io.hxb.tool.chaos.traffic;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.lab.EmbeddedCluster;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A context on a node that may die and return. Made by the main thread, then owned by the thread
 * that sends or receives.
 */
final class NodeEnd implements AutoCloseable {
    private static final long RETRY_NS = 20_000_000L;

    private final Path socket;
    private final int contextId;
    private final PmContextOptions options;

    /** The device of a node in this process, which is closed with its cluster; else null. */
    private final PmDevice shared;

    private PmDevice device;
    private PmContext context;
    private long retryNs = System.nanoTime();

    NodeEnd(
            final Cluster cluster,
            final int node,
            final int contextId,
            final PmContextOptions options) {
        socket = cluster.config().socketPath(node);
        this.contextId = contextId;
        this.options = options;
        shared = cluster instanceof EmbeddedCluster ? cluster.device(node) : null;
    }

    /**
     * The context, opened when there is none and the node is there. Blocks for seconds while the
     * node is suspended.
     *
     * @return null if the node is not there now.
     */
    PmContext open() {
        if (context == null && System.nanoTime() - retryNs >= 0) {
            try {
                device = shared == null ? PmDevice.attach(socket) : shared;
                context = device.openContext(contextId, options);
            } catch (final IOException e) {
                shut();
            }
        }
        return context;
    }

    /** The context if it is open, otherwise null. */
    PmContext context() {
        return context;
    }

    /**
     * Opens it for the first time.
     *
     * @throws IOException with the reason why it cannot be opened.
     */
    void openFirst() throws IOException {
        device = shared == null ? PmDevice.attach(socket) : shared;
        context = device.openContext(contextId, options);
    }

    /** Gives the context up; the next {@link #open} opens a new one. */
    void shut() {
        if (context != null) {
            context.close();
            context = null;
        }
        if (device != null && shared == null) {
            device.close();
        }
        device = null;
        retryNs = System.nanoTime() + RETRY_NS;
    }

    @Override
    public void close() {
        shut();
    }
}
