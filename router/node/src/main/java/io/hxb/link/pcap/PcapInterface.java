package io.hxb.link.pcap;

import java.util.concurrent.atomic.AtomicLong;

/**
 * One interface of a {@link PcapFile}: that of a link. Any thread may write; nothing is allocated.
 */
public final class PcapInterface {
    private final PcapFile file;
    private final int id;
    private final AtomicLong frames = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();

    PcapInterface(final PcapFile file, final int id) {
        this.file = file;
        this.id = id;
    }

    /**
     * Writes a frame that was received, as if from an Ethernet NIC.
     *
     * @param destination MAC address, first byte highest; likewise {@code source}.
     * @param tci tag control information, -1 for an untagged frame.
     * @param etherType that it had, or would have had on a raw link.
     * @param address {@code lengthBytes} of HXB header and body.
     */
    public void received(
            final long destination,
            final long source,
            final int tci,
            final int etherType,
            final long address,
            final int lengthBytes) {
        count(file.write(id, false, destination, source, tci, etherType, address, lengthBytes));
    }

    /**
     * Writes an untagged frame that was sent, as if from an Ethernet NIC; arguments as for {@link
     * #received}.
     */
    public void sent(
            final long destination,
            final long source,
            final int etherType,
            final long address,
            final int lengthBytes) {
        count(
                file.write(
                        id,
                        true,
                        destination,
                        source,
                        PcapWriter.UNTAGGED,
                        etherType,
                        address,
                        lengthBytes));
    }

    private void count(final boolean isWritten) {
        frames.incrementAndGet();
        if (!isWritten) {
            lost.incrementAndGet();
        }
    }

    /**
     * Writes how many frames there were, after the last one.
     *
     * @param kernelDrops frames that the kernel dropped before the link had them.
     */
    void finish(final long kernelDrops) {
        file.writeStatistics(id, frames.get(), lost.get(), kernelDrops);
    }
}
