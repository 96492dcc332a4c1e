package io.hxb.node;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.raw.RawLink;
import io.hxb.link.raw.RawLinkConfig;
import io.hxb.link.udp.UdpAddress;
import io.hxb.link.udp.UdpLink;
import io.hxb.link.udp.UdpLinkConfig;
import io.hxb.link.udp.UdpPeers;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Opens the links of a node as its cluster file describes them. Stateless. */
final class LinkFactory {
    private LinkFactory() {}

    /**
     * Opens all links of a node; on failure none stays open.
     *
     * @param shares share of the loop that each link is dealt to, by link index, {@code [links]}.
     * @param names takes the neighbours that have names.
     * @return the links by index, {@code [links]}.
     * @throws IOException naming the link and what to do.
     */
    static Link[] open(
            final ClusterConfig config,
            final int nodeId,
            final BufferPool.Share[] shares,
            final UdpNames names)
            throws IOException {
        final List<LinkConfig> plan = config.links(nodeId);
        final Link[] links = new Link[plan.size()];
        try {
            for (final LinkConfig link : plan) {
                links[link.index()] =
                        config.backend() == Backend.RAW
                                ? raw(config, nodeId, link, shares[link.index()])
                                : udp(config, nodeId, link, shares[link.index()], names);
            }
            return links;
        } catch (final IOException | RuntimeException e) {
            for (final Link link : links) {
                if (link != null) {
                    link.close();
                }
            }
            throw e;
        }
    }

    private static Link raw(
            final ClusterConfig config,
            final int nodeId,
            final LinkConfig link,
            final BufferPool.Share share)
            throws IOException {
        final String namespace = config.netns(nodeId);
        return RawLink.open(
                new RawLinkConfig(
                        link.index(),
                        link.nic(),
                        namespace.isEmpty() ? null : namespace,
                        link.dimension(),
                        config.shape().coordinates(nodeId),
                        config.frame(),
                        config.socket()),
                share);
    }

    private static Link udp(
            final ClusterConfig config,
            final int nodeId,
            final LinkConfig link,
            final BufferPool.Share share,
            final UdpNames names)
            throws IOException {
        final Map<Integer, LinkConfig> neighbours = neighbours(config, nodeId, link);
        final long[][] addresses = new long[Shape.MAX_EXTENT][];
        for (final Map.Entry<Integer, LinkConfig> other : neighbours.entrySet()) {
            addresses[other.getKey()] = addresses(other.getValue());
        }
        final UdpLink open = open(config, link, UdpPeers.of(addresses), share);
        neighbours.forEach((i, other) -> names.add(open, i, other.host(), other.port()));
        return open;
    }

    // Of the addresses of a host name, some may belong to other machines: each is tried.
    private static UdpLink open(
            final ClusterConfig config,
            final LinkConfig link,
            final UdpPeers peers,
            final BufferPool.Share share)
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
    private static Map<Integer, LinkConfig> neighbours(
            final ClusterConfig config, final int nodeId, final LinkConfig link) {
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
