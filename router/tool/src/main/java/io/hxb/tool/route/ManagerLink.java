package io.hxb.tool.route;

import io.hxb.manager.ManagerClient;
import io.hxb.manager.ManagerMessage;
import io.hxb.manager.ManagerOperation;
import io.hxb.manager.PeerName;
import io.hxb.manager.Status;
import io.hxb.session.ClusterKey;
import io.hxb.tool.manager.ManagerPlace;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;

/** A session with one manager, and the hosts that it knows. Owned by the command's thread. */
final class ManagerLink implements AutoCloseable {
    private final String place;
    private final ManagerClient client;
    private final List<Host> hosts = new ArrayList<>();
    private final Map<String, Integer> hostOfName = new HashMap<>();
    private int here;
    private int defaultVid;
    private int wantedDefaultVid;
    private long plan;
    private long changes;

    /** A host of the table. */
    record Host(int number, String name, long mac) {}

    /**
     * The path to a host: the VID of its frames, the one they would take if it was not dead, what
     * the table has, and what comes from it.
     */
    record Route(Host peer, int vid, int wantedVid, int tableVid, int heardVid) {
        /** True if its frames take another VID, because the one that is set for them is dead. */
        boolean isDetour() {
            return vid != wantedVid;
        }

        /** True if its frames come in another VID, so that switches may flood. */
        boolean isHalf() {
            return heardVid != 0 && heardVid != vid;
        }
    }

    private ManagerLink(final String place, final ManagerClient client) {
        this.place = place;
        this.client = client;
    }

    /**
     * Connects to a manager and reads its table.
     *
     * @param place path of a Unix socket, or ADDRESS:PORT.
     * @param key of the cluster, or null.
     */
    static ManagerLink open(final String place, final ClusterKey key) throws IOException {
        final ManagerClient client =
                ManagerPlace.isAddress(place)
                        ? ManagerClient.connect(ManagerPlace.address("--manager", place), key)
                        : ManagerClient.connect(Path.of(place));
        final ManagerLink link = new ManagerLink(place, client);
        try {
            link.readTable();
            return link;
        } catch (final IOException | RuntimeException e) {
            client.close();
            throw e;
        }
    }

    private void readTable() throws IOException {
        client.request(ManagerOperation.HELLO);
        final ManagerMessage reply = done(client.exchange(), "");
        here = reply.index();
        defaultVid = reply.vid();
        wantedDefaultVid = reply.wantedDefaultVid();
        plan = reply.fingerprint();
        changes = reply.number();
        final int count = (int) reply.value(1);
        pipeline(
                count,
                host -> client.request(ManagerOperation.HOST).index(host),
                (host, answer) -> {
                    final Host row = new Host(host, answer.hostName(), answer.value(0));
                    hosts.add(row);
                    hostOfName.put(row.name, host);
                });
    }

    /** Sends {@code count} requests without waiting for each reply. */
    private void pipeline(
            final int count,
            final IntConsumer request,
            final BiConsumer<Integer, ManagerMessage> answer)
            throws IOException {
        int answered = 0;
        for (int asked = 0; asked < count || answered < count; ) {
            if (asked < count && client.unanswered() < ManagerClient.MAX_UNANSWERED) {
                request.accept(asked++);
                client.post();
            } else {
                answer.accept(answered, client.receive());
                answered++;
            }
        }
    }

    /** Path or address of the manager. */
    String place() {
        return place;
    }

    /** The host that it is the manager of. */
    Host self() {
        return hosts.get(here);
    }

    List<Host> hosts() {
        return hosts;
    }

    /** The VID of broadcasts, and of frames to hosts that are not in the table. */
    int defaultVid() {
        return defaultVid;
    }

    /** The default VID of the table; another one stands in for it if it is dead. */
    int wantedDefaultVid() {
        return wantedDefaultVid;
    }

    /** Distinguishes plans. */
    long plan() {
        return plan;
    }

    /** Changes that the manager has made, as of the last answer. */
    long changes() {
        return changes;
    }

    /**
     * Begins a request about a host.
     *
     * @throws ToolException if the text names none.
     */
    ManagerMessage about(final ManagerOperation operation, final String peer) {
        final ManagerMessage request = client.request(operation);
        if (!PeerName.put(peer, name -> hostOfName.getOrDefault(name, -1), request)) {
            throw new ToolException(
                    "'"
                            + peer
                            + "' is no host of the plan: give a name, a number, or a MAC or IP"
                            + " address");
        }
        return request;
    }

    /** Begins a request. */
    ManagerMessage request(final ManagerOperation operation) {
        return client.request(operation);
    }

    /**
     * Sends the request that was begun.
     *
     * @param subject what it is about, for messages.
     * @throws ToolException in the manager's words if it refuses.
     */
    ManagerMessage exchange(final String subject) throws IOException {
        final ManagerMessage reply = done(client.exchange(), subject);
        changes = reply.number();
        return reply;
    }

    private ManagerMessage done(final ManagerMessage reply, final String subject) {
        final Status status = Status.of(reply.status());
        if (status != Status.OK) {
            throw new ToolException(
                    (subject.isEmpty() ? "" : subject + ": ")
                            + status.text()
                            + " (manager "
                            + place
                            + ")");
        }
        return reply;
    }

    /** The host that a text names. */
    Host peer(final String text) throws IOException {
        about(ManagerOperation.GET, text);
        final ManagerMessage reply = client.exchange();
        if (reply.status() == Status.OK.code()) {
            return hosts.get(reply.index());
        }
        if (isSelf(text)) {
            return self();
        }
        done(reply, text);
        throw new IllegalStateException(text);
    }

    private boolean isSelf(final String text) {
        return text.equals(self().name)
                || text.equals(Integer.toString(here))
                || text.equalsIgnoreCase(PeerName.text(self().mac));
    }

    /** The path to one host. */
    Route route(final Host peer) throws IOException {
        client.request(ManagerOperation.GET).peerHost(peer.number);
        return route(exchange(peer.name));
    }

    private Route route(final ManagerMessage reply) {
        return new Route(
                hosts.get(reply.index()),
                reply.vid(),
                reply.wantedVid(),
                (int) reply.value(0),
                (int) reply.value(1));
    }

    /** The paths to all other hosts, in the order of their numbers. */
    List<Route> routes() throws IOException {
        final List<Route> routes = new ArrayList<>();
        pipeline(
                hosts.size() - 1,
                i -> client.request(ManagerOperation.GET).peerHost(i < here ? i : i + 1),
                (i, answer) -> {
                    routes.add(route(done(answer, hosts.get(i).name)));
                    changes = answer.number();
                });
        return routes;
    }

    /** Waits for a change, after WATCH; 0 if there was none in that time. */
    long awaitChange(final long limitNs) throws IOException {
        return client.awaitChange(limitNs);
    }

    /** The same request for index 0, 1, ... until there is nothing more. */
    void list(
            final ManagerOperation operation, final java.util.function.Consumer<ManagerMessage> row)
            throws IOException {
        int index = 0;
        while (true) {
            client.request(operation).index(index);
            final ManagerMessage reply = client.exchange();
            if (reply.status() == Status.END_OF_LIST.code()) {
                return;
            }
            row.accept(done(reply, operation.name()));
            index = reply.index() + 1;
        }
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
