package io.hxb.pm.stream;

import io.hxb.pm.PmMessage;
import io.hxb.pm.stream.HxbServerSocketChannel.PortListener;
import io.hxb.pm.stream.wire.StreamRecord;

/**
 * Dispatches messages of peers: checks that each is a record of a stream of its sender, and counts
 * and drops those that are not. Guarded by the engine's lock.
 */
final class StreamDispatcher {
    private final StreamEngine engine;
    private PmMessage message;

    StreamDispatcher(final StreamEngine engine) {
        this.engine = engine;
    }

    /**
     * Takes a message.
     *
     * @return true if it is kept, and released when its bytes have been read.
     */
    boolean take(final PmMessage next) {
        message = next;
        final long address = message.address();
        final int type = StreamRecord.check(message.tag(), address, message.lengthBytes());
        switch (type) {
            case StreamRecord.MALFORMED -> {
                if (!engine.ports().onReply(message)) {
                    engine.counters().onMalformed();
                }
            }
            case StreamRecord.OPEN -> onOpen(address);
            case StreamRecord.PING -> onPing(address);
            default -> {
                final StreamState stream = engine.stream(StreamRecord.destination(address));
                if (isOf(stream, address, type)) {
                    return onRecord(stream, type, address);
                }
                onUnknown(type, address);
            }
        }
        return false;
    }

    private boolean isOf(final StreamState stream, final long address, final int type) {
        if (stream == null || stream.peer() == null) {
            return false;
        }
        final int source = StreamRecord.source(address);
        final boolean isNew = type == StreamRecord.ACCEPT || type == StreamRecord.RESET;
        return stream.peer().node == message.sourceNode()
                && stream.peer().context == message.sourceContext()
                && (stream.remoteId() == source || (isNew && stream.isConnecting()));
    }

    private boolean onRecord(final StreamState stream, final int type, final long address) {
        final long position = StreamRecord.position(address);
        switch (type) {
            case StreamRecord.ACCEPT -> {
                engine.settle(message.sourceNode(), message.sourceContext());
                if (joinSession(stream.peer(), StreamRecord.session(address))) {
                    stream.onAccept(StreamRecord.source(address), StreamRecord.credit(address));
                }
            }
            case StreamRecord.DATA, StreamRecord.END -> {
                return stream.onData(
                        position,
                        message.handle(),
                        address + StreamRecord.HEADER_BYTES,
                        message.lengthBytes() - StreamRecord.HEADER_BYTES,
                        type == StreamRecord.END);
            }
            case StreamRecord.CREDIT -> stream.onCredit(position);
            case StreamRecord.TAKEN -> stream.onTaken(position);
            default -> {
                engine.counters().onResetReceived();
                stream.onReset(ResetReason.of(position));
            }
        }
        return false;
    }

    private void onUnknown(final int type, final long address) {
        switch (type) {
            case StreamRecord.ACCEPT, StreamRecord.DATA -> refuseUnknown(address);
            case StreamRecord.END -> onUnknownEnd(address);
            case StreamRecord.CREDIT, StreamRecord.TAKEN -> {
                // What the closed stream has written was read.
            }
            default -> engine.counters().onUnknownStream();
        }
    }

    private void refuseUnknown(final long address) {
        engine.counters().onUnknownStream();
        refuse(
                StreamRecord.source(address),
                StreamRecord.destination(address),
                ResetReason.NO_SUCH_STREAM);
    }

    /**
     * The end of a stream that was closed here. Bytes that arrived after that, or were unread then,
     * have reset it before; without any, and in the same session, nothing is missing.
     */
    private void onUnknownEnd(final long address) {
        final StreamPeer peer = engine.peers().known(message.sourceNode(), message.sourceContext());
        final boolean isSameSession = peer != null && peer.remoteSession() != 0;
        if (message.lengthBytes() > StreamRecord.HEADER_BYTES || !isSameSession) {
            refuseUnknown(address);
            return;
        }
        final int remoteId = StreamRecord.source(address);
        final int localId = StreamRecord.destination(address);
        final long position = StreamRecord.position(address);
        engine.outbox()
                .control(Outbox.Control.of(peer, StreamRecord.TAKEN, remoteId, localId, position));
    }

    private void refuse(final int remoteId, final int localId, final ResetReason reason) {
        engine.counters().onResetSent();
        final StreamPeer peer = engine.peers().get(message.sourceNode(), message.sourceContext());
        engine.outbox()
                .control(
                        Outbox.Control.of(
                                peer, StreamRecord.RESET, remoteId, localId, reason.code()));
    }

    private void onOpen(final long address) {
        // What ended the peer's earlier streams was reported before this arrived.
        engine.settle(message.sourceNode(), message.sourceContext());
        final StreamPeer peer = engine.peers().get(message.sourceNode(), message.sourceContext());
        final long session = StreamRecord.session(address);
        if (!joinSession(peer, session)) {
            onOpen(address);
            return;
        }
        final int port = (int) StreamRecord.position(address);
        final PortListener listener = engine.listener(port);
        final ResetReason refusal = refusal(listener);
        if (refusal != null) {
            engine.counters().onRefused();
            refuse(StreamRecord.source(address), 0, refusal);
            return;
        }
        accept(listener, peer, StreamRecord.source(address), port, StreamRecord.credit(address));
    }

    private ResetReason refusal(final PortListener listener) {
        if (listener == null) {
            return ResetReason.NO_LISTENER;
        }
        if (listener.isFull()) {
            return ResetReason.BACKLOG_FULL;
        }
        return engine.streamCount() >= engine.options().maxStreams()
                ? ResetReason.TOO_MANY_STREAMS
                : null;
    }

    private void accept(
            final PortListener listener,
            final StreamPeer peer,
            final int remoteId,
            final int port,
            final long creditBytes) {
        engine.counters().onAccepted();
        final StreamState stream = engine.newStream(peer, remoteId, port, creditBytes);
        engine.outbox()
                .control(
                        Outbox.Control.handshake(
                                peer,
                                StreamRecord.ACCEPT,
                                remoteId,
                                stream.id(),
                                0,
                                engine.options().windowBytes()));
        listener.add(stream);
        engine.changed(listener);
    }

    /**
     * Notes the number of a peer's session.
     *
     * @return false if it has changed: all streams of the old one have ended, and the peer's books
     *     are new.
     */
    private boolean joinSession(final StreamPeer peer, final long session) {
        if (peer.joinSession(session)) {
            return true;
        }
        engine.lose(peer, ResetReason.PEER_RESTARTED);
        return false;
    }

    private void onPing(final long address) {
        final StreamPeer peer = engine.peers().known(message.sourceNode(), message.sourceContext());
        final long session = StreamRecord.position(address);
        if (peer != null && peer.remoteSession() != 0 && peer.remoteSession() != session) {
            engine.settle(message.sourceNode(), message.sourceContext());
            engine.lose(peer, ResetReason.PEER_RESTARTED);
        }
        final long known = peer == null ? 0 : peer.localSession;
        if (StreamRecord.expectedSession(address) != known
                && StreamRecord.expectedSession(address) != 0) {
            final StreamPeer answered =
                    engine.peers().get(message.sourceNode(), message.sourceContext());
            engine.outbox().control(Outbox.Control.ping(answered, answered.localSession));
        }
    }
}
