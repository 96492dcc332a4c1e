package io.hxb.pm.stream;

import io.hxb.pm.stream.wire.PortProtocol;
import io.hxb.pm.stream.wire.StreamRecord;

import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;

/**
 * One stream: what was sent and received, what may be, and how it ends. Guarded by the engine's
 * lock.
 *
 * <p>Positions count bytes from the stream's start. A record that does not begin where the last one
 * ended, or is more than was granted, resets the stream: bytes are never lost silently.
 */
final class StreamState extends Pump.Source implements PortClient.Asker {
    private final StreamEngine engine;
    private final int id;
    private final ReceiveQueue queue;
    private HxbSocketAddress local;
    private HxbSocketAddress remote;
    private volatile Phase phase;
    private Peer peer;
    private int remoteId;
    private long sent;
    private long sendLimit;
    private long received;
    private long consumed;
    private long granted;
    private int writers;
    private boolean isEnding;
    private boolean isEndSent;
    private boolean isTaken;
    private boolean isEndReceived;
    private boolean isTakenSent;
    private boolean isInputShut;
    private boolean isWaitingForRoom;
    private ResetReason resetReason;

    private StreamState(final StreamEngine engine, final int id) {
        this.engine = engine;
        this.id = id;
        queue = new ReceiveQueue(engine.receivePool());
        granted = engine.options().windowBytes();
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
            final Peer peer,
            final int remoteId,
            final int port,
            final long creditBytes) {
        final StreamState stream = new StreamState(engine, id);
        stream.peer = peer;
        stream.remoteId = remoteId;
        stream.sendLimit = creditBytes;
        stream.local = new HxbSocketAddress(engine.device().nodeId(), port);
        stream.remote = HxbSocketAddress.ephemeral(peer.node, peer.context, remoteId);
        stream.phase = Phase.OPEN;
        peer.add(stream);
        return stream;
    }

    int id() {
        return id;
    }

    Peer peer() {
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
        return phase == Phase.RESOLVING || phase == Phase.OPENING;
    }

    boolean isOpen() {
        return phase == Phase.OPEN;
    }

    /** True if no more can be written: the end was sent, or is when a write has finished. */
    boolean isEnding() {
        return isEnding;
    }

    /** True if the peer has taken all that was written, up to the end. */
    boolean isDelivered() {
        return isTaken || (isEndSent && sent == 0);
    }

    boolean isInputEnded() {
        return isEndReceived || isInputShut;
    }

    ResetReason resetReason() {
        return resetReason;
    }

    /** Bytes that wait to be read. */
    int available() {
        return queue.lengthBytes();
    }

    void connect() {
        engine.ports().ask(remote.node(), PortProtocol.LOOKUP, remote.port(), this);
    }

    @Override
    public void onAnswer(final int status, final int value) {
        if (phase != Phase.RESOLVING) {
            return;
        }
        if (status != PortProtocol.OK || value < 1 || value >= engine.device().contextCount()) {
            end(ResetReason.NO_LISTENER);
            return;
        }
        peer = engine.peers().get(remote.node(), value);
        peer.add(this);
        phase = Phase.OPENING;
        engine.outbox()
                .control(
                        Outbox.Control.handshake(
                                peer, StreamRecord.OPEN, 0, id, remote.port(), granted));
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
        sendLimit = creditBytes;
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
        final boolean isBroken =
                phase != Phase.OPEN
                        || isEndReceived
                        || position != received
                        || lengthBytes > granted - received;
        if (isBroken) {
            engine.protocolError(this);
            return false;
        }
        received += lengthBytes;
        engine.counters().onReceived(lengthBytes);
        isEndReceived = isEnd;
        boolean isKept = false;
        if (isInputShut) {
            consume(lengthBytes);
            tellTaken();
        } else if (lengthBytes > 0) {
            isKept = queue.add(handle, address, lengthBytes);
        }
        engine.changed(this);
        return isKept;
    }

    void onCredit(final long limit) {
        if (limit > sendLimit) {
            final boolean wasStopped = sent == sendLimit;
            sendLimit = limit;
            if (wasStopped) {
                engine.changed(this);
            }
        }
    }

    /** The peer's application has taken everything up to the end. */
    void onTaken(final long position) {
        if (!isEndSent || position != sent) {
            engine.protocolError(this);
            return;
        }
        isTaken = true;
        engine.changed(this);
    }

    /**
     * Reads what has been received. The peer is told when the end is.
     *
     * @return bytes read; 0 if there are none yet; -1 at the end.
     * @throws StreamResetException if the stream has been reset and all was read.
     */
    int read(final ByteBuffer target) throws StreamResetException {
        if (!queue.isEmpty()) {
            final int taken = queue.take(target);
            consume(taken);
            return taken;
        }
        if (isEndReceived || isInputShut) {
            tellTaken();
            return -1;
        }
        checkNotReset();
        return 0;
    }

