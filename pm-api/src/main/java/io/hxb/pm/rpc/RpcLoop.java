package io.hxb.pm.rpc;

import io.hxb.linux.Descriptors;
import io.hxb.linux.EventFd;
import io.hxb.linux.LinuxException;
import io.hxb.linux.PollSet;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The thread of an {@link RpcEndpoint}, which owns its context and all that is known of peers.
 * Others only put work into its queue, as much as {@link RpcWindow} allows.
 */
final class RpcLoop {
    private static final int MESSAGES_PER_TURN = 64;
    private static final long LOOK_NS = 10_000_000L;
    private static final long ATTACH_PAUSE_NS = 50_000_000L;
    private static final long PEER_WAIT_NS = 2_000_000_000L;
    private static final int DEVICE = 1;
    private static final PmContextOptions OPTIONS =
            PmContextOptions.DEFAULT.withSpinNs(0).withPeerWaitNs(PEER_WAIT_NS);

    /** Of the node; null to find it. */
    private final Path socket;

    private final int contextId;
    private final long endpointId = newEndpointId();
    private final Queue<Runnable> work = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private final int wake;
    private final int maxLengthBytes;
    private final PmMessage message = new PmMessage();
    private final PmEvent event = new PmEvent();

    private final RpcWindow room;
    private final RpcPeers peers = new RpcPeers();
    private final RpcCaller caller;
    private final RpcServer server;
    private final RpcSender sender;

    private PmDevice device;
    private PmContext context;
    private PollSet poll;
    private boolean isNodeGone;
    private volatile boolean isSleeping;
    private volatile boolean isClosed;

    /** The thread has ended, or is about to: it runs no work any more. */
    private volatile boolean isOver;

    RpcLoop(
            final PmDevice device,
            final Path socket,
            final int contextId,
            final RpcHandler handler,
            final RpcWindow room)
            throws IOException {
        this.socket = socket;
        this.contextId = contextId;
        this.room = room;
        maxLengthBytes = begin(device).maxLengthBytes() - RpcWire.HEADER_BYTES;
        caller = new RpcCaller(room, this::execute);
        server = new RpcServer(endpointId, peers, handler, this::execute, maxLengthBytes);
        sender = new RpcSender(endpointId, peers, room, caller, server);
        sender.onAttached(context);
        wake = newEventFd();
        poll.add(wake);
        thread = new Thread(this::run, "hxb-rpc-" + contextId);
    }

    private static long newEndpointId() {
        return new SecureRandom().nextLong() | 1; // never 0
    }

    private static int newEventFd() throws IOException {
        try {
            return EventFd.create();
        } catch (final LinuxException e) {
            throw new IOException("there is no descriptor left", e);
        }
    }

    int maxLengthBytes() {
        return maxLengthBytes;
    }

    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    /** Has the loop's thread do something. */
    void execute(final Runnable task) {
        work.add(task);
        if (isOver) {
            runWork();
        } else if (isSleeping) {
            EventFd.signal(wake);
        }
    }

    void close() {
        isClosed = true;
        execute(() -> {});
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
    }

    private void run() {
        try {
            while (!isClosed) {
                runWork();
                if (context != null || attach()) {
                    turn();
                } else {
                    caller.endLate(System.nanoTime());
                    rest();
                }
            }
        } finally {
            if (context != null) {
                context.close();
                device.close();
            }
            isClosed = true;
            runWork();
            caller.endAll(PmStatus.CONTEXT_CLOSED);
            server.close();
            isOver = true;
            runWork();
            Descriptors.close(wake);
        }
    }

    /** By the loop's thread; by others when it is over, which ends what is left. */
    private synchronized void runWork() {
        for (Runnable task = work.poll(); task != null; task = work.poll()) {
            task.run();
        }
    }

    private void rest() {
        try (PollSet alone = new PollSet(1)) {
            alone.add(wake);
            sleepOn(alone, ATTACH_PAUSE_NS);
        }
    }

    private void turn() {
        final long nowNs = System.nanoTime();
        final int received = receive(nowNs, MESSAGES_PER_TURN);
        while (context.pollEvent(event) == PmStatus.OK) {
            onEvent(nowNs);
        }
        isNodeGone |= context.unfinishedSends() < 0;
        caller.endLate(nowNs);
        isNodeGone |= !sender.flush(nowNs);
        if (isNodeGone) {
            detach(nowNs);
        } else if (received == 0 && context.arm(true)) {
            sleepOn(poll, LOOK_NS);
            context.disarm();
            isNodeGone = poll.ready(DEVICE) != 0 && !device.isNodeAlive();
        }
    }

    private int receive(final long nowNs, final int limit) {
        int received = 0;
        int status = PmStatus.OK;
        while (received < limit && status == PmStatus.OK) {
            status = context.receive(message);
            if (status == PmStatus.OK) {
                received++;
                onMessage(nowNs);
                context.release(message);
            }
        }
        isNodeGone |= status != PmStatus.OK && status != PmStatus.EMPTY;
        return received;
    }

