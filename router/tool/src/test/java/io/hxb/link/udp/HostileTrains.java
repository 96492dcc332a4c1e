package io.hxb.link.udp;

import io.hxb.config.SocketConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.fuzz.Script;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.link.Link;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.linux.SocketOptions;
import io.hxb.os.MessageVector;
import io.hxb.os.Sockets;
import io.hxb.os.TrainVector;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.SplittableRandom;

/**
 * A UDP link to which trains come that a script has cut anywhere, while it is received from in any
 * steps and its pool runs empty: each piece arrives once, in order, with each byte, in a buffer of
 * its own, and every buffer comes back. Used by one thread.
 */
public final class HostileTrains {
    private static final int BUFFERS = 160;
    private static final int BUFFER_BYTES = 2_048;
    private static final int MAX_BYTES = 60_000;
    private static final int MAX_SEGMENTS = 64;
    private static final int MAX_STEPS = 60;
    private static final int MAX_WAITING_BYTES = 200_000;
    private static final int PEER = 1;
    private static final SocketConfig SOCKET =
            SocketConfig.DEFAULT.withSizes(1_500, 4 << 20, 4 << 20);

    /** What is sent: any bytes, with room before them for a link's header. */
    private static final MemorySegment BYTES = Arena.global().allocate(2L * MAX_BYTES + 64, 64);

    private static final MemorySegment POOL =
            Arena.global().allocate((long) BUFFERS * BUFFER_BYTES, 64);

    static {
        final SplittableRandom random = new SplittableRandom(22);
        for (int i = 64; i < BYTES.byteSize(); i++) {
            Memory.putByte(BYTES.address() + i, random.nextInt());
        }
    }

    /** A datagram that is on its way. */
    private record Piece(int offset, int lengthBytes) {}

    private final Script script;
    private final BufferPool pool = new BufferPool(POOL.address(), BUFFERS, BUFFER_BYTES);
    private final BufferPool.Share share = pool.newShare();
    private final ArrayDeque<Piece> expected = new ArrayDeque<>();
    private final ArrayDeque<Integer> taken = new ArrayDeque<>();
    private final UdpLink from;
    private final UdpLink to;
    // No sender of a link, which cuts what is longer than its MTU itself.
    private final MessageVector message = new MessageVector(1, 1, Sockets.SOCKADDR_IN_LENGTH, 0);
    private final MemorySegment errno = Linux.newErrnoSegment();
    private long waitingBytes;

    private HostileTrains(final byte[] script) throws IOException {
        this.script = new Script(script);
        from = UdpLink.open(new UdpLinkConfig(0, "127.0.0.1:0", SOCKET), UdpPeers.NONE, share);
        to = UdpLink.open(new UdpLinkConfig(1, "127.0.0.1:0", SOCKET), UdpPeers.NONE, share);
        from.hear(UdpPeers.NONE.with(PEER, to.localAddress()));
        to.hear(UdpPeers.NONE.with(0, from.localAddress()));
        UdpAddress.write(message.nameAddress(0), to.localAddress());
    }

    /**
     * Runs a script of any bytes.
     *
     * @throws AssertionError if something is lost, made up or kept.
     */
    public static void run(final byte[] script) {
        try {
            new HostileTrains(script).run();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run() throws IOException {
        try {
            for (int step = 0; step < MAX_STEPS && script.hasNext(); step++) {
                step();
            }
            giveBack(BUFFERS);
            drain();
        } finally {
            from.close();
            to.close();
        }
        check(to.kernelDrops() == 0, "the kernel dropped some");
        check(pool.outstanding() == 0, pool.outstanding() + " buffers are missing");
    }

    private void step() throws LinuxException {
        final int what = script.next();
        switch (what & 7) {
            case 0, 1, 2, 3 -> send(what >> 3);
            case 4, 5 -> receive(1 + script.next() % 64);
            case 6 -> takeBuffers(script.next());
            default -> giveBack(script.next());
        }
    }

    // Sizes that trains have, sizes beside them, and any.
    private void send(final int size) throws LinuxException {
        final int base =
                switch (size & 3) {
                    case 0 -> 1_500;
                    case 1 -> FrameHeaderFlyweight.LENGTH;
                    case 2 -> pool.frameBytes();
                    default -> 1 + script.next() * 40;
                };
        final int segment = Math.max(1, base + script.next() % 5 - 2);
        final int room = Math.min(MAX_BYTES, segment * MAX_SEGMENTS);
        final int length = 1 + (script.next() << 8 | script.next()) % room;
        if (waitingBytes + length > MAX_WAITING_BYTES) {
            return;
        }
        final int offset = 64 + script.next();
        SocketOptions.set(
                from.descriptor(0), TrainVector.SOL_UDP, TrainVector.UDP_SEGMENT, segment);
        message.setPiece(0, BYTES.address() + offset, length);
        if (Sockets.sendBatch(errno, from.descriptor(0), message.message(0), 1) != 1) {
            return;
        }
        for (int at = 0; at < length; at += segment) {
            expected.add(new Piece(offset + at, Math.min(segment, length - at)));
        }
        waitingBytes += length;
    }

    private int receive(final int limitFrames) {
        final int received = to.receive(0, this::onFrame, limitFrames);
        check(received >= 0 && received <= limitFrames, "received " + received);
        return received;
    }

    private void onFrame(
            final Link link,
            final FrameOwner owner,
            final long token,
            final long headerAddress,
            final int lengthBytes,
            final long sourceAddress,
            final int vlanTci) {
        final Piece piece = expected.poll();
        check(piece != null, "a frame of " + lengthBytes + " bytes that nobody has sent");
        waitingBytes -= piece.lengthBytes;
        final int length = Math.min(piece.lengthBytes, pool.frameBytes());
        check(length == lengthBytes, lengthBytes + " bytes instead of " + length);
        check(headerAddress == pool.headerAddress((int) token), "not where its buffer is");
        check(sourceAddress == from.localAddress(), "from somebody else");
        check(
                Memory.ALL
                                .asSlice(headerAddress, length)
                                .mismatch(BYTES.asSlice(piece.offset, length))
                        == -1,
                "other bytes");
        owner.release(token);
    }

    private void takeBuffers(final int count) {
        for (int i = 0; i < count; i++) {
            final int id = share.acquire();
            if (id == BufferPool.NONE) {
                return;
            }
            taken.add(id);
        }
    }

    private void giveBack(final int count) {
        for (int i = 0; i < count && !taken.isEmpty(); i++) {
            share.release(taken.poll());
        }
    }

    // Loopback delivers before a send returns, so that nothing is on the way.
    private void drain() {
        for (int idle = 0; !expected.isEmpty() && idle < 3; ) {
            idle = receive(64) == 0 ? idle + 1 : 0;
        }
        check(expected.isEmpty(), expected.size() + " frames are missing");
        check(receive(64) == 0, "more than was sent");
    }

    private static void check(final boolean holds, final String problem) {
        if (!holds) {
            throw new AssertionError(problem);
        }
    }
}
