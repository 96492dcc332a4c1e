package io.hxb.pm.stream;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.pm.stream.HxbServerSocketChannel.PortListener;
import io.hxb.pm.stream.wire.PortProtocol;

import org.agrona.collections.Int2ObjectHashMap;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * All streams of one context: dispatches its messages, keeps the books of peers, and ends streams
 * whose peer is gone. Guarded by its lock, which must be held for every method except the
 * constructor.
 */
final class StreamEngine implements StreamEventLoop.Work {
    private static final int MESSAGES_PER_POLL = 64;
    private static final long MAX_TIMER_NS = 1_000_000_000L;

    /** More than the context's ring holds, however short they are. */
    private static final long MAX_WAITING_MESSAGES = 1 << 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final PmDevice device;
    private final PmContext context;
    private final StreamOptions options;
    private final ReceivePool receivePool;
    private final StreamClock clock = new StreamClock();
    private final StreamCounters counters = new StreamCounters();
    private final PeerTable peers = new PeerTable();
    private final StreamEventLoop streamEventLoop;
    private final Outbox outbox;
    private final PortClient ports;
    private final StreamDispatcher dispatcher;
    private final Int2ObjectHashMap<StreamState> streams = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<PortListener> listeners = new Int2ObjectHashMap<>();
    private final PmMessage message = new PmMessage();
    private final PmEvent event = new PmEvent();

    /** Peers that are lost as soon as what they had sent before is taken; oldest first. */
    private final ArrayDeque<Loss> losses = new ArrayDeque<>();

    /** Streams that were refused by a full backlog and try again; the next one first. */
    private final PriorityQueue<Retry> retries = new PriorityQueue<>();

    private long polls;
    private long messages;
    private int lastId;
    private long timerNs;
    private ResetReason brokenReason;
    private boolean isLingering;
    private boolean isNodeDead;

    StreamEngine(final PmDevice device, final PmContext context, final StreamOptions options)
            throws IOException {
        this.device = device;
        this.context = context;
        this.options = options;
        receivePool = new ReceivePool(context);
        streamEventLoop = new StreamEventLoop(this, lock, device, context, options.spinNs());
        outbox = new Outbox(context, streamEventLoop, clock);
        ports = new PortClient(peers, outbox);
        dispatcher = new StreamDispatcher(this);
        timerNs = clock.nowNs() + timerIntervalNs();
    }

    ReentrantLock lock() {
        return lock;
    }

    PmDevice device() {
        return device;
    }

    int contextId() {
        return context.contextId();
    }

    int descriptor() {
        return context.descriptor();
    }

    StreamOptions options() {
        return options;
    }

    ReceivePool receivePool() {
        return receivePool;
    }

    Outbox outbox() {
        return outbox;
    }

    PortClient ports() {
        return ports;
    }

    StreamEventLoop pump() {
        return streamEventLoop;
    }

    StreamCounters counters() {
        return counters;
    }

    int streamCount() {
        return streams.size();
    }

    /** The stream with a number that a peer has written, or null. */
    StreamState stream(final int id) {
        return streams.get(id);
    }

    /** The listener on a port, or null. */
    PortListener listener(final int port) {
        return listeners.get(port);
    }

    PeerTable peers() {
        return peers;
    }

    @Override
    public boolean needsSends() {
        return isLingering || outbox.isWaiting();
    }

    void changed(final StreamEventLoop.Source source) {
        streamEventLoop.changed(source);
    }

    @Override
    public boolean isBroken() {
        return brokenReason != null;
    }

