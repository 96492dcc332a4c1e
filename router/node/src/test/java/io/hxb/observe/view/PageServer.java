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
    private int flowRequests;

    /** Listens when this returns; port 0 is any free one. */
    PageServer(final GeneratedNetwork network, final String run, final int port) {
        this.network = network;
        live = new LiveNetwork(network.plan(), network, run);
        final ObserveServer.Builder builder =
                new ObserveServer.Builder(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        NetworkView.addTo(builder, live);
        builder.route(
                "/api/v1/flows",
                (request, response) ->
                        response.send(200, "application/json", flows(request.query().get("node"))));
        server = builder.start();
        server.listening().join();
    }

    /** Two nodes with a flow each, which sends 5 MB in each second; one flow of one node. */
    private String flows(final String node) {
        flowRequests++;
        final String ofAll = node == null ? flow(2, "sink") + "," : "";
        final int shown = node == null ? 3 : Integer.parseInt(node);
        return """
        {"ok":true,"viewer":"operator","time_ms":%d,
         "nodes":[{"node":%d,"total":2},{"node":7,"problem":"no node listens on /run/x"}],
         "flows":[%s%s]}
        """
                .formatted(1_000L * flowRequests, shown, ofAll, flow(shown, "source"));
    }

    private String flow(final int node, final String program) {
        return """
        {"node":%d,"user":"user 1000","tenant":"","pid":4711,"program":"%s","kind":"messages",
         "context":5,"peer_node":1,"peer_kind":"messages","peer_context":9,"state":"open",
         "sent_bytes":%d,"sent_messages":3,"received_bytes":0,"received_messages":0,
         "in_flight_frames":4,"waiting_messages":1,"waiting_bytes":2048,"round_trip_ns":12300,
         "resent_frames":0,"links":[{"link":"x.0","frames":3},{"link":"x.1","frames":1}]}\
        """
                .formatted(node, program, 5_000_000L * flowRequests);
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
