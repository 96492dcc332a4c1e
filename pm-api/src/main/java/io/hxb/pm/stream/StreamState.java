package io.hxb.pm.stream;

import io.hxb.pm.stream.wire.PortProtocol;
import io.hxb.pm.stream.wire.StreamRecord;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One stream: its two ends, its two directions, and its life from the look-up of the port to its
 * end. Guarded by the engine's lock.
 *
 * <p>A record that does not begin where the last one ended, or is longer than was granted, resets
 * the stream: bytes are never lost silently.
 */
final class StreamState extends StreamEventLoop.Source implements PortClient.ReplyListener {
    /** Times between two tries to connect to a listener whose backlog is full. */
    private static final long MIN_PAUSE_NS = 1_000_000L;

    private static final long MAX_PAUSE_NS = 64_000_000L;

    /** How long it is tried if the caller gives no time: as long as TCP tries in Linux. */
    private static final long GIVE_UP_NS = 127_000_000_000L;

    private final StreamEngine engine;
    private final int id;
    private final StreamInput input;
    private final StreamOutput output = new StreamOutput();
    private HxbSocketAddress local;
    private HxbSocketAddress remote;
    private volatile Phase phase;
    private StreamPeer peer;
    private int remoteId;
    private boolean isWaitingForRoom;
    private ResetReason resetReason;
    private long giveUpNs;
    private long pauseNs = MIN_PAUSE_NS;

    private StreamState(final StreamEngine engine, final int id) {
        this.engine = engine;
        this.id = id;
        input = new StreamInput(engine.receivePool(), engine.options().windowBytes());
    }

    /** A stream that this side opens; {@link #connect} begins. */
    static StreamState connecting(
            final StreamEngine engine, final int id, final HxbSocketAddress remote) {
        final StreamState stream = new StreamState(engine, id);
        stream.remote = remote;
        stream.local = HxbSocketAddress.ephemeral(engine.device().nodeId(), engine.contextId(), id);
        stream.phase = Phase.RESOLVING;
        return stream;
    }

    /** A stream that a peer has opened. */
    static StreamState accepted(
            final StreamEngine engine,
            final int id,
            final StreamPeer peer,
            final int remoteId,
            final int port,
            final long creditBytes) {
        final StreamState stream = new StreamState(engine, id);
        stream.peer = peer;
        stream.remoteId = remoteId;
        stream.output.onCredit(creditBytes);
        stream.local = new HxbSocketAddress(engine.device().nodeId(), port);
        stream.remote = HxbSocketAddress.ephemeral(peer.node, peer.context, remoteId);
        stream.phase = Phase.OPEN;
        peer.add(stream);
        return stream;
    }

    int id() {
        return id;
    }

    StreamPeer peer() {
        return peer;
    }

    int remoteId() {
        return remoteId;
    }

    HxbSocketAddress local() {
        return local;
    }

    HxbSocketAddress remote() {
        return remote;
    }

    boolean isConnecting() {
        return phase == Phase.RESOLVING || phase == Phase.OPENING || phase == Phase.PAUSING;
    }

    /** True if the listener's backlog was full at the last try to connect. */
    boolean isRefused() {
        return phase == Phase.PAUSING;
    }

    boolean isOpen() {
        return phase == Phase.OPEN;
    }

    /** True if no more can be written: the end was sent, or is when a write has finished. */
    boolean isEnding() {
        return output.isEnding();
    }

    /** True if the peer has taken all that was written, up to the end. */
    boolean isDelivered() {
        return output.isDelivered();
    }

    boolean isInputEnded() {
        return input.isEnded();
    }

    ResetReason resetReason() {
        return resetReason;
    }

    /** Bytes that wait to be read. */
    int available() {
        return input.available();
    }

    void connect() {
        giveUpNs = System.nanoTime() + GIVE_UP_NS;
        engine.ports().request(remote.node(), PortProtocol.LOOKUP, remote.port(), this);
    }

    @Override
    public void onReply(final int status, final int value) {
        if (phase != Phase.RESOLVING) {
            return;
        }
        if (status != PortProtocol.OK || value < 1 || value >= engine.device().contextCount()) {
            end(ResetReason.NO_LISTENER);
            return;
        }
        peer = engine.peers().get(remote.node(), value);
        peer.add(this);
        open();
    }

