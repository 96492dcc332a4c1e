package io.hxb.pm.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;

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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The thread of an {@link RpcEnd}, which owns its context and all that is known of peers. Others
 * only put work into its queue.
 */
final class RpcLoop {
    private static final int MAX_IN_FLIGHT = 32;
    private static final int MESSAGES_PER_TURN = 64;
    private static final long LOOK_NS = 10_000_000L;
    private static final long LATE_NS = 1_000_000L;
    private static final long ATTACH_PAUSE_NS = 50_000_000L;
    private static final long PEER_WAIT_NS = 2_000_000_000L;
    private static final int DEVICE = 1;
    private static final PmContextOptions OPTIONS =
            PmContextOptions.DEFAULT.withSpinNs(0).withPeerWaitNs(PEER_WAIT_NS);

    /** Of the node; null to find it. */
    private final Path socket;

    private final int contextId;
    private final RpcHandler handler;
    private final long end = new SecureRandom().nextLong();
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final Queue<Runnable> work = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private final int wake;
    private final int maxLengthBytes;
    private final PmMessage message = new PmMessage();
    private final PmEvent event = new PmEvent();

    private final Map<Long, RpcPeer> peers = new HashMap<>();
    private final Map<Long, Call> calls = new HashMap<>();

    private PmDevice device;
    private PmContext context;
    private PollSet poll;
    private RpcMessage[] sent;
    private RpcPeer[] sentTo;
    private long nextNumber;
    private long lookedNs;
    private boolean isNodeGone;
    private volatile boolean isSleeping;
    private volatile boolean isClosed;

    /** A request without a reply. */
    private static final class Call {
        private final RpcMessage message;
        private final RpcPeer peer;
        private boolean isSent;

        Call(final RpcMessage message, final RpcPeer peer) {
            this.message = message;
            this.peer = peer;
        }
    }

