package io.hxb.observe.view;

import io.hxb.observe.ObserveServer;
import io.hxb.topology.Shape;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Serves the page for a network that is not there. Used by one thread. */
final class PageServer implements AutoCloseable {
    private final GeneratedNetwork network;
    private final LiveNetwork live;
    private final ObserveServer server;

    /** Listens when this returns; port 0 is any free one. */
    PageServer(final GeneratedNetwork network, final String run, final int port) {
        this.network = network;
        live = new LiveNetwork(network.plan(), network, run);
        final ObserveServer.Builder builder =
                new ObserveServer.Builder(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        NetworkView.addTo(builder, live);
        server = builder.start();
        server.listening().join();
    }

    GeneratedNetwork network() {
        return network;
    }

    LiveNetwork live() {
        return live;
    }

    int port() {
        return server.listening().join().getPort();
    }

    String url() {
        return "http://127.0.0.1:" + port() + "/";
    }

    @Override
    public void close() {
        server.close();
    }

    /**
     * Serves until it is ended.
     *
     * @param words the port, the shape, and the links of a dimension.
     */
    public static void main(final String... words) throws InterruptedException {
        try (PageServer server =
                new PageServer(
                        new GeneratedNetwork(Shape.parse(words[1]), Integer.parseInt(words[2])),
                        Long.toString(System.nanoTime(), Character.MAX_RADIX),
                        Integer.parseInt(words[0]))) {
            System.out.println(server.url());
            Thread.currentThread().join();
        }
    }
}
