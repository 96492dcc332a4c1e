package io.hxb.context;

import io.hxb.config.ResourceShare;
import io.hxb.counter.ResourceUse;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.EventFd;
import io.hxb.linux.LinuxException;
import io.hxb.linux.PollSet;
import io.hxb.linux.UnixSocket;
import io.hxb.log.RateLimitedLog;
import io.hxb.os.Capabilities;
import io.hxb.pm.attach.AttachMessage;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Attaches applications of other processes over a Unix socket, on a thread of its own; the loops
 * get commands in their queues. Each connection lasts as long as its application: when it hangs up,
 * its contexts are closed.
 */
public final class AttachServer implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(AttachServer.class);
    private static final long HELLO_TIMEOUT_NS = 2_000_000_000L;
    private static final long TICK_NS = 500_000_000L;

    /** Ticks without a path; a process that removes its files and ends says nothing. */
    private static final int SILENT_TICKS = 6;

    private final ContextManager manager;
    private final AttachAccess access;
    private final Acceptor acceptor;
    private final AuditLog audit;
    private final RateLimitedLog warnings = new RateLimitedLog(LOGGER);
    private final AttachMessage message = new AttachMessage();
    private final List<AttachConnection> connections = new ArrayList<>();
    private final int maxConnections;
    private final PollSet poll;
    private final int stopEvent;
    private final Thread thread;
    private SocketPath path;
    private int goneTicks;
    private long tickNs = System.nanoTime();
    private Consumer<List<ResourceUse>> reports = uses -> {};
    private volatile boolean isStopped;

    /**
     * Reserves the path, so that no other node can take it; {@link #start} serves applications.
     *
     * @param socket path that no other node listens on; the remains of a dead node there are
     *     removed.
     * @param access who may attach.
     * @throws IOException with a message that states the problem and what to do.
     */
    public AttachServer(final ContextManager manager, final Path socket, final AttachAccess access)
            throws IOException {
        this(manager, socket, access, new AuditLog(), ContextManager.MAX_CONNECTIONS);
    }

    /**
     * As the other constructor, with a log of who attached and who was refused what.
     *
     * @param maxConnections applications at a time, at least 1.
     */
    AttachServer(
            final ContextManager manager,
            final Path socket,
            final AttachAccess access,
            final AuditLog audit,
            final int maxConnections)
            throws IOException {
        this.maxConnections = maxConnections;
        poll = new PollSet(maxConnections + 2);
        this.audit = audit;
        this.manager = manager;
        this.access = access;
        stopEvent = EventFd.create();
        SocketPath taken = null;
        try {
            taken = SocketPath.listen(socket, access.isForOthers());
            acceptor = new Acceptor(taken.socket(), message);
        } catch (final IOException | RuntimeException e) {
            Descriptors.close(stopEvent);
            if (taken != null) {
                taken.close();
            }
            throw e;
        }
        path = taken;
        rehearse();
        // What strangers send is read on this thread, which needs no rights for it.
        thread = new Thread(Capabilities.givingUp(this::run), "hxb-attach");
        thread.setDaemon(true);
    }

    // A process that may not open more files cannot load classes either: those of a refusal have to
    // be loaded before.
    private static void rehearse() {
        final LinuxException failure = new LinuxException("accept4", Errno.EMFILE);
        new RateLimitedLog(NOPLogger.NOP_LOGGER).warn("rehearsal", 0, failure.getMessage(), 0);
        new AuditLog(line -> {})
                .onRefused(new UnixSocket.Peer(0, 0, 0, List.of()), "", failure.getMessage(), 0);
    }

    /** Serves applications from now on; after the manager's loops have been made. */
    public AttachServer start() {
        thread.start();
        return this;
    }

    /**
     * The same, and publishes what users and tenants have of the node, twice a second.
     *
     * @param reportsTo called by the attach thread.
     */
    public AttachServer start(final Consumer<List<ResourceUse>> reportsTo) {
        reports = reportsTo;
        return start();
    }

    /** Connections that were refused, or ended because the other side broke the protocol. */
    public long refused() {
        return manager.attachmentsRefused();
    }

    private void run() {
        while (!isStopped) {
            try {
                turn();
            } catch (final RuntimeException | Error e) {
                warnings.warn("error", 0, "attaching: " + e, e, System.nanoTime());
            }
        }
        connections.forEach(AttachConnection::close);
        connections.clear();
    }

    private void turn() {
        final long beginNs = System.nanoTime();
        poll.clear();
        poll.add(stopEvent);
        poll.add(acceptor.descriptor(beginNs));
        for (final AttachConnection connection : connections) {
            poll.add(connection.descriptor());
        }
        poll.await(acceptor.waitNs(beginNs, TICK_NS));
        final long nowNs = System.nanoTime();
        for (int i = connections.size() - 1; i >= 0; i--) {
            final AttachConnection connection = connections.get(i);
            final String end = poll.ready(i + 2) != 0 ? serve(connection) : null;
            if (end != null || connection.isLate(nowNs, HELLO_TIMEOUT_NS)) {
                end(i, end != null ? end : "it did not send HELLO within 2 s", nowNs);
            }
        }
        if (poll.ready(1) != 0) {
            accept(nowNs);
        }
        if (nowNs - tickNs >= 0) {
            tickNs = nowNs + TICK_NS;
            audit.tick(manager.shares().accounts(), nowNs);
            reports.accept(manager.shares().uses());
            if (path.isGone()) {
                listenAgain();
            } else {
                goneTicks = 0;
            }
            warnings.doWork(nowNs);
        }
    }

    // A folder goes when its user logs out, or when somebody cleans up.
    private void listenAgain() {
        goneTicks++;
        try {
            final SocketPath again = path.again();
            acceptor.listenTo(again.socket());
            path.abandon();
            path = again;
            warn(
                    "removed",
                    0,
                    "the socket "
                            + path.path()
                            + " had been removed, and was made again; attached programs went on");
        } catch (final IOException e) {
            if (goneTicks == SILENT_TICKS) {
                warn(
                        "removed",
                        1,
                        "the socket "
                                + path.path()
                                + " was removed and cannot be made again ("
                                + e.getMessage()
                                + "): attached programs go on, others can attach once its folder is"
                                + " there again");
            }
        }
    }

    private String serve(final AttachConnection connection) {
        try {
            return connection.serve();
        } catch (final LinuxException e) {
            return words(e);
        } catch (final RuntimeException e) {
            warnings.warn("error", 0, connection.name() + ": " + e, e, System.nanoTime());
            return words(e);
        }
    }

    /** Why a connection ends, which is never nothing, because then it would go on. */
    static String words(final Exception thrown) {
        return thrown.getMessage() != null ? thrown.getMessage() : thrown.toString();
    }

    private void end(final int index, final String why, final long nowNs) {
        final AttachConnection connection = connections.remove(index);
        if (!why.equals(AttachConnection.DETACHED)) {
            final long count = manager.onAttachRefused();
            warn(
                    "ended",
                    connection.peer().uid(),
                    connection.name() + " is detached: " + why + " (" + count + " such so far)");
        }
        connection.close();
        audit.onDetached(connection.peer(), connection.account(), why, nowNs);
    }

    private void warn(final String kind, final int number, final String line) {
        warnings.warn(kind, number, line, System.nanoTime());
    }

    private void accept(final long nowNs) {
        final UnixSocket socket = acceptor.accept(nowNs);
        if (socket == null) {
            manager.onAttachRefused();
            warn("accept", 0, acceptor.problem());
            return;
        }
        AttachConnection connection = null;
        try {
            connection = admit(socket, nowNs);
        } catch (final LinuxException e) {
            warn("accept", 0, "attaching: " + e.getMessage());
        } finally {
            if (connection == null) {
                socket.close();
            }
        }
        if (connection != null) {
            connections.add(connection);
        }
    }

    /**
     * The connection of a process that may attach; null for one that was refused with the reason.
     */
    private AttachConnection admit(final UnixSocket socket, final long nowNs)
            throws LinuxException {
        final UnixSocket.Peer peer = socket.peer();
        final Admission admission = access.admit(peer);
        if (admission.isRefused()) {
            refuse(socket, peer, admission.refusal(), nowNs);
            return null;
        }
        final UserAccount account = manager.shares().of(peer.uid(), admission.tenant());
        final QuotaCounter share = account.book(ResourceShare.CONNECTIONS);
        if (connections.size() == maxConnections) {
            refuse(socket, peer, "the node has as many connections as it can have", nowNs);
            return null;
        }
        if (!share.take(1)) {
            refuse(socket, peer, share.refusal(1), nowNs);
            return null;
        }
        audit.onAttached(peer, account, nowNs);
        final String name = "process " + peer.pid() + " of user " + peer.uid();
        return new AttachConnection(
                manager,
                socket,
                peer,
                new AttachedProcess(false, name, peer.pid(), account, manager.memoryReturn()),
                message,
                audit,
                nowNs);
    }

    private void refuse(
            final UnixSocket socket, final UnixSocket.Peer peer, final String why, final long nowNs)
            throws LinuxException {
        final long count = manager.onAttachRefused();
        warn(
                "refused",
                peer.uid(),
                "process " + peer.pid() + " is refused: " + why + " (" + count + " such so far)");
        audit.onRefused(peer, "to attach", why, nowNs);
        Acceptor.refuse(socket, message, why);
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
            LOGGER.warn("cannot remove the socket: {}", e.getMessage());
        }
        acceptor.close();
        poll.close();
        Descriptors.close(stopEvent);
    }
}
