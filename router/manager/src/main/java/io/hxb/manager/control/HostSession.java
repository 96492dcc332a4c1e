package io.hxb.manager.control;

import io.hxb.manager.ManagerConnection;
import io.hxb.manager.ManagerMessage;
import io.hxb.manager.ManagerOperation;
import io.hxb.manager.Status;

import org.agrona.collections.IntArrayList;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A session with the manager of one host: what this server asks of it, and the number of the last
 * change that it has reported. Owned by the thread that works with the host.
 */
final class HostSession {
    private static final int CHUNK = 128;
    private static final double NS_PER_S = 1e9;
    private static final int VID_MASK = 0xffff;

    private final ManagerConnection connection;
    private final TrafficGauge gauge;
    private final Consumer<Status> onRefused;
    private long changes;

    /**
     * A session over a connection, which it closes.
     *
     * @param gauge of the host, which outlives its sessions.
     * @param onRefused called with the reason why a change was refused.
     */
    HostSession(
            final ManagerConnection connection,
            final TrafficGauge gauge,
            final Consumer<Status> onRefused) {
        this.connection = connection;
        this.gauge = gauge;
        this.onRefused = onRefused;
    }

    /** Asks which host and plan it has. */
    ManagerMessage hello() throws IOException {
        connection.request(ManagerOperation.HELLO);
        return checked(connection.exchange());
    }

    private static ManagerMessage checked(final ManagerMessage reply) throws IOException {
        final Status status = Status.of(reply.status());
        if (status != Status.OK) {
            throw new IOException(status.text());
        }
        return reply;
    }

    /**
     * Asks for the lease.
     *
     * @param owner 0 only to ask who has it.
     * @param durationMs 0 to give it up.
     * @return the answer, whose status is {@link Status#OK} or {@link Status#LEASED}.
     */
    ManagerMessage lease(final long owner, final long generation, final int durationMs)
            throws IOException {
        connection
                .request(ManagerOperation.LEASE)
                .index(durationMs)
                .value(0, owner)
                .value(1, generation);
        final ManagerMessage reply = connection.exchange();
        if (Status.of(reply.status()) != Status.LEASED) {
            checked(reply);
        }
        changes = reply.number();
        return reply;
    }

    /** Reads what the host sends to each other one. */
    List<SentTraffic> readTraffic(final long nowNs) throws IOException {
        final List<SentTraffic> rows = new ArrayList<>();
        gauge.begin(nowNs);
        int next = 0;
        while (next >= 0) {
            next = readChunk(next, rows);
        }
        gauge.end();
        return rows;
    }

    /**
     * Asks for the next host, and, without waiting for the answer, for those after each host that
     * is known to have traffic.
     *
     * @return from where to go on; -1 at the end.
     */
    private int readChunk(final int first, final List<SentTraffic> rows) throws IOException {
        final IntArrayList indexes = new IntArrayList();
        indexes.addInt(first);
        gauge.knownFrom(first, CHUNK, indexes);
        for (int i = 0; i < indexes.size(); i++) {
            connection.request(ManagerOperation.TRAFFIC).index(indexes.getInt(i));
            connection.post();
        }
        int next = first;
        boolean isEnd = false;
        for (int i = 0; i < indexes.size(); i++) {
            final ManagerMessage reply = connection.receive();
            if (isEnd || indexes.getInt(i) > next) {
                // Hosts between have not been asked for: from there on again.
                continue;
            }
            if (reply.status() == Status.END_OF_LIST.code()) {
                isEnd = true;
            } else if (checked(reply).index() >= next) {
                rows.add(row(reply));
                next = reply.index() + 1;
            }
        }
        return isEnd ? -1 : next;
    }

    private SentTraffic row(final ManagerMessage reply) {
        changes = reply.number();
        final long state = reply.value(2);
        final int heard = (int) (state >>> Short.SIZE) & VID_MASK;
        return new SentTraffic(
                reply.index(),
                reply.vid(),
                (int) state & VID_MASK,
                gauge.bytesPerNs(reply.index(), reply.value(0)) * NS_PER_S,
                (state & ManagerMessage.CLAIMED) != 0,
                heard != 0 && heard != reply.vid());
    }

    /**
     * Sends changes without letting them hold.
     *
     * @param vids by peer; 0 to take back what was set.
     * @return whether the manager agrees. If not, nothing has changed.
     */
    boolean prepare(final Map<Integer, Integer> vids) throws IOException {
        Status begun = begin();
        if (begun == Status.BATCH) {
            // One that was given up in the middle.
            endBatch();
            begun = begin();
        }
        if (begun != Status.OK) {
            onRefused.accept(begun);
            return false;
        }
        boolean isAgreed = true;
        for (final Map.Entry<Integer, Integer> entry : vids.entrySet()) {
            if (connection.unanswered() == CHUNK) {
                isAgreed &= isOk(connection.receive());
            }
            final int vid = entry.getValue();
            connection
                    .request(vid == 0 ? ManagerOperation.RESET : ManagerOperation.SET)
                    .peerHost(entry.getKey())
                    .vid(vid);
            connection.post();
        }
        while (connection.unanswered() > 0) {
            isAgreed &= isOk(connection.receive());
        }
        if (!isAgreed) {
            endBatch();
        }
        return isAgreed;
    }

    private Status begin() throws IOException {
        connection.request(ManagerOperation.BEGIN).number(changes);
        return Status.of(connection.exchange().status());
    }

    private boolean isOk(final ManagerMessage reply) {
        final Status status = Status.of(reply.status());
        if (status != Status.OK) {
            onRefused.accept(status);
        }
        return status == Status.OK;
    }

    /** Lets what was prepared hold; false if the manager refuses. */
    boolean endBatch() throws IOException {
        connection.request(ManagerOperation.END);
        final ManagerMessage reply = connection.exchange();
        changes = reply.number();
        return isOk(reply);
    }

    /** Forgets what was prepared. */
    void abandon() throws IOException {
        // A batch that is begun twice has failed.
        connection.request(ManagerOperation.BEGIN);
        connection.exchange();
        endBatch();
    }

    /** Sets a path that stays when the session ends. */
    void setLasting(final int peer, final int vid) throws IOException {
        connection
                .request(ManagerOperation.SET)
                .flags(ManagerMessage.FLAG_PERMANENT)
                .peerHost(peer)
                .vid(vid);
        checked(connection.exchange());
    }

    void close() throws IOException {
        connection.close();
    }
}