    @Override
    public int poll() {
        if (brokenReason != null) {
            return 0;
        }
        int work = pollEvents();
        polls++;
        int status = PmStatus.OK;
        while (work < MESSAGES_PER_POLL && status == PmStatus.OK) {
            status = context.receive(message);
            if (status == PmStatus.OK) {
                work++;
                messages++;
                onMessage();
            }
        }
        outbox.collectDone();
        for (final Outbox.Failure failure : outbox.takeFailures()) {
            onSendFailed(failure.peer(), failure.status());
        }
        outbox.serveWaiting();
        while (!losses.isEmpty() && isDrained(losses.peek(), status == PmStatus.EMPTY)) {
            apply(losses.poll());
        }
        if (status == PmStatus.NODE_GONE
                || status == PmStatus.CONTEXT_CLOSED
                || (isNodeDead && status != PmStatus.OK)) {
            // What the node had delivered has been taken.
            fail(ResetReason.NODE_GONE);
        }
        if (work > 0 || untilTimerNs() == 0) {
            onTime();
        }
        return work + losses.size();
    }

    private void onMessage() {
        final long handle = message.handle();
        boolean isKept = false;
        try {
            isKept = dispatcher.take(message);
        } finally {
            if (!isKept) {
                context.release(handle);
            }
        }
    }

    /** Notes the peers that are gone according to the node; returns the number of events. */
    private int pollEvents() {
        int count = 0;
        while (context.pollEvent(event) == PmStatus.OK) {
            count++;
            if (event.slot() == PmEvent.NO_SLOT) {
                final StreamPeer peer = peers.known(event.node(), event.context());
                note(event.node(), event.context(), peer, event.status());
            }
        }
        return count;
    }

    /**
     * A message was not delivered. Whatever it was, the peer's knowledge of the streams differs
     * from this side's, so all of them end.
     */
    private void onSendFailed(final StreamPeer peer, final int status) {
        if (peer == null) {
            fail(StreamPeer.reason(status));
        } else {
            note(peer.node, peer.context, peer, status);
        }
    }

    private void note(
            final int node, final int peerContext, final StreamPeer peer, final int status) {
        losses.add(new Loss(node, peerContext, peer, StreamPeer.reason(status), polls, messages));
    }

    /** True if all that a lost peer had sent before has been taken. */
    private boolean isDrained(final Loss loss, final boolean isEmpty) {
        return (isEmpty && loss.polls < polls) || messages - loss.messages >= MAX_WAITING_MESSAGES;
    }

    /**
     * Ends what a peer had before it was lost; everything that it had sent has been taken, because
     * this is called for the first message of its new session.
     */
    void settle(final int node, final int peerContext) {
        pollEvents();
        final Iterator<Loss> each = losses.iterator();
        while (each.hasNext()) {
            final Loss loss = each.next();
            if (loss.node == node && loss.context == peerContext) {
                each.remove();
                apply(loss);
            }
        }
    }

    private void apply(final Loss loss) {
        // Unless its books have been begun again since then: those streams were not lost.
        if (loss.peer == null || !loss.peer.equals(peers.known(loss.node, loss.context))) {
            return;
        }
        if (loss.context == PortProtocol.CONTEXT) {
            ports.onNodeFailed(loss.node, loss.reason);
        }
        lose(loss.peer, loss.reason);
    }

    /** Ends all streams of a peer and forgets what was known of it. */
    void lose(final StreamPeer peer, final ResetReason reason) {
        peers.remove(peer);
        if (peer.hasStreams()) {
            counters.onPeerLost();
            peer.streams().forEach(stream -> stream.end(reason));
        }
        outbox.forget(peer);
    }

    void protocolError(final StreamState stream) {
        counters.onProtocolError();
        stream.failOnError();
    }

    /** A new stream of this side; {@link StreamState#connect} begins. */
    StreamState newStream(final HxbSocketAddress remote) throws IOException {
        checkNotBroken();
        if (remote.node() >= device.nodeCount()) {
            throw new IllegalArgumentException(
                    "the cluster has nodes 0 to " + (device.nodeCount() - 1) + ": " + remote);
        }
        if (streams.size() >= options.maxStreams()) {
            throw new IOException(
                    "there are as many streams as there may be (StreamOptions.maxStreams): "
                            + options.maxStreams());
        }
        final StreamState stream = StreamState.connecting(this, nextId(), remote);
        streams.put(stream.id(), stream);
        return stream;
    }

