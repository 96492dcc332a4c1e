package io.hxb.observe.view;

import io.hxb.observe.EventStream;
import io.hxb.observe.ObserveServer;
import io.hxb.observe.ResourceRequest;
import io.hxb.observe.Response;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The live page and its interface as resources of a server. All of this is what everybody on the
 * machine may see; values of users are in {@link UserJson}. Owned by the server's thread, which
 * also looks at the nodes.
 */
public final class NetworkView {
    private static final Logger LOGGER = LoggerFactory.getLogger(NetworkView.class);
    private static final String FOLDER = "/io/hxb/observe/page/";
    private static final String JSON = "application/json";
    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int NOT_FOUND = 404;
    private static final Map<String, String> FILES =
            Map.ofEntries(
                    Map.entry("page.css", "text/css; charset=utf-8"),
                    Map.entry("icon.svg", "image/svg+xml"),
                    Map.entry("chart.js", SCRIPT),
                    Map.entry("detail.js", SCRIPT),
                    Map.entry("drawing.js", SCRIPT),
                    Map.entry("flows.js", SCRIPT),
                    Map.entry("geometry.js", SCRIPT),
                    Map.entry("graph.js", SCRIPT),
                    Map.entry("loads.js", SCRIPT),
                    Map.entry("main.js", SCRIPT),
                    Map.entry("model.js", SCRIPT),
                    Map.entry("results.js", SCRIPT),
                    Map.entry("stream.js", SCRIPT),
                    Map.entry("tables.js", SCRIPT),
                    Map.entry("users.js", SCRIPT));

    private final LiveNetwork network;
    private boolean hasLooked;
    private boolean hasFailed;
    private long lookedNs;

    private NetworkView(final LiveNetwork network) {
        this.network = network;
    }

    /** Adds the page and its interface to a server. */
    public static void addTo(final ObserveServer.Builder server, final LiveNetwork network) {
        final NetworkView view = new NetworkView(network);
        server.every(LiveNetwork.STATE_INTERVAL_MS, view::beat)
                .route(
                        "/api/v1/network",
                        (request, response) -> response.send(OK, JSON, network.network()))
                .route("/api/v1/events", view::events)
                .route("/api/v1/history", view::history);
        route(server, "/", "index.html", "text/html; charset=utf-8");
        FILES.forEach((name, type) -> route(server, "/page/" + name, name, type));
    }

    private static void route(
            final ObserveServer.Builder server,
            final String path,
            final String name,
            final String type) {
        final byte[] bytes = load(name);
        server.route(path, (request, response) -> response.send(OK, type, bytes));
    }

    /** A file of the page. */
    static byte[] load(final String name) {
        try (InputStream in = NetworkView.class.getResourceAsStream(FOLDER + name)) {
            return in.readAllBytes();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void beat() {
        final long nowNs = System.nanoTime();
        final long intervalNs = TimeUnit.MILLISECONDS.toNanos(network.intervalMs());
        // Beats come a little early or late.
        if (hasLooked && nowNs - lookedNs < intervalNs - intervalNs / 8) {
            return;
        }
        hasLooked = true;
        lookedNs = nowNs;
        try {
            network.tick(nowNs, System.currentTimeMillis());
            hasFailed = false;
        } catch (final RuntimeException e) {
            // The next look may succeed; one line is enough for many that do not.
            if (!hasFailed) {
                LOGGER.warn("the nodes cannot be looked at", e);
            }
            hasFailed = true;
        }
    }

    private void events(final ResourceRequest request, final Response response) {
        final EventStream stream = response.stream();
        final EventViewer viewer = stream::send;
        network.watch(viewer, request.query().getOrDefault("last", ""));
        stream.onClose(() -> network.leave(viewer));
    }

    private void history(final ResourceRequest request, final Response response) {
        final String node = request.query().getOrDefault("node", "");
        if (!node.matches("\\d{1,7}")) {
            response.send(BAD_REQUEST, JSON, NetworkJson.error("node must be the id of a node"));
            return;
        }
        final Optional<byte[]> history =
                network.history(Integer.parseInt(node), request.query().getOrDefault("link", ""));
        response.send(
                history.isPresent() ? OK : NOT_FOUND,
                JSON,
                history.orElseGet(() -> NetworkJson.error("no such node or link is known here")));
    }
}
