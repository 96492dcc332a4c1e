package io.hxb.vlan;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.EventFd;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.linux.PollSet;
import io.hxb.os.MessageVector;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.tap.TapDevice;
import io.hxb.tap.VirtioHeader;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Carries frames between a TAP device and a NIC: those that leave get the tag of their
 * destination's path, those that come in have lost theirs. Frames are treated as {@link
 * TagPrograms} treats them. Nothing is copied here, and super-packets stay whole: what is read from
 * the device leaves a gap for the tag. Owned by the thread that runs it.
 *
 * <p>A frame that leaves, in its slot:
 *
 * <pre>
 * offset length meaning
 *      0     10 VirtioHeader
 *     10     12 addresses
 *     22      4 the tag, or a gap
 *     26        EtherType and the rest
 * </pre>
 */
final class TapRelay implements Runnable {
    private static final int BATCH = 16;
    private static final int HEAD_LENGTH = VirtioHeader.LENGTH + 12;
    private static final int ETHERNET_HEADER_LENGTH = 14;
    private static final int MAC_LENGTH = 6;
    private static final long MAC_MASK = (1L << 48) - 1;
    private static final long GROUP = 1;
    private static final int SLOT_LENGTH =
            TapDevice.MAX_FRAME_LENGTH + VirtioHeader.TAG_LENGTH + 63 & ~63;
    private static final int PIECES_LENGTH = 32;
    private static final long WAIT_NS = 1_000_000_000;
    private static final int NO_DESCRIPTOR = -1;

    private final TapDevice tap;
    private final int nic;
    private final TagTable table;
    private final short[] numbers;
    private final long ownMac;
    private final AtomicLongArray drops;
    private final int wake;
    private final MemorySegment errno = Linux.newErrnoSegment();
    private final MemorySegment memory =
            Arena.ofAuto().allocate(2L * BATCH * SLOT_LENGTH + BATCH * PIECES_LENGTH, 64);
    private final MessageVector leaving = new MessageVector(BATCH, 2, 0, 0);
    private final MessageVector coming =
            new MessageVector(BATCH, 1, 0, PacketSocket.TAG_CONTROL_LENGTH);
    private final PollSet ready = new PollSet(3);
    private int firstUnsent;
    private int unsent;
    private volatile boolean isStopped;
    private volatile boolean hasEnded;

    /**
     * Carries nothing before it runs.
     *
     * @param tap a device that is up.
     * @param nic a packet socket with tags and super-packets, filtered as {@link TagFilter}
     *     describes.
     * @param numbers of the VIDs of the plan.
     * @param ownMac address of NIC and device, as in memory.
     * @param drops frames that were dropped, by the number of their {@link TagDrop}.
     */
    TapRelay(
            final TapDevice tap,
            final int nic,
            final TagTable table,
            final short[] numbers,
            final long ownMac,
            final AtomicLongArray drops)
            throws LinuxException {
        this.tap = tap;
        this.nic = nic;
        this.table = table;
        this.numbers = numbers;
        this.ownMac = ownMac;
        this.drops = drops;
        wake = EventFd.create();
        for (int i = 0; i < BATCH; i++) {
            final long slot = leavingSlot(i);
            Memory.putLong(pieces(i), slot);
            Memory.putLong(pieces(i) + 8, HEAD_LENGTH);
            Memory.putLong(pieces(i) + 16, slot + HEAD_LENGTH + VirtioHeader.TAG_LENGTH);
            Memory.putLong(
                    pieces(i) + 24, SLOT_LENGTH - HEAD_LENGTH - (long) VirtioHeader.TAG_LENGTH);
            coming.setPiece(i, comingSlot(i), SLOT_LENGTH);
        }
    }

    private long leavingSlot(final int index) {
        return memory.address() + (long) index * SLOT_LENGTH;
    }

    private long comingSlot(final int index) {
        return leavingSlot(BATCH + index);
    }

    private long pieces(final int index) {
        return leavingSlot(2 * BATCH) + (long) index * PIECES_LENGTH;
    }

