package io.hxb.bench.attack;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.Linux;
import io.hxb.linux.Memory;
import io.hxb.os.MessageVector;
import io.hxb.os.Sockets;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The attacker on the lines of a lab: reads the frames that pass and sends any frames, in batches.
 * Owned by one thread. Sub-classes open the sockets and address the frames.
 */
abstract class AttackWire implements AutoCloseable {
    /** Frames of a batch. */
    static final int BATCH = 64;

    private static final long FULL_NS = 20_000;

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment errno = Linux.newErrnoSegment();
    private final long memory = arena.allocate((long) BATCH * SeenFrames.MAX_BYTES, 64).address();
    private final long seenMemory =
            arena.allocate((long) BATCH * SeenFrames.MAX_BYTES, 64).address();
    private final MessageVector sending;
    private final MessageVector receiving = new MessageVector(BATCH, 1, 0, 0);
    private final List<Integer> sniffers = new ArrayList<>();
    private final List<Integer> lineOfSniffer = new ArrayList<>();
    private final List<Integer> injectors = new ArrayList<>();
    private long refused;

    /**
     * Has no sockets yet.
     *
     * @param nameBytes bytes of the socket address of a frame that is sent, 0 for none.
     */
    AttackWire(final int nameBytes) {
        sending = new MessageVector(BATCH, 1, nameBytes, 0);
    }

    /** Sees the frames that a socket receives. */
    final void addSniffer(final int socket, final int line) {
        sniffers.add(socket);
        lineOfSniffer.add(line);
    }

    /** Sends to the next line by a socket. */
    final void addInjector(final int socket) {
        injectors.add(socket);
    }

    /** Number of lines. */
    final int lines() {
        return injectors.size();
    }

    /** Bytes before the HXB header in the frames that are seen and sent. */
    abstract int prefixBytes();

    /** Bytes before that prefix in what a socket receives. */
    abstract int skippedBytes();

    /** True if a frame that was received is a frame between nodes. */
    abstract boolean isOfNodes(long address, int lengthBytes);

    /**
     * Addresses a frame by the prefix that it has.
     *
     * @param isForeign true if its sender is to have an address that no node has.
     * @param nameAddress where its socket address goes.
     */
    abstract void address(long address, int lengthBytes, boolean isForeign, long nameAddress);

    /** Reads what has passed and was not lost. */
    final void look(final SeenFrames seen) {
        for (int i = 0; i < sniffers.size(); i++) {
            look(sniffers.get(i), lineOfSniffer.get(i), seen);
        }
    }

    private void look(final int socket, final int line, final SeenFrames seen) {
        for (int i = 0; i < BATCH; i++) {
            receiving.rearm(i);
            receiving.setPiece(i, seenAt(i), SeenFrames.MAX_BYTES);
        }
        final int count = Sockets.receiveBatch(errno, socket, receiving.message(0), BATCH);
        for (int i = 0; i < count; i++) {
            final long address = seenAt(i) + skippedBytes();
            final int lengthBytes = receiving.receivedBytes(i) - skippedBytes();
            if (lengthBytes > prefixBytes() && isOfNodes(address, lengthBytes)) {
                seen.add(address, lengthBytes, line);
            }
        }
    }

    private long seenAt(final int index) {
        return seenMemory + (long) index * SeenFrames.MAX_BYTES;
    }

    /** Where frame {@code index} of the batch is to be written, with its prefix. */
    final long slot(final int index) {
        return memory + (long) index * SeenFrames.MAX_BYTES;
    }

    /** Adds frame {@code index} to the batch; as {@link #address}. */
    final void put(final int index, final int lengthBytes, final boolean isForeign) {
        address(slot(index), lengthBytes, isForeign, sending.nameAddress(index));
        sending.setPiece(index, slot(index), lengthBytes);
    }

    /**
     * Sends the batch; waits while the line is full.
     *
     * @return frames that the kernel took; it refuses some that are cut to less than a header.
     */
    final int send(final int line, final int count) {
        int done = 0;
        int sent = 0;
        while (done < count) {
            final int result =
                    Sockets.sendBatch(
                            errno, injectors.get(line), sending.message(done), count - done);
            if (result > 0) {
                done += result;
                sent += result;
            } else if (result == -Errno.EAGAIN || result == -Errno.ENOBUFS) {
                LockSupport.parkNanos(FULL_NS);
            } else {
                done++;
                refused++;
            }
        }
        return sent;
    }

    /** Frames that the kernel did not take. */
    final long refused() {
        return refused;
    }

    static void putBigEndian(final long address, final int value) {
        Memory.putShortBigEndian(address, value);
    }

    @Override
    public void close() {
        sniffers.forEach(Descriptors::close);
        injectors.forEach(Descriptors::close);
        sniffers.clear();
        injectors.clear();
    }
}