    private void open() {
        phase = Phase.OPENING;
        engine.outbox()
                .control(
                        Outbox.Control.handshake(
                                peer, StreamRecord.OPEN, 0, id, remote.port(), input.granted()));
    }

    /** The peer has reset the stream or refused it; a full backlog may have room later. */
    void onReset(final ResetReason reason) {
        final long nowNs = System.nanoTime();
        if (phase == Phase.OPENING && reason == ResetReason.BACKLOG_FULL && nowNs - giveUpNs < 0) {
            phase = Phase.PAUSING;
            // Between half and one and a half pauses, so that many do not all try at once.
            engine.tryLater(
                    this, nowNs + ThreadLocalRandom.current().nextLong(pauseNs) + pauseNs / 2);
            pauseNs = Math.min(2 * pauseNs, MAX_PAUSE_NS);
        } else {
            end(reason);
        }
    }

    /** Asks again for a stream, if it still waits for that. */
    void tryAgain() {
        if (phase == Phase.PAUSING) {
            open();
        }
    }

    @Override
    public void onFailure(final ResetReason reason) {
        if (phase == Phase.RESOLVING) {
            end(reason);
        }
    }

    void onAccept(final int newRemoteId, final long creditBytes) {
        if (phase != Phase.OPENING) {
            engine.protocolError(this);
            return;
        }
        remoteId = newRemoteId;
        output.onCredit(creditBytes);
        phase = Phase.OPEN;
        engine.counters().onConnected();
        engine.changed(this);
    }

    /**
     * Takes bytes of the peer.
     *
     * @return true if the message is kept, and released when its bytes have been read.
     */
    boolean onData(
            final long position,
            final long handle,
            final long address,
            final int lengthBytes,
            final boolean isEnd) {
        if (phase != Phase.OPEN || !input.isNext(position, lengthBytes)) {
            engine.protocolError(this);
            return false;
        }
        input.onReceived(lengthBytes, isEnd);
        engine.counters().onReceived(lengthBytes);
        boolean isKept = false;
        if (input.isShut()) {
            consume(lengthBytes);
            notifyTaken();
        } else if (lengthBytes > 0) {
            isKept = input.keep(handle, address, lengthBytes);
        }
        engine.changed(this);
        return isKept;
    }

    void onCredit(final long limit) {
        if (output.onCredit(limit)) {
            engine.changed(this);
        }
    }

    /** The peer's application has taken everything up to the end. */
    void onTaken(final long position) {
        if (output.onTaken(position)) {
            engine.changed(this);
        } else {
            engine.protocolError(this);
        }
    }

    /**
     * Reads what has been received. The peer learns when its end has been read.
     *
     * @return bytes read; 0 if there are none yet; -1 at the end.
     * @throws IOException if the stream has been reset, or the node is gone, and all was read.
     */
    int read(final ByteBuffer target) throws IOException {
        if (!input.isEmpty()) {
            final int taken = input.read(target);
            consume(taken);
            return taken;
        }
        if (input.isEnded()) {
            notifyTaken();
            return -1;
        }
        checkNotReset();
        return 0;
    }

    private void consume(final int bytes) {
        input.onConsumed(bytes);
        if (phase == Phase.OPEN && input.grant()) {
            control(StreamRecord.CREDIT, input.granted());
        }
    }

    /**
     * Writes as much as there is credit and room for.
     *
     * @param sources of which those from {@code offset} on, {@code count} of them, are written.
     * @return bytes written, 0 if none can be now.
     * @throws IOException if the stream has been reset, or the node is gone.
     */
    long write(final ByteBuffer[] sources, final int offset, final int count) throws IOException {
        checkNotReset();
        final int end = offset + count;
        final long start = output.sent();
        int first = offset;
        boolean hasRoom = true;
        while (hasRoom && output.creditBytes() > 0) {
            while (first < end && !sources[first].hasRemaining()) {
                first++;
            }
            final int length = pieceBytes(sources, first, end);
            if (length == 0) {
                break;
            }
            hasRoom = engine.outbox().data(this, peer, sources, first, length);
            output.onSent(hasRoom ? length : 0);
        }
        final long written = output.sent() - start;
        engine.counters().onSent(written);
        return written;
    }

