package io.hxb.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.pm.stream.wire.PortProtocol;
import io.hxb.pm.stream.wire.StreamRecord;

/** A peer of one stream that only follows a test, over a context of its own. */
final class BarePeer implements AutoCloseable {
    static final int ID = 7;

    /** Bytes that it grants a stream, once. */
    static final int WINDOW = 1000;

    private static final long SESSION = 4711;

    private final PmContext context;
    private final PmMessage message = new PmMessage();
    private int peerNode;
    private int peerContext;
    private int peerId;

    BarePeer(final PmContext context) {
        this.context = context;
    }

    /** Takes a port of its node. */
    void listen(final int node, final int port) {
        final int slot = context.claim(node, PortProtocol.CONTEXT, PortProtocol.REQUEST_BYTES);
        PortProtocol.request(context.sendAddress(slot), 1, port);
        context.send(slot, PortProtocol.REQUEST_BYTES, PortProtocol.LISTEN);
        await();
        assertEquals(PortProtocol.OK, PortProtocol.status(message.address()));
        context.release(message);
    }

    private void await() {
        int status = context.receive(message);
        while (status == PmStatus.EMPTY) {
            assertEquals(PmStatus.OK, context.await(StreamNodes.LIMIT));
            status = context.receive(message);
        }
        assertEquals(PmStatus.OK, status);
    }

    /** Waits for a record. */
    void await(final int type) {
        int seen = 0;
        while (seen != type) {
            await();
            seen = StreamRecord.check(message.tag(), message.address(), message.lengthBytes());
            assertTrue(seen != StreamRecord.MALFORMED);
            if (seen == StreamRecord.OPEN || seen == StreamRecord.ACCEPT) {
                peerNode = message.sourceNode();
                peerContext = message.sourceContext();
                peerId = StreamRecord.source(message.address());
            }
            context.release(message);
        }
    }

    /** Opens a stream and waits until it is. */
    void open(final int node, final int remoteContext, final int port) {
        peerNode = node;
        peerContext = remoteContext;
        handshake(StreamRecord.OPEN, 0, port);
        await(StreamRecord.ACCEPT);
    }

    /** Grants a stream that was asked for. */
    void accept() {
        handshake(StreamRecord.ACCEPT, peerId, 0);
    }

    private void handshake(final int type, final int destination, final int port) {
        final int length = StreamRecord.HEADER_BYTES + StreamRecord.HANDSHAKE_BYTES;
        final int slot = context.claim(peerNode, peerContext, length);
        StreamRecord.header(context.sendAddress(slot), destination, ID, port);
        StreamRecord.handshake(context.sendAddress(slot), WINDOW, SESSION);
        context.send(slot, length, StreamRecord.tag(type));
    }

    /** Sends a record with a body of any bytes. */
    void send(final int type, final long position, final int bodyBytes) {
        final int length = StreamRecord.HEADER_BYTES + bodyBytes;
        final int slot = context.claim(peerNode, peerContext, length);
        StreamRecord.header(context.sendAddress(slot), peerId, ID, position);
        context.send(slot, length, StreamRecord.tag(type));
    }

    /** Ends without a word, as a process that is killed. */
    @Override
    public void close() {
        context.close();
    }
}
