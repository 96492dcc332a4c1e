package io.hxb.link.udp;

import io.hxb.link.LinkProvider.HeardNeighbours;
import io.hxb.os.Capabilities;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The neighbours on UDP links that the cluster file gives by name. While one of them is not heard,
 * its name is looked up again from time to time, as its host may have another address now. That
 * takes a thread of its own, because a name server may take long to answer; there is none where the
 * file has addresses only. Filled and started by the thread that starts the node.
 */
final class UdpNames implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(UdpNames.class);
    private static final long INTERVAL_MS = 5_000;
    private static final long[] UNKNOWN = {};

    private final List<Named> all = new ArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    private final Resolver resolver;

    private record Named(UdpLink link, int neighbour, String host, int port) {}

    /** Knows the addresses of names. */
    interface Resolver {
        /** The addresses of a host with a port; one at least. May block. */
        long[] resolve(String host, int port) throws UnknownHostException;
    }

    /** No names; addresses are asked of the system. */
    UdpNames() {
        this(UdpAddress::resolve);
    }

    /** No names; addresses are asked of {@code resolver}. */
    UdpNames(final Resolver resolver) {
        this.resolver = resolver;
    }

    /** Notes that a neighbour on a link has that host; ignores addresses. */
    void add(final UdpLink link, final int neighbour, final String host, final int port) {
        if (!UdpAddress.isLiteral(host)) {
            all.add(new Named(link, neighbour, host, port));
        }
    }

    /** Begins to look after the names, if there are any. */
    void start(final HeardNeighbours heard) {
        if (!all.isEmpty()) {
            final Thread thread = new Thread(Capabilities.givingUp(() -> run(heard)), "hxb-names");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void run(final HeardNeighbours heard) {
        try {
            while (!closed.await(INTERVAL_MS, TimeUnit.MILLISECONDS)) {
                lookUp(heard);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Looks up the names of all neighbours that are not heard, each name once. */
    void lookUp(final HeardNeighbours heard) {
        final Map<String, long[]> known = new HashMap<>();
        for (final Named named : all) {
            if (closed.getCount() > 0 && !heard.isHeard(named.link.index(), named.neighbour)) {
                final long[] addresses =
                        known.computeIfAbsent(named.host + ":" + named.port, _ -> addresses(named));
                follow(named, addresses);
            }
        }
    }

    // A name that is not known for the moment keeps the addresses it had.
    private long[] addresses(final Named named) {
        try {
            return resolver.resolve(named.host, named.port);
        } catch (final UnknownHostException e) {
            return UNKNOWN;
        }
    }

    private static void follow(final Named named, final long[] addresses) {
        if (addresses.length == 0 || named.link.peers().isKnown(named.neighbour, addresses)) {
            return;
        }
        try {
            named.link.hear(named.link.peers().with(named.neighbour, addresses));
            LOGGER.info(
                    "link {}: {} is at {} now",
                    named.link.name(),
                    named.host,
                    Arrays.stream(addresses).mapToObj(UdpAddress::format).toList());
        } catch (final IOException e) {
            LOGGER.warn("{}", e.getMessage());
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