    private int pieceBytes(final ByteBuffer[] sources, final int first, final int end) {
        final long limit = Math.min(output.creditBytes(), engine.outbox().maxDataBytes());
        long length = 0;
        for (int i = first; i < end && length < limit; i++) {
            length += sources[i].remaining();
        }
        return (int) Math.min(length, limit);
    }

    void header(final long address) {
        StreamRecord.header(address, remoteId, id, output.sent());
    }

    private void control(final int type, final long position) {
        engine.outbox().control(Outbox.Control.of(peer, type, remoteId, id, position));
    }

    /** There is no room for data; true if the outbox has not known that this stream waits. */
    boolean beginWaitForRoom() {
        final boolean isNew = !isWaitingForRoom;
        isWaitingForRoom = true;
        return isNew;
    }

    /** There is room again, or the peer is gone. */
    void endWaitForRoom() {
        isWaitingForRoom = false;
        engine.changed(this);
    }

    /** A write that waits has begun: until it has ended the stream does not end in order. */
    void beginWrite() {
        output.beginWrite();
    }

    /** A write that waited has ended, whether all was written or not. */
    void endWrite() {
        output.endWrite();
        notifyEnd();
    }

    /**
     * Notifies the peer that no more bytes come, as soon as the writes that wait have finished.
     *
     * @throws IOException if the stream was reset before, or the node is gone.
     */
    void shutdownOutput() throws IOException {
        if (!output.isEnding()) {
            checkNotReset();
            output.beginEnd();
            notifyEnd();
        }
    }

    private void notifyEnd() {
        if (phase == Phase.OPEN && output.takeEnd()) {
            control(StreamRecord.END, output.sent());
            engine.changed(this);
        }
    }

    private void notifyTaken() {
        if (phase == Phase.OPEN && input.takeTaken()) {
            control(StreamRecord.TAKEN, input.received());
        }
    }

    /** Drops what has been received and what comes. */
    void shutdownInput() {
        input.shut();
        final int dropped = input.clear();
        if (phase == Phase.OPEN) {
            consume(dropped);
            notifyTaken();
        }
        engine.changed(this);
    }

    /** The application has closed it: ends it, or resets it if bytes are unread or half written. */
    void close() {
        if (input.isEmpty() && !output.isWriting()) {
            output.beginEnd();
            notifyEnd();
            notifyTaken();
        } else if (phase == Phase.OPEN) {
            notifyReset();
        }
        input.clear();
        end(ResetReason.CLOSED_HERE);
    }

    /** The application ends it immediately, on both sides. */
    void abort() {
        if (phase == Phase.OPEN) {
            notifyReset();
        }
        input.clear();
        end(ResetReason.CLOSED_HERE);
    }

    private void notifyReset() {
        engine.counters().onResetSent();
        control(StreamRecord.RESET, ResetReason.RESET_BY_PEER.code());
    }

    /** A record broke the rules. */
    void failOnError() {
        if (phase == Phase.OPEN) {
            engine.counters().onResetSent();
            control(StreamRecord.RESET, ResetReason.PROTOCOL_ERROR.code());
        }
        end(ResetReason.PROTOCOL_ERROR);
    }

    /** The stream is dead; what was received can still be read. */
    void end(final ResetReason reason) {
        if (phase != Phase.DEAD) {
            phase = Phase.DEAD;
            resetReason = reason;
            engine.remove(this);
            engine.changed(this);
        }
    }

    void checkNotReset() throws IOException {
        if (phase == Phase.DEAD) {
            throw resetReason.failure(remote);
        }
    }

    @Override
    int readyOps() {
        if (isConnecting()) {
            return 0;
        }
        int ops = SelectionKey.OP_CONNECT;
        if (phase == Phase.DEAD || !input.isEmpty() || input.isEnded()) {
            ops |= SelectionKey.OP_READ;
        }
        if (phase == Phase.DEAD
                || output.isEnding()
                || (output.creditBytes() > 0 && engine.outbox().hasRoom(peer))) {
            ops |= SelectionKey.OP_WRITE;
        }
        return ops;
    }

    /** The phases of a stream's life, in this order. */
    private enum Phase {
        /** The peer's node is asked who listens. */
        RESOLVING,

        /** The peer is asked for the stream. */
        OPENING,

        /** The listener's backlog was full; the peer is asked again soon. */
        PAUSING,

        /** Bytes may be sent. */
        OPEN,

        /** Nothing is sent or received any more. */
        DEAD
    }
}
