package io.hxb.context;

import io.hxb.config.Share;
import io.hxb.linux.Descriptors;
import io.hxb.linux.EventFd;
import io.hxb.linux.LinuxException;
import io.hxb.linux.PollSet;
import io.hxb.linux.UnixSocket;
import io.hxb.pm.attach.AttachMessage;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Attaches applications of other processes over a Unix socket, on a thread of its own; the loops
 * get commands in their queues. Each connection lasts as long as its application: when it hangs up,
 * its contexts are closed.
 */
public final class AttachServer implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(AttachServer.class);
    private static final long HELLO_TIMEOUT_NS = 2_000_000_000L;
    private static final long TICK_NS = 500_000_000L;

    private final ContextManager manager;
    private final AttachAccess access;
    private final SocketPath path;
    private final AttachMessage message = new AttachMessage();
    private final List<AttachConnection> connections = new ArrayList<>();
    private final PollSet poll = new PollSet(ContextManager.MAX_CONNECTIONS + 2);
    private final int stopEvent;
    private final Thread thread;
    private volatile boolean isStopped;

    /**
     * Takes the path, so that no other node can; {@link #start} serves applications.
     *
     * @param socket path that no other node listens on; what a dead node left there is removed.
     * @param access who may attach.
     * @throws IOException in words, with what to do.
     */
    public AttachServer(final ContextManager manager, final Path socket, final AttachAccess access)
            throws IOException {
        this.manager = manager;
        this.access = access;
        final boolean isForOthers =
                !access.gids().isEmpty() || access.uids().stream().anyMatch(AttachServer::isOther);
        path = SocketPath.listen(socket, isForOthers);
        stopEvent = EventFd.create();
        thread = new Thread(this::run, "hxb-attach");
        thread.setDaemon(true);
    }

    /** Serves applications from now on; after the manager's loops have been made. */
    public AttachServer start() {
        thread.start();
        return this;
    }

    private static boolean isOther(final int uid) {
        return uid != 0 && uid != AttachAccess.ownUid();
    }

    /** Connections that were refused, or ended because the other side broke the protocol. */
    public long refused() {
        return manager.attachmentsRefused();
    }

    private void run() {
        while (!isStopped) {
            try {
                turn();
            } catch (final LinuxException | RuntimeException e) {
                LOGGER.error("attaching: {}", e.getMessage());
            }
        }
        connections.forEach(AttachConnection::close);
        connections.clear();
    }

    private void turn() throws LinuxException {
        poll.clear();
        poll.add(stopEvent);
        poll.add(
                connections.size() < ContextManager.MAX_CONNECTIONS
                        ? path.socket().descriptor()
                        : -1);
        for (final AttachConnection connection : connections) {
            poll.add(connection.descriptor());
        }
        poll.await(TICK_NS);
        final long nowNs = System.nanoTime();
        for (int i = connections.size() - 1; i >= 0; i--) {
            final AttachConnection connection = connections.get(i);
            final String end = poll.ready(i + 2) != 0 ? serve(connection) : null;
            if (end != null || connection.isLate(nowNs, HELLO_TIMEOUT_NS)) {
                end(i, end != null ? end : "it did not say hello within 2 s");
            }
        }
        if (poll.ready(1) != 0) {
            accept(nowNs);
        }
    }

    private static String serve(final AttachConnection connection) {
        try {
            return connection.serve();
        } catch (final LinuxException | RuntimeException e) {
            return e.getMessage();
        }
    }

    private void end(final int index, final String why) {
        final AttachConnection connection = connections.remove(index);
        if (!why.equals("it has detached")) {
            refuse(connection.name(), why);
        }
        connection.close();
    }

    // Logged with its repeat count ever more rarely, so that nobody can fill the log.
    private void refuse(final String name, final String why) {
        final long count = manager.onAttachRefused();
        if (Long.bitCount(count) == 1) {
            LOGGER.warn("{} is refused: {} ({} such so far)", name, why, count);
        }
    }

    private void accept(final long nowNs) throws LinuxException {
        final UnixSocket socket = path.socket().accept();
        final UnixSocket.Peer peer = socket.peer();
        final String name = "process " + peer.pid() + " of user " + peer.uid();
        final UserAccount account = manager.shares().of(peer.uid());
        final Application application =
                new Application(false, name, account, manager.memoryReturn());
        // Refused when it says hello, not before: an answer sent earlier could be lost.
        final String refusal = refusal(peer, account);
        connections.add(
                new AttachConnection(manager, socket, application, message, refusal, nowNs));
    }

    /** Why a process may not attach; null if it may and its connection is charged. */
    private String refusal(final UnixSocket.Peer peer, final UserAccount account) {
        if (access.isAllowed(peer)) {
            final ShareBook connections = account.book(Share.CONNECTIONS);
            return connections.take(1) ? null : connections.refusal(1);
        }
        return "user "
                + peer.uid()
                + " (group "
                + peer.gid()
                + ") may not attach: run as user "
                + AttachAccess.ownUid()
                + " or root, or add it to attach.allowedUids (its group to attach.allowedGids) in"
                + " the cluster file and start the node again";
    }

    /** Stops listening and detaches all applications; before the loops are closed. */
    @Override
    public void close() {
        if (isStopped) {
            return;
        }
        isStopped = true;
        EventFd.signal(stopEvent);
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (final InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        try {
            path.close();
        } catch (final IOException e) {
            LOGGER.warn("removing the socket: {}", e.getMessage());
        }
        poll.close();
        Descriptors.close(stopEvent);
    }
}