    @Override
    public void run() {
        try {
            while (!isStopped && !hasEnded) {
                if (send() + receive() == 0) {
                    await();
                }
            }
        } finally {
            hasEnded = true;
        }
    }

    /** True if it carries nothing any more, because the device was taken away. */
    boolean hasEnded() {
        return hasEnded;
    }

    /** Requests its end; any thread. */
    void stop() {
        isStopped = true;
        EventFd.signal(wake);
    }

    /** Gives back what it holds, when nobody runs it any more. */
    void release() {
        Descriptors.close(wake);
        ready.close();
    }

    private void await() {
        ready.clear();
        ready.add(wake);
        // Nothing more is read before what was read is sent: the device's queue fills instead.
        final int device = ready.add(unsent > 0 ? NO_DESCRIPTOR : tap.descriptor());
        ready.add(nic, unsent > 0 ? PollSet.READABLE | PollSet.WRITABLE : PollSet.READABLE);
        ready.await(WAIT_NS);
        if ((ready.ready(device) & PollSet.GONE) != 0) {
            hasEnded = true;
        }
    }

    private int send() {
        if (unsent > 0) {
            flush();
            return unsent > 0 ? 0 : 1;
        }
        int count = 0;
        int taken = 0;
        int bytes = tap.read(errno, pieces(0), 2);
        while (bytes >= 0) {
            taken++;
            count += prepare(count, bytes) ? 1 : 0;
            bytes = count == BATCH ? -Errno.EAGAIN : tap.read(errno, pieces(count), 2);
        }
        if (bytes != -Errno.EAGAIN && bytes != -Errno.EINTR) {
            hasEnded = true;
        }
        firstUnsent = 0;
        unsent = count;
        flush();
        return taken;
    }

    private void flush() {
        boolean isAskedAgain = false;
        while (unsent > 0) {
            final int sent = Sockets.sendBatch(errno, nic, leaving.message(firstUnsent), unsent);
            if (sent == -Errno.EAGAIN) {
                return;
            }
            // The socket also reports, once, that the NIC was down; it may be up again.
            final boolean isAgain =
                    sent == -Errno.EINTR || (sent == -Errno.ENETDOWN && !isAskedAgain);
            isAskedAgain = sent == -Errno.ENETDOWN && !isAskedAgain;
            if (!isAgain) {
                if (sent < 0) {
                    drop(-sent);
                }
                final int done = Math.max(1, sent);
                firstUnsent += done;
                unsent -= done;
            }
        }
    }

    private void drop(final int error) {
        drop(
                switch (error) {
                    case Errno.EMSGSIZE -> TagDrop.TOO_LONG;
                    case Errno.ENOBUFS, Errno.ENOMEM, Errno.EAGAIN -> TagDrop.NO_ROOM;
                    case Errno.ENETDOWN, Errno.ENXIO, Errno.ENODEV, Errno.EIO -> TagDrop.DOWN;
                    default -> TagDrop.REFUSED;
                });
    }

    private void drop(final TagDrop reason) {
        drops.lazySet(reason.number(), drops.get(reason.number()) + 1);
    }

    /** Makes a message of what was read into a slot; false if it is dropped. */
    private boolean prepare(final int index, final int bytes) {
        final int frameBytes = bytes - VirtioHeader.LENGTH;
        if (frameBytes < ETHERNET_HEADER_LENGTH) {
            drop(TagDrop.REFUSED);
            return false;
        }
        final long slot = leavingSlot(index);
        final int number = number(slot, frameBytes);
        final long gap = slot + HEAD_LENGTH;
        if (number == TableTagger.NO_NUMBER) {
            leaving.setPiece(index, slot, HEAD_LENGTH);
            leaving.setSecondPiece(index, gap + VirtioHeader.TAG_LENGTH, bytes - HEAD_LENGTH);
        } else {
            VirtioHeader.insertTag(slot);
            Memory.putShortBigEndian(gap, TagPrograms.TAGGED);
            Memory.putShortBigEndian(gap + 2, table.vid(number));
            leaving.setPiece(index, slot, bytes + VirtioHeader.TAG_LENGTH);
            leaving.setSecondPiece(index, 0, 0);
        }
        return true;
    }

