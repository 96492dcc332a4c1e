package io.hxb.observe.service;

import io.hxb.config.ClusterConfig;
import io.hxb.config.ObserveConfig;
import io.hxb.linux.Folder;
import io.hxb.observe.AccessToken;
import io.hxb.observe.ObserveServer;
import io.hxb.observe.ResourceRequest;
import io.hxb.observe.Response;
import io.hxb.observe.ServingTurn;
import io.hxb.observe.Viewer;
import io.hxb.observe.WebSessions;
import io.hxb.observe.live.NodeFiles;
import io.hxb.observe.metrics.MetricText;
import io.hxb.observe.metrics.NodeMetrics;
import io.hxb.observe.view.ClusterSource;
import io.hxb.observe.view.FlowView;
import io.hxb.observe.view.HistoryFile;
import io.hxb.observe.view.LiveNetwork;
import io.hxb.observe.view.NetworkPlan;
import io.hxb.observe.view.NetworkView;
import io.hxb.observe.view.TimelineFile;
import io.hxb.observe.view.UserJson;
import io.hxb.session.KeyFile;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;

/**
 * Serves the nodes of a cluster file on this machine, for people and programs. Each node's process
 * starts one; the first serves all nodes, and another takes over when it ends. Any thread may call
 * it.
 */
public final class ObserveService {
    private static final Logger LOGGER = LoggerFactory.getLogger(ObserveService.class);
    private static final String VARIABLE = "HXB_OBSERVE";
    private static final String TICKETS = "observe.sock";
    private static final int PRIVATE_MODE = 0600;
    private static final int MAX_TICKET_BYTES = 256;

    private ObserveService() {}

    /**
     * Starts a server; does not wait until it listens, and nothing that fails there is reported but
     * by a line of the log.
     *
     * @param environment with another address, see {@link #settings}; and where the folder of
     *     credentials is found.
     * @return empty if none is wanted.
     * @throws IOException if the token cannot be read, or the address of the environment is wrong;
     *     the message tells what to do.
     */
    public static Optional<ObserveServer> start(
            final ClusterConfig config, final Map<String, String> environment) throws IOException {
        final ObserveConfig settings = settings(config, environment);
        if (!settings.isWanted()) {
            return Optional.empty();
        }
        final ObserveServer.Builder server =
                new ObserveServer.Builder(settings.address())
                        .turn(new ServingTurn(file(config, "observe.lock")));
        if (!settings.token().isEmpty()) {
            server.token(AccessToken.read(KeyFile.path(settings.token(), environment)));
        }
        try {
            server.sessions(
                    new WebSessions(secret(config), System::currentTimeMillis),
                    file(config, TICKETS));
        } catch (final IOException e) {
            LOGGER.warn("hxb web gives no sessions: {}", e.getMessage());
        }
        addRoutes(server, config);
        return Optional.of(server.start());
    }

    /**
     * Where the server listens: at {@value #VARIABLE} if the environment has it, otherwise as the
     * cluster file has it.
     *
     * @throws IOException if the value is not allowed; the message tells why.
     */
    public static ObserveConfig settings(
            final ClusterConfig config, final Map<String, String> environment) throws IOException {
        final String listen = environment.getOrDefault(VARIABLE, "");
        try {
            return listen.isBlank()
                    ? config.observe()
                    : ObserveConfig.KEYS.with(config.observe(), "listen", listen);
        } catch (final IllegalArgumentException e) {
            throw new IOException(VARIABLE + ": " + e.getMessage(), e);
        }
    }

    /** Every resource of the server. */
    private static void addRoutes(final ObserveServer.Builder server, final ClusterConfig config) {
        server.route("/metrics", (request, response) -> metrics(config, request, response));
        server.route(
                "/api/v1/users",
                (request, response) ->
                        response.send(
                                200,
                                "application/json",
                                UserJson.of(NodeFiles.of(config), request.viewer())));
        final FlowView flows = new FlowView(config);
        server.route("/api/v1/flows", flows::answer);
        NetworkView.addTo(
                server,
                new LiveNetwork(
                        NetworkPlan.of(config),
                        ClusterSource.of(config),
                        Long.toString(System.currentTimeMillis(), Character.MAX_RADIX),
                        Optional.of(new HistoryFile(file(config, "history"))),
                        Optional.of(new TimelineFile(file(config, "timeline")))));
    }

    private static void metrics(
            final ClusterConfig config, final ResourceRequest request, final Response response) {
        final MetricText format = MetricText.accepted(request.accept());
        response.send(
                200,
                format.type(),
                format.bytes(NodeMetrics.of(NodeFiles.of(config), request.viewer())));
    }

    /**
     * A ticket for a session of a browser that shows what the user of this process and the tenant
     * have, from the process that serves.
     *
     * @throws IOException if there is none; the message tells why.
     */
    public static String userTicket(final ClusterConfig config) throws IOException {
        final Path socket = config.countersPath(0).resolveSibling(name(config, TICKETS));
        final ByteBuffer ticket = ByteBuffer.allocate(MAX_TICKET_BYTES);
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            int count = channel.read(ticket);
            while (count > 0) {
                count = channel.read(ticket);
            }
        } catch (final IOException e) {
            throw new IOException(socket + ": " + e.getMessage(), e);
        }
        return new String(ticket.array(), 0, ticket.position(), StandardCharsets.US_ASCII).strip();
    }

    /**
     * A ticket for a session of a browser that shows all.
     *
     * @throws IOException if this user may not read the secret; the message tells why.
     */
    public static String ticket(final ClusterConfig config) throws IOException {
        final Path file = config.countersPath(0).resolveSibling(name(config, "observe.secret"));
        try (Folder folder = Folder.open(file.getParent())) {
            return new WebSessions(secret(folder, file), System::currentTimeMillis)
                    .ticket(Viewer.OPERATOR);
        }
    }

    private static byte[] secret(final ClusterConfig config) throws IOException {
        final Path file = file(config, "observe.secret");
        final String name = file.getFileName().toString();
        try (Folder folder = Folder.open(file.getParent())) {
            try {
                final byte[] made = new byte[WebSessions.SECRET_BYTES];
                new SecureRandom().nextBytes(made);
                folder.add(name, made, PRIVATE_MODE);
                return made;
            } catch (final FileAlreadyExistsException e) {
                return secret(folder, file);
            }
        }
    }

    private static byte[] secret(final Folder folder, final Path file) throws IOException {
        final byte[] secret =
                folder.readSecret(file.getFileName().toString(), WebSessions.SECRET_BYTES + 1);
        if (secret.length != WebSessions.SECRET_BYTES) {
            throw new IOException(file + " is damaged: remove it, and start the nodes again");
        }
        return secret;
    }

    private static Path file(final ClusterConfig config, final String what) {
        return config.ownCountersPath(0).resolveSibling(name(config, what));
    }

    private static String name(final ClusterConfig config, final String what) {
        return config.name() + "." + what;
    }
}
