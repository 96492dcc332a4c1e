package io.hxb.link.raw;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkProvider;
import io.hxb.link.LinkWatch;
import io.hxb.os.Capabilities;

import java.io.IOException;

/** The NICs of one node as links. Used by the thread that starts the node. */
public final class RawLinkProvider implements LinkProvider {
    private final ClusterConfig config;
    private final int nodeId;
    private final String namespace;

    /** For one node of a cluster. */
    public RawLinkProvider(final ClusterConfig config, final int nodeId) {
        this.config = config;
        this.nodeId = nodeId;
        final String named = config.netns(nodeId);
        namespace = named.isEmpty() ? null : named;
    }

    @Override
    public Link open(final LinkConfig link, final BufferPool.Share share) throws IOException {
        return RawLink.open(
                new RawLinkConfig(
                        link.index(),
                        link.nic(),
                        namespace,
                        link.dimension(),
                        config.shape().coordinates(nodeId),
                        config.frame(),
                        config.socket()),
                share);
    }

    @Override
    public AutoCloseable claim() throws IOException {
        return NicClaims.take(config, nodeId, namespace);
    }

    @Override
    public LinkWatch watch() throws IOException {
        return LinkMonitor.open(namespace);
    }

    /**
     * CAP_NET_RAW, since rings are reopened when the MTU grows; CAP_NET_ADMIN where frames may
     * travel by IP, for the settings of NICs that come back or go; CAP_SYS_ADMIN where the NICs are
     * in another network namespace.
     */
    @Override
    public long neededCapabilities() {
        final long joining =
                config.frame().mayUseUdp() || config.frame().mayUseSegments()
                        ? Capabilities.NET_ADMIN
                        : 0;
        final long entering = namespace == null ? 0 : Capabilities.SYS_ADMIN;
        return Capabilities.NET_RAW | joining | entering;
    }

    @Override
    public String relayObstacle() {
        return null;
    }
}
