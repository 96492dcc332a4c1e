package io.hxb.link;

import io.hxb.config.LinkConfig;

import java.io.IOException;

/**
 * One kind of link, as one node uses it: all that a node asks its kind of links for. Used by the
 * thread that starts the node, which closes whatever is returned.
 */
public interface LinkProvider {
    /**
     * Opens one link.
     *
     * @param link a link of the node, as its cluster file describes it.
     * @param share the receive buffers of the loop that will own the link.
     * @throws IOException naming the link and what to do.
     */
    Link open(LinkConfig link, BufferPool.Share share) throws IOException;

    /**
     * Keeps other nodes of the same identity off the links until it is closed; called when all are
     * open.
     *
     * @return null if nothing has to be claimed.
     * @throws IOException if another node uses one of them; the message explains what to do.
     */
    default AutoCloseable claim() throws IOException {
        return null;
    }

    /**
     * Follows addresses of neighbours that may change, until it is closed; called when all links
     * are open.
     *
     * @param heard knows which neighbours need not be looked for.
     * @return null if addresses do not change.
     */
    default AutoCloseable follow(final HeardNeighbours heard) {
        return null;
    }

    /** Reports that links may have changed. */
    default LinkWatch watch() throws IOException {
        return LinkWatch.NONE;
    }

    /**
     * Capabilities that the loops of a service keep, because links are reopened while it runs.
     *
     * @return bits as in {@code io.hxb.os.Capabilities}.
     */
    long neededCapabilities();

    /**
     * Why the kernel cannot relay between links of this kind.
     *
     * @return null if it can.
     */
    String relayObstacle();

    /** Knows which neighbours are heard. */
    interface HeardNeighbours {
        /** True if the neighbour with that coordinate on a link, by index, is heard. */
        boolean isHeard(int link, int neighbour);
    }
}