    void checkNotBroken() throws IOException {
        if (brokenReason != null) {
            throw brokenReason.failure("node " + device.nodeId());
        }
    }

    private int nextId() {
        do {
            lastId++;
        } while (lastId == 0 || streams.containsKey(lastId));
        return lastId;
    }

    /** A new stream that a peer has opened. */
    StreamState newStream(
            final StreamPeer peer, final int remoteId, final int port, final long creditBytes) {
        final StreamState stream =
                StreamState.accepted(this, nextId(), peer, remoteId, port, creditBytes);
        streams.put(stream.id(), stream);
        return stream;
    }

    /** Forgets a stream that has ended. */
    void remove(final StreamState stream) {
        streams.remove(stream.id());
        if (stream.peer() != null) {
            stream.peer().remove(stream);
        }
    }

    void add(final PortListener listener) {
        listeners.put(listener.port(), listener);
    }

    void remove(final PortListener listener) {
        listeners.remove(listener.port());
    }

    @Override
    public void checkNode() {
        // The next polls take what it had delivered.
        isNodeDead |= brokenReason == null && !device.isNodeAlive();
    }

    /** Ends everything. */
    void fail(final ResetReason reason) {
        if (brokenReason != null) {
            return;
        }
        brokenReason = reason;
        final List<StreamState> open = new ArrayList<>(streams.values());
        open.forEach(stream -> stream.end(reason));
        ports.failAll(reason);
        for (final PortListener listener : new ArrayList<>(listeners.values())) {
            listener.fail(reason);
            changed(listener);
        }
    }

    /** Closes every stream; from now on it waits for finished sends. */
    void closeAll() {
        isLingering = true;
        new ArrayList<>(streams.values()).forEach(StreamState::close);
    }

    private long timerIntervalNs() {
        return Math.min(MAX_TIMER_NS, options.keepAliveNs() / 2);
    }

    @Override
    public long untilTimerNs() {
        final long nowNs = System.nanoTime();
        long leftNs = Math.min(timerNs - nowNs, receivePool.untilCopyNs(nowNs));
        if (!retries.isEmpty()) {
            leftNs = Math.min(leftNs, retries.peek().dueNs - nowNs);
        }
        return isNodeDead ? 0 : Math.max(0, leftNs);
    }

    /** Lets a stream ask its peer again at a time. */
    void tryLater(final StreamState stream, final long dueNs) {
        retries.add(new Retry(stream, dueNs));
    }

    private void onTime() {
        final long nowNs = clock.advance();
        if (receivePool.untilCopyNs(nowNs) <= 0) {
            receivePool.copyHeld();
        }
        while (!retries.isEmpty() && retries.peek().dueNs - nowNs <= 0) {
            retries.poll().stream.tryAgain();
        }
        if (nowNs - timerNs < 0) {
            return;
        }
        timerNs = nowNs + timerIntervalNs();
        checkNode();
        for (final StreamPeer peer : peers.all()) {
            if (peer.hasStreams() && nowNs - peer.lastSentNs() >= options.keepAliveNs()) {
                outbox.control(Outbox.Control.ping(peer, peer.localSession));
            }
        }
    }

    /** A stream that asks its peer again at a time. */
    private record Retry(StreamState stream, long dueNs) implements Comparable<Retry> {
        @Override
        public int compareTo(final Retry other) {
            return Long.signum(dueNs - other.dueNs);
        }
    }

    /**
     * A lost peer.
     *
     * @param peer its books at that time, or null if there were none.
     * @param polls how many there had been.
     * @param messages how many had been taken.
     */
    private record Loss(
            int node,
            int context,
            StreamPeer peer,
            ResetReason reason,
            long polls,
            long messages) {}
}