    RpcLoop(final PmDevice device, final Path socket, final int contextId, final RpcHandler handler)
            throws IOException {
        this.socket = socket;
        this.contextId = contextId;
        this.handler = handler;
        begin(device);
        maxLengthBytes = context.maxLengthBytes() - RpcWire.HEADER_BYTES;
        wake = newEventFd();
        poll.add(wake);
        thread = new Thread(this::run, "hxb-rpc-" + contextId);
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
        if (isSleeping) {
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

    // ---- The thread ----

    private void run() {
        try {
            while (!isClosed) {
                runWork();
                if (context != null || attach()) {
                    turn();
                } else {
                    endLate(System.nanoTime());
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
            List.copyOf(calls.values()).forEach(call -> fail(call, PmStatus.CONTEXT_CLOSED));
            executor.shutdownNow();
            Descriptors.close(wake);
        }
    }

    private void runWork() {
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
        int received = 0;
        int status = context.receive(message);
        while (status == PmStatus.OK && received++ < MESSAGES_PER_TURN) {
            onMessage(nowNs);
            context.release(message);
            status = context.receive(message);
        }
        if (status == PmStatus.OK) {
            onMessage(nowNs);
            context.release(message);
        }
        isNodeGone |= status != PmStatus.OK && status != PmStatus.EMPTY;
        while (context.pollEvent(event) == PmStatus.OK) {
            onEvent();
        }
        isNodeGone |= context.unfinishedSends() < 0;
        endLate(nowNs);
        flush(nowNs);
        if (isNodeGone) {
            detach();
        } else if (received == 0 && context.arm(true)) {
            sleepOn(poll, LOOK_NS);
            context.disarm();
            isNodeGone = poll.ready(DEVICE) != 0 && !device.isNodeAlive();
        }
    }

    private void sleepOn(final PollSet set, final long timeoutNs) {
        isSleeping = true;
        if (work.isEmpty() && !isClosed) {
            set.await(timeoutNs);
        }
        isSleeping = false;
        EventFd.drain(wake);
    }

    // ---- Attaching ----

    private boolean attach() {
        try {
            final PmDevice again = socket == null ? PmDevice.attach() : PmDevice.attach(socket);
            try {
                begin(again);
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

    private void begin(final PmDevice newDevice) throws IOException {
        final PmContext opened = newDevice.openContext(contextId, OPTIONS);
        device = newDevice;
        context = opened;
        isNodeGone = false;
        sent = new RpcMessage[opened.sendBufferCount()];
        sentTo = new RpcPeer[opened.sendBufferCount()];
        opened.sendDoneListener(this::onSendDone);
        poll = new PollSet(3);
        poll.add(opened.descriptor());
        poll.add(newDevice.descriptor());
    }

    private void detach() {
        context.close();
        device.close();
        poll.close();
        context = null;
        for (final Call call : List.copyOf(calls.values())) {
            if (call.isSent) {
                fail(call, PmStatus.NODE_GONE);
            }
        }
        for (final RpcPeer peer : peers.values()) {
            peer.onNewContext();
            peer.onGone();
        }
    }

    // ---- What the program asks for ----

    void call(
            final int node,
            final int peerContext,
            final byte[] request,
            final long deadlineNs,
            final CompletableFuture<byte[]> reply) {
        final RpcPeer peer = peer(node, peerContext);
        final RpcMessage asked =
                new RpcMessage(RpcWire.REQUEST, end, nextNumber++, request, deadlineNs, reply);
        final Call call = new Call(asked, peer);
        calls.put(asked.number(), call);
        if (isClosed) {
            fail(call, PmStatus.CONTEXT_CLOSED);
        } else if (peer.waiting.size() >= RpcEnd.MAX_WAITING) {
            fail(call, PmStatus.NO_BUFFERS);
        } else {
            peer.waiting.addLast(asked);
        }
    }

    void publish(final int[] nodes, final int peerContext, final byte[] data) {
        for (final int node : nodes) {
            send(peer(node, peerContext), RpcWire.PUBLISHED, end, 0, data);
        }
    }

    void watch(final int node, final int peerContext, final RpcPeerListener listener) {
        peer(node, peerContext).watch(listener, System.nanoTime());
    }

    // ---- Sending ----

    private static long key(final int node, final int peerContext) {
        return (long) node << Integer.SIZE | peerContext;
    }

    private RpcPeer peer(final int node, final int peerContext) {
        return peers.computeIfAbsent(key(node, peerContext), key -> new RpcPeer(node, peerContext));
    }

    /** Sends what is no request; it is dropped where too much waits already. */
    private boolean send(
            final RpcPeer peer,
            final int kind,
            final long to,
            final long number,
            final byte[] data) {
        final boolean hasRoom = peer.waiting.size() < RpcEnd.MAX_WAITING || isAnswer(kind);
        if (hasRoom) {
            final RpcMessage other = new RpcMessage(kind, to, number, data, 0, null);
            if (kind == RpcWire.PUBLISHED) {
                peer.waiting.addLast(other);
            } else {
                // Not behind requests that wait for replies of the peer, which does the same.
                peer.waiting.addFirst(other);
            }
        }
        return hasRoom;
    }

    /** True if the handler has run for it: a peer has only so many of these. */
    private static boolean isAnswer(final int kind) {
        return kind == RpcWire.REPLY || kind == RpcWire.FAILURE;
    }

    private void flush(final long nowNs) {
        final Iterator<RpcPeer> all = peers.values().iterator();
        while (all.hasNext() && !isNodeGone) {
            final RpcPeer peer = all.next();
            if (peer.isToBePinged(nowNs)) {
                send(peer, RpcWire.PING, end, 0, new byte[0]);
            }
            while (!peer.waiting.isEmpty() && sendNext(peer)) {
                if (isAnswer(peer.waiting.removeFirst().kind())) {
                    peer.onEnded();
                }
            }
            if (peer.isIdle()) {
                all.remove();
            }
        }
    }

    /** Sends the first message that waits for a peer, if there is room, or passes it over. */
    private boolean sendNext(final RpcPeer peer) {
        final RpcMessage next = peer.waiting.getFirst();
        final Call call = next.kind() == RpcWire.REQUEST ? calls.get(next.number()) : null;
        if (next.kind() == RpcWire.REQUEST && call == null) {
            return true; // it has ended
        }
        if (peer.inFlight() >= MAX_IN_FLIGHT
                || (call != null && peer.underWay() >= RpcEnd.MAX_UNDER_WAY)) {
            return false;
        }
        final int length = RpcWire.HEADER_BYTES + next.data().length;
        final int slot = context.claim(peer.node, peer.context, length);
        if (slot < 0) {
            isNodeGone = slot != PmStatus.NO_BUFFERS;
            return false;
        }
        RpcWire.write(context.sendBuffer(slot), next.end(), next.number(), next.data());
        sent[slot] = next;
        sentTo[slot] = peer;
        peer.onSent();
        if (call != null) {
            call.isSent = true;
            peer.onCall();
        }
        isNodeGone = context.send(slot, length, RpcWire.TAG + next.kind()) != PmStatus.OK;
        return true;
    }

    private void onSendDone(final int slot, final int status) {
        final RpcMessage done = sent[slot];
        if (done == null) {
            return;
        }
        final RpcPeer peer = sentTo[slot];
        sent[slot] = null;
        peer.onDone();
        if (status != PmStatus.OK) {
            peer.onGone();
            final Call call = done.kind() == RpcWire.REQUEST ? calls.get(done.number()) : null;
            if (call != null) {
                fail(call, status);
            }
        }
    }

    // ---- Ends of calls ----

    private void endLate(final long nowNs) {
        if (nowNs - lookedNs < LATE_NS) {
            return;
        }
        lookedNs = nowNs;
        for (final Call call : List.copyOf(calls.values())) {
            if (call.message.deadlineNs() - nowNs <= 0) {
                fail(call, PmStatus.TIMED_OUT);
            } else if (call.message.future().isDone()) {
                remove(call); // the program has cancelled it
            }
        }
    }

    private void remove(final Call call) {
        if (calls.remove(call.message.number()) != null && call.isSent) {
            call.peer.onCallEnded();
        }
    }

    private void fail(final Call call, final int status) {
        fail(call, "no reply from node " + call.peer.node, status, call.isSent);
    }

    private void fail(
            final Call call, final String why, final int status, final boolean mayBeDone) {
        remove(call);
        final RpcException cause = new RpcException(why, status, mayBeDone);
        // Not on this thread, which what depends on it might block.
        Thread.startVirtualThread(() -> call.message.future().completeExceptionally(cause));
    }

    private void onEvent() {
        final RpcPeer peer = peers.get(key(event.node(), event.context()));
        if (peer == null || event.slot() != PmEvent.NO_SLOT) {
            return;
        }
        peer.onGone();
        for (final Call call : new ArrayList<>(calls.values())) {
            if (call.peer == peer && call.isSent) {
                fail(call, event.status());
            }
        }
    }

    // ---- Receiving ----

    private void onMessage(final long nowNs) {
        final int kind = message.tag() - RpcWire.TAG;
        if (kind < 0 || kind >= RpcWire.KINDS || message.lengthBytes() < RpcWire.HEADER_BYTES) {
            return;
        }
        final int node = message.sourceNode();
        final int peerContext = message.sourceContext();
        final RpcPeer peer = peer(node, peerContext);
        peer.onHeard(nowNs);
        final long to = RpcWire.end(message.buffer());
        final long number = RpcWire.number(message.buffer());
        final byte[] data = RpcWire.data(message.buffer(), message.lengthBytes());
        switch (kind) {
            case RpcWire.REQUEST, RpcWire.PUBLISHED -> carryOut(peer, kind, to, number, data);
            case RpcWire.PING -> send(peer, RpcWire.PONG, to, 0, new byte[0]);
            case RpcWire.PONG -> {} // it was heard of
            default -> onReply(peer, kind, to, number, data);
        }
    }

    private void onReply(
            final RpcPeer peer,
            final int kind,
            final long to,
            final long number,
            final byte[] data) {
        final Call call = to == end ? calls.get(number) : null;
        if (call == null || call.peer != peer) {
            return; // it has ended before
        }
        if (kind == RpcWire.REPLY) {
            remove(call);
            Thread.startVirtualThread(() -> call.message.future().complete(data));
        } else if (kind == RpcWire.BUSY) {
            fail(call, "node " + peer.node + " has too many requests", PmStatus.NO_BUFFERS, false);
        } else {
            fail(call, new String(data, UTF_8), PmStatus.OK, true);
        }
    }

    private void carryOut(
            final RpcPeer peer,
            final int kind,
            final long to,
            final long number,
            final byte[] data) {
        if (peer.isBusy()) {
            if (kind == RpcWire.REQUEST) {
                send(peer, RpcWire.BUSY, to, number, new byte[0]);
            }
            return;
        }
        peer.onBegun();
        executor.execute(
                () -> {
                    int outcome = RpcWire.REPLY;
                    byte[] reply;
                    try {
                        reply = handler.onRequest(peer.node, peer.context, data);
                        reply = Objects.requireNonNullElse(reply, new byte[0]);
                    } catch (final Exception e) {
                        outcome = RpcWire.FAILURE;
                        reply = String.valueOf(e.getMessage()).getBytes(UTF_8);
                    }
                    if (reply.length > maxLengthBytes) {
                        outcome = RpcWire.FAILURE;
                        reply = "the reply is too long".getBytes(UTF_8);
                    }
                    final int kindOfReply = outcome;
                    final byte[] bytes = reply;
                    execute(
                            () -> {
                                if (kind != RpcWire.REQUEST
                                        || !send(peer, kindOfReply, to, number, bytes)) {
                                    peer.onEnded();
                                }
                            });
                });
    }
}
