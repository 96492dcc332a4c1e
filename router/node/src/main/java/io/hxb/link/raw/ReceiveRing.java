package io.hxb.link.raw;

import io.hxb.link.FrameOwner;
import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.linux.AddressRange;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.PacketSocket;

/**
 * A TPACKET_V2 receive ring: the kernel writes each frame into the next free slot, the sink gets it
 * there, and {@link #release} hands the slot back. Owned by the loop that owns the link.
 *
 * <p>The kernel fills slots in order and drops frames while the next one is not free, so a frame
 * that is held stops the ring when it comes round to it. The word with a slot's status also notes
 * that the sink holds the slot: the kernel only looks whether it is 0.
 *
 * <pre>
 * offset length meaning of a slot (tpacket2_hdr)
 *      0      4 status: 0 the kernel's, 1 ours
 *      8      4 bytes captured, from the Ethernet header
 *     12      2 offset of the Ethernet header
 *     24      2 tag control information, if flagged in the status
 * </pre>
 *
 * Source: Documentation/networking/packet_mmap.rst, linux/if_packet.h.
 */
final class ReceiveRing implements FrameOwner {
    private static final int TP_STATUS_KERNEL = 0;
    private static final int TP_STATUS_USER = 1;
    private static final int TP_STATUS_VLAN_VALID = 0x10;
    private static final int HELD = 1 << 24;
    private static final int SNAPLEN_OFFSET = 8;
    private static final int MAC_OFFSET = 12;
    private static final int TCI_OFFSET = 24;
    private static final int ETHERNET_LENGTH = 14;
    private static final int SLOT_HEADER_LENGTH = 80;
    private static final int BLOCK_BYTES = 1 << 16;
    // Otherwise the kernel writes to a cache line of the slot that is being read.
    private static final int CACHE_LINE = 64;

    private final int frameBytes;
    private final long ringAddress;
    private final long ringBytes;
    private final long[] slots;
    private int head;
    private int heldFrames;
    private boolean isRetired;

    // Prevents the prefetch from being optimised away.
    @SuppressWarnings("unused")
    private long fetched;

    /**
     * Gives a socket a ring.
     *
     * @param frameBytes bytes of HXB header and body that a slot holds.
     * @param ringFrames slots wanted; there may be a few more.
     */
    ReceiveRing(final int descriptor, final int frameBytes, final int ringFrames)
            throws LinuxException {
        this.frameBytes = frameBytes;
        final int slotBytes = SLOT_HEADER_LENGTH + frameBytes + CACHE_LINE - 1 & -CACHE_LINE;
        final int blockBytes = (int) Math.max(BLOCK_BYTES, AddressRange.pages(slotBytes));
        final int perBlock = blockBytes / slotBytes;
        final int blocks = (ringFrames + perBlock - 1) / perBlock;
        ringBytes = (long) blockBytes * blocks;
        ringAddress = PacketSocket.mapRing(descriptor, blockBytes, blocks, slotBytes);
        slots = new long[perBlock * blocks];
        for (int slot = 0; slot < slots.length; slot++) {
            final int block = slot / perBlock;
            slots[slot] =
                    ringAddress + (long) block * blockBytes + (long) (slot % perBlock) * slotBytes;
        }
    }

    /** Makes a ring over memory in which a test acts as the kernel. */
    ReceiveRing(final long ringAddress, final int slotBytes, final int ringFrames) {
        frameBytes = slotBytes - SLOT_HEADER_LENGTH;
        this.ringAddress = ringAddress;
        ringBytes = 0;
        slots = new long[ringFrames];
        for (int slot = 0; slot < ringFrames; slot++) {
            slots[slot] = ringAddress + (long) slot * slotBytes;
        }
    }

    /** Bytes of HXB header and body that a slot holds. */
    int frameBytes() {
        return frameBytes;
    }

    /** Frames the sink holds. */
    int heldFrames() {
        return heldFrames;
    }

    // Another CPU has just written these cache lines; read one after the other, each would be
    // waited for. Fetched together, they arrive while the first frames are handled.
    private void fetch(final int limitFrames) {
        final long[] addresses = slots;
        int slot = head;
        long sum = 0;
        for (int i = 0; i < limitFrames; i++) {
            final long address = addresses[slot];
            if ((Memory.getIntAcquire(address) & (TP_STATUS_USER | HELD)) != TP_STATUS_USER) {
                break;
            }
            sum += Memory.getLong(address + CACHE_LINE) + Memory.getLong(address + 2 * CACHE_LINE);
            slot = slot + 1 == addresses.length ? 0 : slot + 1;
        }
        fetched = sum;
    }

    /** Hands at most {@code limitFrames} waiting frames to {@code sink}; returns how many. */
    int receive(final Link link, final FrameSink sink, final int limitFrames) {
        fetch(limitFrames);
        final long[] addresses = slots;
        int count = 0;
        while (count < limitFrames) {
            final int slot = head;
            final long address = addresses[slot];
            final int status = Memory.getIntAcquire(address);
            if ((status & (TP_STATUS_USER | HELD)) != TP_STATUS_USER) {
                break;
            }
            Memory.putInt(address, status | HELD);
            head = slot + 1 == addresses.length ? 0 : slot + 1;
            heldFrames++;
            count++;
            final long ethernet = address + Memory.getUnsignedShort(address + MAC_OFFSET);
            sink.onFrame(
                    link,
                    this,
                    slot,
                    ethernet + ETHERNET_LENGTH,
                    Memory.getInt(address + SNAPLEN_OFFSET) - ETHERNET_LENGTH,
                    sourceAddress(ethernet),
                    (status & TP_STATUS_VLAN_VALID) == 0
                            ? -1
                            : Memory.getUnsignedShort(address + TCI_OFFSET));
        }
        return count;
    }

    /** The source MAC address of the Ethernet header at {@code ethernet}, first byte highest. */
    static long sourceAddress(final long ethernet) {
        return Long.reverseBytes(Memory.getLong(ethernet + 6)) >>> 16;
    }

    @Override
    public void release(final long token) {
        final long address = slots[(int) token];
        if ((Memory.getInt(address) & HELD) == 0) {
            throw new IllegalStateException("ring slot given back that is not held: " + token);
        }
        Memory.putIntRelease(address, TP_STATUS_KERNEL);
        heldFrames--;
        if (isRetired && heldFrames == 0) {
            unmap();
        }
    }

    /** Unmaps the ring as soon as no frame is held; the socket is closed by the caller. */
    void retire() {
        if (!isRetired) {
            isRetired = true;
            if (heldFrames == 0) {
                unmap();
            }
        }
    }

    private void unmap() {
        if (ringBytes != 0) {
            PacketSocket.unmapRing(ringAddress, ringBytes);
        }
    }
}
