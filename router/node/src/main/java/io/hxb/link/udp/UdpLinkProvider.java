package io.hxb.link.udp;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkProvider;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.Map;

/** The UDP sockets of one node as links. Used by the thread that starts the node. */
public final class UdpLinkProvider implements LinkProvider {
    private final ClusterConfig config;
    private final int nodeId;
    private final UdpNames names = new UdpNames();

    /** For one node of a cluster. */
    public UdpLinkProvider(final ClusterConfig config, final int nodeId) {
        this.config = config;
        this.nodeId = nodeId;
    }

    @Override
    public Link open(final LinkConfig link, final BufferPool.Share share) throws IOException {
        final Map<Integer, LinkConfig> neighbours = neighbours(link);
        final long[][] addresses = new long[Shape.MAX_EXTENT][];
        for (final Map.Entry<Integer, LinkConfig> other : neighbours.entrySet()) {
            addresses[other.getKey()] = addresses(other.getValue());
        }
        final UdpLink open = open(link, UdpPeers.of(addresses), share);
        neighbours.forEach((i, other) -> names.add(open, i, other.host(), other.port()));
        return open;
    }

    @Override
    public AutoCloseable follow(final HeardNeighbours heard) {
        names.start(heard);
        return names;
    }

    /** None: sockets stay open. */
    @Override
    public long neededCapabilities() {
        return 0;
    }

    @Override
    public String relayObstacle() {
        return "UDP links are sockets";
    }

    // Of the addresses of a host name, some may belong to other machines: each is tried.
    private UdpLink open(final LinkConfig link, final UdpPeers peers, final BufferPool.Share share)
            throws IOException {
        LinuxException failure = null;
        for (final long address : addresses(link)) {
            try {
                return UdpLink.open(
                        new UdpLinkConfig(
                                link.index(), UdpAddress.format(address), config.socket()),
                        peers,
                        share);
            } catch (final LinuxException e) {
                if (e.errno() != Errno.EADDRNOTAVAIL) {
                    throw e;
                }
                failure = e;
            }
        }
        throw failure;
    }

    private static long[] addresses(final LinkConfig link) throws IOException {
        try {
            return UdpAddress.resolve(link.host(), link.port());
        } catch (final UnknownHostException e) {
            throw new IOException(
                    "host "
                            + link.host()
                            + " of link "
                            + link.label()
                            + " has no IPv4 address; correct it in the cluster file, or see to"
                            + " /etc/hosts or DNS",
                    e);
        }
    }

    // The same link of every other node on the line, by its coordinate.
    private Map<Integer, LinkConfig> neighbours(final LinkConfig link) {
        final Shape shape = config.shape();
        final long here = shape.coordinates(nodeId);
        final Map<Integer, LinkConfig> neighbours = new LinkedHashMap<>();
        for (int i = 0; i < shape.extent(link.dimension()); i++) {
            final long there = Shape.withCoordinate(here, link.dimension(), i);
            if (there != here) {
                neighbours.put(i, config.links(shape.node(there)).get(link.index()));
            }
        }
        return neighbours;
    }
}