    private void sleepOn(final PollSet set, final long timeoutNs) {
        isSleeping = true;
        if (work.isEmpty() && !isClosed) {
            set.await(timeoutNs);
        }
        isSleeping = false;
        EventFd.drain(wake);
    }

    private boolean attach() {
        try {
            final PmDevice again = socket == null ? PmDevice.attach() : PmDevice.attach(socket);
            try {
                sender.onAttached(begin(again));
                poll.add(wake);
                return true;
            } catch (final IOException | RuntimeException e) {
                again.close();
                return false;
            }
        } catch (final IOException e) {
            return false;
        }
    }

    private PmContext begin(final PmDevice newDevice) throws IOException {
        final PmContext opened = newDevice.openContext(contextId, OPTIONS);
        device = newDevice;
        context = opened;
        isNodeGone = false;
        poll = new PollSet(3);
        poll.add(opened.descriptor());
        poll.add(newDevice.descriptor());
        return opened;
    }

    private void detach(final long nowNs) {
        // What the node has delivered is there even if it is gone, as much as fits in its ring.
        receive(nowNs, Integer.MAX_VALUE);
        context.close();
        device.close();
        poll.close();
        context = null;
        sender.onDetached(nowNs);
    }

    static long key(final int node, final int peerContext) {
        return RpcPeers.key(node, peerContext);
    }

    /**
     * The peer; null where the endpoint is closed, or knows too many that all have something to do.
     */
    private RpcPeer peer(final int node, final int peerContext) {
        return isClosed ? null : peers.of(node, peerContext, System.nanoTime());
    }

    void call(
            final int node,
            final int peerContext,
            final byte[] request,
            final long deadlineNs,
            final CompletableFuture<byte[]> reply) {
        final RpcPeer peer = peer(node, peerContext);
        if (peer != null) {
            caller.begin(peer, request, deadlineNs, reply);
            return;
        }
        room.onCallEnded(key(node, peerContext));
        final int status = isClosed ? PmStatus.CONTEXT_CLOSED : PmStatus.NO_BUFFERS;
        reply.completeExceptionally(new RpcException("not sent", status, false));
    }

    void publish(final int[] nodes, final int peerContext, final byte[] data) {
        for (final int node : nodes) {
            final RpcPeer peer = peer(node, peerContext);
            if (peer == null) {
                room.onPublishedEnded(key(node, peerContext));
            } else {
                peer.others.addLast(RpcMessage.published(peer.endpointId(), data));
            }
        }
    }

    void watch(final int node, final int peerContext, final RpcPeerListener listener) {
        final RpcPeer peer = peer(node, peerContext);
        if (peer != null) {
            peer.watch(listener, System.nanoTime());
        }
    }

    /** A flow to or from a peer has ended, and with it perhaps what had arrived. */
    private void onEvent(final long nowNs) {
        final RpcPeer peer = peers.find(event.node(), event.context());
        if (peer != null && event.slot() == PmEvent.NO_SLOT) {
            peer.onDoubt(event.status(), nowNs);
            caller.doubtAll(peer);
        }
    }

    private void onMessage(final long nowNs) {
        final int kind = message.tag() - RpcWire.TAG;
        if (kind < 0 || kind >= RpcWire.KINDS || message.lengthBytes() < RpcWire.HEADER_BYTES) {
            return;
        }
        final RpcPeer peer = peers.of(message.sourceNode(), message.sourceContext(), nowNs);
        if (peer == null) {
            return;
        }
        final long from = RpcWire.from(message.buffer());
        final long to = RpcWire.to(message.buffer());
        final long number = RpcWire.number(message.buffer());
        final byte[] data = RpcWire.data(message.buffer(), message.lengthBytes());
        final long oldEndpointId = peer.endpointId();
        peer.onHeard(from, nowNs);
        switch (kind) {
            case RpcWire.REQUEST, RpcWire.AGAIN ->
                    server.onRequest(peer, kind == RpcWire.AGAIN, from, to, number, data);
            case RpcWire.PUBLISHED -> server.onPublished(peer, data);
            case RpcWire.PING -> onPing(peer, from);
            case RpcWire.PONG -> {
                if (peer.onPong(oldEndpointId, number)) {
                    caller.doubtAll(peer);
                }
            }
            default -> {
                if (to == endpointId) {
                    caller.onAnswer(peer, kind, number, data);
                }
            }
        }
    }

    private void onPing(final RpcPeer peer, final long from) {
        if (peer.others.size() < RpcEndpoint.MAX_WAITING) {
            peer.others.addLast(RpcMessage.of(RpcWire.PONG, from, sender.attachments()));
        }
    }
}
