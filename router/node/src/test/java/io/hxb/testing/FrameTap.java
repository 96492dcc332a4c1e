package io.hxb.testing;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.MessageVector;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicInfo;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Sends test frames out of one NIC and sees those that come in. Owned by the test's thread. */
public final class FrameTap implements AutoCloseable {
    /** The VID of a frame without a tag. */
    public static final int NO_TAG = -1;

    private static final int TEST_ETHER_TYPE = 0x88B6; // IEEE local experimental 2.
    private static final int TAG_ETHER_TYPE = 0x8100;
    private static final int FRAME_LENGTH = 60;
    private static final int BUFFER_LENGTH = 2048;
    private static final int BATCH = 64;

    /**
     * A test frame that came in: VID of its outer tag or NO_TAG, hosts in its payload, -1 for all.
     */
    public record Seen(int vid, int from, int to) {}

    private final String nic;
    private final int descriptor;
    private final MemorySegment errno = Linux.newErrnoSegment();
    private final MemorySegment buffers = Arena.ofAuto().allocate((long) BATCH * BUFFER_LENGTH, 64);
    private final MessageVector messages =
            new MessageVector(BATCH, 1, 0, PacketSocket.TAG_CONTROL_LENGTH);

    private FrameTap(final String nic, final int descriptor) {
        this.nic = nic;
        this.descriptor = descriptor;
        for (int i = 0; i < BATCH; i++) {
            messages.setPiece(i, buffer(i), BUFFER_LENGTH);
        }
    }

    /** Opens taps of several NICs of one namespace. */
    public static List<FrameTap> open(final String namespace, final List<String> nics)
            throws IOException {
        return NetworkNamespace.run(
                namespace,
                () -> {
                    final List<FrameTap> taps = new ArrayList<>();
                    for (final String nic : nics) {
                        taps.add(open(nic));
                    }
                    return taps;
                });
    }

    private static FrameTap open(final String nic) throws LinuxException {
        final int descriptor = PacketSocket.open();
        PacketSocket.enableTags(descriptor);
        PacketSocket.bind(
                descriptor, PacketSocket.ALL_ETHER_TYPES, NicInfo.read(nic).ifindex(), nic);
        return new FrameTap(nic, descriptor);
    }

    private long buffer(final int index) {
        return buffers.address() + (long) index * BUFFER_LENGTH;
    }

    /** Sends one test frame; {@code vid} NO_TAG for none. */
    public void send(
            final long sourceMac,
            final long targetMac,
            final int vid,
            final int from,
            final int to) {
        send(sourceMac, targetMac, vid, NO_TAG, from, to);
    }

    /** Sends one test frame with a tag within the tag, {@code innerVid}; NO_TAG for none. */
    public void send(
            final long sourceMac,
            final long targetMac,
            final int vid,
            final int innerVid,
            final int from,
            final int to) {
        final long at = buffer(0);
        Memory.fill(at, BUFFER_LENGTH, 0);
        putMac(at, targetMac);
        putMac(at + 6, sourceMac);
        long payload = at + 14;
        for (final int tag : new int[] {vid, innerVid}) {
            if (tag != NO_TAG) {
                Memory.putShortBigEndian(payload - 2, TAG_ETHER_TYPE);
                Memory.putShortBigEndian(payload, tag);
                payload += 4;
            }
        }
        Memory.putShortBigEndian(payload - 2, TEST_ETHER_TYPE);
        Memory.putInt(payload, from);
        Memory.putInt(payload + 4, to);
        final MessageVector one = new MessageVector(1, 1, 0, 0);
        one.setPiece(0, at, FRAME_LENGTH + 4);
        final int sent = Sockets.sendBatch(errno, descriptor, one.message(0), 1);
        if (sent != 1) {
            throw new AssertionError("sending on " + nic + ": errno " + -sent);
        }
    }

    private static void putMac(final long address, final long mac) {
        for (int i = 0; i < 6; i++) {
            Memory.putByte(address + i, (int) (mac >> (40 - 8 * i)));
        }
    }

    /** What came in since the last call. */
    public List<Seen> receive() {
        final List<Seen> seen = new ArrayList<>();
        while (true) {
            for (int i = 0; i < BATCH; i++) {
                messages.rearm(i);
            }
            final int count = Sockets.receiveBatch(errno, descriptor, messages.message(0), BATCH);
            for (int i = 0; i < count; i++) {
                add(seen, i);
            }
            if (count < BATCH) {
                return seen;
            }
        }
    }

    private void add(final List<Seen> seen, final int index) {
        int vid =
                PacketSocket.tag(
                        messages.controlAddress(index), messages.receivedControlBytes(index));
        long at = buffer(index) + 12;
        while (Memory.getUnsignedShortBigEndian(at) == TAG_ETHER_TYPE) {
            vid = vid < 0 ? Memory.getUnsignedShortBigEndian(at + 2) : vid;
            at += 4;
        }
        if (Memory.getUnsignedShortBigEndian(at) == TEST_ETHER_TYPE) {
            seen.add(
                    new Seen(
                            vid < 0 ? NO_TAG : vid & 0xFFF,
                            Memory.getInt(at + 2),
                            Memory.getInt(at + 6)));
        }
    }

    @Override
    public void close() {
        Descriptors.close(descriptor);
    }
}
