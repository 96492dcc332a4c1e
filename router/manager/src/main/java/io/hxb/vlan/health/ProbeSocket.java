package io.hxb.vlan.health;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.MessageVector;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Probes on a NIC: sends them with their tags, which the programs at the NIC leave alone, and
 * receives those of other hosts, whose tags these have removed. Owned by the thread of its {@link
 * PathHealth}; {@link #flush} sends what has been queued.
 */
public final class ProbeSocket implements ProbeLink, AutoCloseable {
    private static final int BATCH = 64;
    private static final int MAX_BATCHES = 16;
    private static final int TAG_ETHER_TYPE = 0x8100;
    private static final int MAC_BYTES = 6;
    private static final int ADDRESSES_BYTES = 2 * MAC_BYTES;
    private static final int TAG_BYTES = 4;
    private static final int SLOT_BYTES = 192;
    private static final int RECEIVE_BUFFER_BYTES = 1 << 20;

    // Network control goes before other traffic where switches make a difference.
    private static final int PRIORITY = 6 << 13;

    private final long ownMac;
    private final int receiver;
    private final int sender;
    private final MemorySegment errno = Linux.newErrnoSegment();
    private final MemorySegment slots = Arena.ofAuto().allocate(2L * BATCH * SLOT_BYTES, 64);
    private final MessageVector incoming = new MessageVector(BATCH, 1, 0, 0);
    private final MessageVector outgoing = new MessageVector(BATCH, 1, 0, 0);
    private int queued;

    private ProbeSocket(final long ownMac, final int receiver, final int sender) {
        this.ownMac = ownMac;
        this.receiver = receiver;
        this.sender = sender;
    }

    /**
     * Opens the sockets in this thread's network namespace; they need CAP_NET_RAW.
     *
     * @param ownMac address of the NIC, first byte highest.
     */
    public static ProbeSocket open(final long ownMac) throws LinuxException {
        final int receiver = PacketSocket.open();
        try {
            Sockets.setReceiveBuffer(receiver, RECEIVE_BUFFER_BYTES);
            return new ProbeSocket(ownMac, receiver, PacketSocket.open());
        } catch (final LinuxException e) {
            Descriptors.close(receiver);
            throw e;
        }
    }

    /** Sends and receives on a NIC from now on. */
    public void bind(final int ifindex, final String nic) throws LinuxException {
        PacketSocket.bind(receiver, Probe.ETHER_TYPE, ifindex, nic);
        // A socket of no EtherType receives nothing, and the kernel reads that of what it sends.
        PacketSocket.bind(sender, 0, ifindex, nic);
    }

    /** What becomes readable when probes come. */
    public int descriptor() {
        return receiver;
    }

    private long slot(final int index) {
        return slots.address() + (long) index * SLOT_BYTES;
    }

    @Override
    public void send(final long mac, final int vid, final long address, final int lengthBytes) {
        final long at = slot(BATCH + queued);
        putMac(at, mac);
        putMac(at + MAC_BYTES, ownMac);
        Memory.putShortBigEndian(at + ADDRESSES_BYTES, TAG_ETHER_TYPE);
        Memory.putShortBigEndian(at + ADDRESSES_BYTES + 2, PRIORITY | vid);
        Memory.copy(address, at + ADDRESSES_BYTES + TAG_BYTES, lengthBytes);
        outgoing.setPiece(queued, at, ADDRESSES_BYTES + TAG_BYTES + lengthBytes);
        if (++queued == BATCH) {
            flush();
        }
    }

    private static void putMac(final long address, final long mac) {
        Memory.putShortBigEndian(address, (int) (mac >>> Integer.SIZE));
        Memory.putIntBigEndian(address + Short.BYTES, (int) mac);
    }

    private static long mac(final long address) {
        return (long) Memory.getUnsignedShortBigEndian(address) << Integer.SIZE
                | Integer.toUnsignedLong(Memory.getIntBigEndian(address + Short.BYTES));
    }

    /** Sends what is queued; what the NIC does not take is lost, as on the way. */
    public void flush() {
        for (int sent = 0; sent < queued; ) {
            final int taken =
                    Sockets.sendBatch(errno, sender, outgoing.message(sent), queued - sent);
            if (taken <= 0) {
                break;
            }
            sent += taken;
        }
        queued = 0;
    }

    /** Hands over all frames that have come. */
    public void receive(final PathHealth health, final long nowNs) {
        for (int batch = 0; batch < MAX_BATCHES; batch++) {
            for (int i = 0; i < BATCH; i++) {
                incoming.rearm(i);
                incoming.setPiece(i, slot(i), SLOT_BYTES);
            }
            final int count = Sockets.receiveBatch(errno, receiver, incoming.message(0), BATCH);
            for (int i = 0; i < count; i++) {
                receive(health, slot(i), incoming.receivedBytes(i), nowNs);
            }
            if (count < BATCH) {
                return;
            }
        }
    }

    private static void receive(
            final PathHealth health, final long at, final int lengthBytes, final long nowNs) {
        final boolean isTagged =
                Memory.getUnsignedShortBigEndian(at + ADDRESSES_BYTES) == TAG_ETHER_TYPE;
        final int skipped = ADDRESSES_BYTES + (isTagged ? TAG_BYTES : 0);
        if (lengthBytes > skipped) {
            health.onFrame(mac(at + MAC_BYTES), at + skipped, lengthBytes - skipped, nowNs);
        }
    }

    @Override
    public void close() {
        Descriptors.close(receiver);
        Descriptors.close(sender);
    }
}