    private void consume(final int bytes) {
        consumed += bytes;
        final int window = engine.options().windowBytes();
        if (phase == Phase.OPEN && !isEndReceived && consumed + window - granted >= window / 2) {
            granted = consumed + window;
            control(StreamRecord.CREDIT, granted);
        }
    }

    /**
     * Writes as much as there is credit and room for.
     *
     * @param sources of which those from {@code offset} on, {@code count} of them, are written.
     * @return bytes written, 0 if none can be now.
     * @throws StreamResetException if the stream has been reset.
     */
    long write(final ByteBuffer[] sources, final int offset, final int count)
            throws StreamResetException {
        checkNotReset();
        final int end = offset + count;
        final long start = sent;
        int first = offset;
        boolean hasRoom = true;
        while (hasRoom && sent < sendLimit) {
            while (first < end && !sources[first].hasRemaining()) {
                first++;
            }
            final int length = pieceBytes(sources, first, end);
            if (length == 0) {
                break;
            }
            hasRoom = engine.outbox().data(this, peer, sources, first, length);
            sent += hasRoom ? length : 0;
        }
        engine.counters().onSent(sent - start);
        return sent - start;
    }

    private int pieceBytes(final ByteBuffer[] sources, final int first, final int end) {
        final long limit = Math.min(sendLimit - sent, engine.outbox().maxDataBytes());
        long length = 0;
        for (int i = first; i < end && length < limit; i++) {
            length += sources[i].remaining();
        }
        return (int) Math.min(length, limit);
    }

    void header(final long address) {
        StreamRecord.header(address, remoteId, id, sent);
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
        writers++;
    }

    /** A write that waited has ended, whether all was written or not. */
    void endWrite() {
        writers--;
        tellEnd();
    }

    /**
     * Tells the peer that no more bytes come, as soon as the writes that wait have finished.
     *
     * @throws StreamResetException if the stream was reset before.
     */
    void shutdownOutput() throws StreamResetException {
        if (!isEnding) {
            checkNotReset();
            isEnding = true;
            tellEnd();
        }
    }

    private void tellEnd() {
        if (phase == Phase.OPEN && isEnding && !isEndSent && writers == 0) {
            isEndSent = true;
            control(StreamRecord.END, sent);
            engine.changed(this);
        }
    }

    private void tellTaken() {
        if (phase == Phase.OPEN && isEndReceived && !isTakenSent) {
            isTakenSent = true;
            control(StreamRecord.TAKEN, received);
        }
    }

    /** Drops what has been received and what comes. */
    void shutdownInput() {
        isInputShut = true;
        final int dropped = queue.clear();
        if (phase == Phase.OPEN) {
            consume(dropped);
            tellTaken();
        }
        engine.changed(this);
    }

    /** The application has closed it: ends it, or resets it if bytes are unread or half written. */
    void close() {
        if (queue.isEmpty() && writers == 0) {
            isEnding = true;
            tellEnd();
            tellTaken();
        } else if (phase == Phase.OPEN) {
            tellReset();
        }
        queue.clear();
        end(ResetReason.CLOSED_HERE);
    }

    /** The application wants it to end at once, on both sides. */
    void abort() {
        if (phase == Phase.OPEN) {
            tellReset();
        }
        queue.clear();
        end(ResetReason.CLOSED_HERE);
    }

    private void tellReset() {
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

    /** It is no more; what was received can still be read. */
    void end(final ResetReason reason) {
        if (phase != Phase.DEAD) {
            phase = Phase.DEAD;
            resetReason = reason;
            engine.remove(this);
            engine.changed(this);
        }
    }

    void checkNotReset() throws StreamResetException {
        if (phase == Phase.DEAD) {
            throw new StreamResetException(resetReason, remote);
        }
    }

    @Override
    int readyOps() {
        if (isConnecting()) {
            return 0;
        }
        int ops = SelectionKey.OP_CONNECT;
        if (phase == Phase.DEAD || !queue.isEmpty() || isEndReceived || isInputShut) {
            ops |= SelectionKey.OP_READ;
        }
        if (phase == Phase.DEAD
                || isEnding
                || (sent < sendLimit && engine.outbox().hasRoom(peer))) {
            ops |= SelectionKey.OP_WRITE;
        }
        return ops;
    }

    /** What a stream lives through. */
    private enum Phase {
        /** The peer's node is asked who listens. */
        RESOLVING,

        /** The peer is asked for the stream. */
        OPENING,

        /** Bytes may go. */
        OPEN,

        /** Nothing goes any more. */
        DEAD
    }
}