    /** The number of the VID that a frame gets, after it was counted; 0 for no tag. */
    private int number(final long slot, final int frameBytes) {
        final int type =
                Memory.getUnsignedShortBigEndian(slot + HEAD_LENGTH + VirtioHeader.TAG_LENGTH);
        final long mac = Memory.getLong(slot + VirtioHeader.LENGTH) & MAC_MASK;
        if (type == TagPrograms.TAGGED || type == TagPrograms.SERVICE_TAGGED || isForBridge(mac)) {
            return TableTagger.NO_NUMBER;
        }
        final long found = mac == 0 ? 0 : table.find(mac);
        long entry = found == 0 ? table.others() : found;
        int number = table.path(entry);
        if (found != 0 && !TagTable.isStillOf(entry, mac)) {
            // Meanwhile the manager has put another peer in its place.
            entry = table.others();
            number = table.path(entry);
        }
        // After the addresses all lies one tag further back.
        final long frame = slot + VirtioHeader.LENGTH + VirtioHeader.TAG_LENGTH;
        final int headers = VirtioHeader.headerBytes(slot, frame, frameBytes);
        final int frames = VirtioHeader.frames(slot, headers, frameBytes);
        final long wireBytes = frameBytes + (frames - 1L) * headers;
        table.countSent(entry, wireBytes, frames);
        if (number != TableTagger.NO_NUMBER) {
            table.countSentVid(number, wireBytes, frames);
        }
        return number;
    }

    private static boolean isForBridge(final long mac) {
        return (mac & (1L << TagPrograms.BRIDGE_PREFIX_BITS) - 1) == TagPrograms.BRIDGE_PREFIX
                && (mac >>> TagPrograms.BRIDGE_PREFIX_BITS & TagPrograms.BRIDGE_LAST_MASK) == 0;
    }

    private int receive() {
        final int count = Sockets.receiveBatch(errno, nic, coming.message(0), BATCH);
        if (count < 0) {
            // ENETDOWN reports, once, that the NIC has gone down.
            if (count != -Errno.EAGAIN && count != -Errno.EINTR && count != -Errno.ENETDOWN) {
                drop(-count);
                return 1;
            }
            return 0;
        }
        for (int i = 0; i < count; i++) {
            deliver(i);
            coming.rearm(i);
        }
        return count;
    }

    private void deliver(final int index) {
        final long control = coming.controlAddress(index);
        final int tag = PacketSocket.tag(control, coming.receivedControlBytes(index));
        final int vid = tag & TagPrograms.VID_MASK;
        final int number = tag < 0 || vid >= numbers.length ? TableTagger.NO_NUMBER : numbers[vid];
        if (number == TableTagger.NO_NUMBER) {
            // The kernel has it: what comes without a tag of the plan is not for this socket.
            return;
        }
        final long slot = comingSlot(index);
        final long frame = slot + VirtioHeader.LENGTH;
        final int bytes = coming.receivedBytes(index);
        final int frameBytes = PacketSocket.frameBytes(control);
        final int headers = VirtioHeader.headerBytes(slot, frame, bytes - VirtioHeader.LENGTH);
        final int frames = VirtioHeader.frames(slot, headers, frameBytes);
        table.countReceived(number, frameBytes + (frames - 1L) * headers, frames);
        final long destination = Memory.getLong(frame) & MAC_MASK;
        if (destination != ownMac && (destination & GROUP) == 0) {
            // A flooded frame to another host.
            return;
        }
        if (bytes - VirtioHeader.LENGTH < frameBytes) {
            drop(TagDrop.TOO_LONG);
            return;
        }
        if (destination == ownMac) {
            hear(Memory.getLong(frame + MAC_LENGTH) & MAC_MASK, number);
        }
        final int written = tap.write(errno, slot, bytes);
        if (written < 0) {
            drop(-written);
        }
    }

    /**
     * Broadcasts come with the VID of their sender, and do not show that of the pair; the rest do.
     */
    private void hear(final long mac, final int number) {
        final long entry = mac == 0 ? 0 : table.find(mac);
        if (entry != 0) {
            TagTable.hear(entry, number);
        }
    }
}
