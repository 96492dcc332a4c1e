package io.hxb.bench.message;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Linux;
import io.hxb.linux.Memory;
import io.hxb.linux.SocketOptions;
import io.hxb.os.MessageVector;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicInfo;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Messages in bare frames: the system calls that a node makes for each message (poll, recvmmsg,
 * sendmmsg) and nothing else. Neither reliable nor ordered; shows the best that a JVM can reach.
 * Owned by one thread.
 */
final class RawTransport implements Transport {
    private static final int ETHER_TYPE = 0x88B6; // IEEE local experimental 2.
    private static final int ETHER_BYTES = 14;
    private static final int MAX_BYTES = 9_014;
    private static final int BATCH = 64;
    private static final int SOL_PACKET = 263;
    private static final int PACKET_IGNORE_OUTGOING = 23;
    private static final int WAIT_MS = 20;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment errno = Linux.newErrnoSegment();
    private final MessageVector received = new MessageVector(BATCH, 1, 0, 0);
    private final MessageVector sent = new MessageVector(1, 1, 0, 0);
    private final long buffers = arena.allocate((long) BATCH * MAX_BYTES, 64).address();
    private final long frame = arena.allocate(MAX_BYTES, 64).address();
    private final int overheadBytes;
    private final int socket;

    /**
     * Opens a socket on a NIC.
     *
     * @param overheadBytes added to each message, as another transport's headers are.
     */
    RawTransport(final String nic, final int overheadBytes) throws IOException {
        this.overheadBytes = overheadBytes;
        socket = PacketSocket.open();
        SocketOptions.set(socket, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
        PacketSocket.bind(socket, ETHER_TYPE, NicInfo.read(nic).ifindex(), nic);
        for (int i = 0; i < BATCH; i++) {
            received.setPiece(i, buffers + (long) i * MAX_BYTES, MAX_BYTES);
        }
        Memory.fill(frame, MAX_BYTES, 0);
        Memory.fill(frame, 6, 0xFF); // to all: there is only one other end.
        Memory.putByte(frame + 6, 2);
        Memory.putShortBigEndian(frame + 12, ETHER_TYPE);
    }

    @Override
    public boolean offer(final int sequence, final int lengthBytes) {
        Memory.putInt(frame + ETHER_BYTES, sequence);
        sent.setPiece(0, frame, ETHER_BYTES + overheadBytes + lengthBytes);
        return Sockets.sendBatch(errno, socket, sent.message(0), 1) == 1;
    }

    @Override
    public int receive(final Receiver receiver, final int limit) {
        final int most = Math.min(limit, BATCH);
        for (int i = 0; i < most; i++) {
            received.rearm(i);
        }
        final int count = Sockets.receiveBatch(errno, socket, received.message(0), most);
        for (int i = 0; i < count; i++) {
            final long start = buffers + (long) i * MAX_BYTES + ETHER_BYTES;
            final int lengthBytes = received.receivedBytes(i) - ETHER_BYTES - overheadBytes;
            receiver.onMessage(Memory.getInt(start), lengthBytes);
        }
        return Math.max(count, 0);
    }

    @Override
    public void idle() {
        Descriptors.poll(socket, Descriptors.POLLIN, WAIT_MS);
    }

    @Override
    public int unfinished() {
        return 0;
    }

    @Override
    public void close() {
        Descriptors.close(socket);
        arena.close();
    }
}
