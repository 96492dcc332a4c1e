package io.hxb.node.ip;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.ContextKind;
import io.hxb.flow.FlowEndpoints;
import io.hxb.flow.FlowListener;
import io.hxb.flow.FlowPort;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.linux.Errno;
import io.hxb.linux.Memory;
import io.hxb.tap.PacketAddresses;
import io.hxb.tap.PacketDevice;
import io.hxb.tap.VirtioHeader;

/**
 * Writes packets that arrive to this machine's virtual NIC, straight from the buffers that they lie
 * in. Any loop; never two at the same time for one flow.
 */
final class PacketReceiver {
    /** At least as many as frames may be on the way to both ends. */
    private static final int RELEASES = 4_096;

    private final PacketDevice device;
    private final PacketAddresses addresses;
    private final Broadcasts broadcasts;
    private final int incarnation;
    private final ReleaseQueue releases = new ReleaseQueue(RELEASES);
    private CounterBlock counters;

    /**
     * Written by any loop, to look for answers of the kernel; that it comes late does not matter.
     */
    private volatile boolean isWritten;

    PacketReceiver(
            final PacketDevice device,
            final PacketAddresses addresses,
            final Broadcasts broadcasts,
            final int incarnation) {
        this.device = device;
        this.addresses = addresses;
        this.broadcasts = broadcasts;
        this.incarnation = incarnation;
    }

    void start(final CounterBlock itsCounters) {
        counters = itsCounters;
    }

    /** Takes a frame, as {@link FlowListener#onFrame}. */
    int onFrame(final FlowEndpoints ends, final long bodyAddress, final int messageCount) {
        if (ends.incarnation() != incarnation) {
            return FlowListener.FULL;
        }
        final long claimed = releases.claim();
        if (claimed == ReleaseQueue.FULL) {
            return FlowListener.FULL;
        }
        long record = bodyAddress;
        for (int i = 0; i < messageCount; i++) {
            final int lengthBytes = Memory.getInt(record);
            final int tag = Memory.getInt(record + MessageRecordFlyweight.TAG_OFFSET);
            onPacket(ends.sourceNode(), record + MessageRecordFlyweight.LENGTH, lengthBytes, tag);
            record += MessageRecordFlyweight.paddedLength(lengthBytes);
        }
        releases.put(claimed, ends.flowHandle());
        return FlowListener.COPIED;
    }

    private void onPacket(final int node, final long packet, final int lengthBytes, final int tag) {
        final int frameBytes = lengthBytes - VirtioHeader.LENGTH;
        if (!PacketCheck.accept(packet, lengthBytes, device.mtuBytes())) {
            counters.addShared(CounterType.IP_REFUSED_PACKETS, 1);
            return;
        }
        final long frame = packet + VirtioHeader.LENGTH;
        final int sender = addresses.senderToAll(frame, frameBytes);
        final int origin = sender < 0 ? node : sender;
        if (!broadcasts.maySend(origin, node) || !addresses.isFrom(frame, frameBytes, origin)) {
            counters.addShared(CounterType.IP_REFUSED_PACKETS, 1);
            return;
        }
        if (sender >= 0 && tag == ContextKind.PASSED_ON_PACKET) {
            broadcasts.onPacket(origin, node, packet, lengthBytes);
        }
        if (write(packet, lengthBytes) > 0) {
            counters.addShared(CounterType.IP_RECEIVED_PACKETS, 1);
            counters.addShared(CounterType.IP_RECEIVED_BYTES, frameBytes);
            if (!isWritten) {
                isWritten = true;
            }
        } else {
            counters.addShared(CounterType.IP_DROPPED_DEVICE_PACKETS, 1);
        }
    }

    private int write(final long packet, final int lengthBytes) {
        final boolean isSuperPacket = VirtioHeader.segmentBytes(packet) > 0;
        if (!isSuperPacket || device.takes(VirtioHeader.kind(packet))) {
            final int result = device.write(packet, lengthBytes);
            if (result != -Errno.EINVAL || !isSuperPacket) {
                return result;
            }
        }
        counters.addShared(CounterType.IP_CUT_PACKETS, 1);
        return PacketCutter.write(device, packet, lengthBytes);
    }

    /** Gives the credit of frames back that were taken; the owner, as all below. */
    int giveBack(final FlowPort port) {
        int frames = 0;
        long handle = releases.poll();
        while (handle != ReleaseQueue.NONE) {
            port.releasedCopy((int) handle);
            frames++;
            handle = releases.poll();
        }
        if (frames > 0) {
            releases.release();
        }
        if (releases.takeStalled()) {
            port.resume(IpService.SHORT_END);
            port.resume(IpService.BULK_END);
        }
        return frames;
    }

    /** True once after packets were written, which the kernel may have answered already. */
    boolean takeWritten() {
        final boolean wasWritten = isWritten;
        if (wasWritten) {
            isWritten = false;
        }
        return wasWritten;
    }

    /** True if {@link #giveBack} has something to do. */
    boolean hasWork() {
        return releases.isReady() || isWritten;
    }

    /** Takes nothing any more. */
    void close() {
        releases.close();
    }
}
