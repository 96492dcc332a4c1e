package io.hxb.node;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkProvider;
import io.hxb.link.raw.RawLinkProvider;
import io.hxb.link.udp.UdpLinkProvider;

import java.io.IOException;
import java.util.List;

/** The kinds of links that a cluster file can name, a row each. Stateless. */
final class LinkProviders {
    private LinkProviders() {}

    /** The kind of links that a cluster has, for one of its nodes. */
    static LinkProvider of(final ClusterConfig config, final int nodeId) {
        return switch (config.backend()) {
            case RAW -> new RawLinkProvider(config, nodeId);
            case UDP -> new UdpLinkProvider(config, nodeId);
        };
    }

    /**
     * Opens all links of a node; on failure none stays open.
     *
     * @param plan the node's links.
     * @param shares share of the loop that each link is dealt to, by link index, {@code [links]}.
     * @return the links by index, {@code [links]}.
     * @throws IOException naming the link and what to do.
     */
    static Link[] open(
            final LinkProvider provider,
            final List<LinkConfig> plan,
            final BufferPool.Share[] shares)
            throws IOException {
        final Link[] links = new Link[plan.size()];
        try {
            for (final LinkConfig link : plan) {
                links[link.index()] = provider.open(link, shares[link.index()]);
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
}
