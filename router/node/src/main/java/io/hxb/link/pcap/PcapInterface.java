package io.hxb.link.pcap;

/**
 * One interface of a {@link PcapFile}: that of a link whose frames all have one EtherType. Any
 * thread may write; nothing is allocated. Immutable.
 */
public final class PcapInterface {
    private static final int UNTAGGED = -1;

    private final PcapFile file;
    private final int id;
    private final int etherType;

    PcapInterface(final PcapFile file, final int id, final int etherType) {
        this.file = file;
        this.id = id;
        this.etherType = etherType;
    }

    int id() {
        return id;
    }

    int etherType() {
        return etherType;
    }

    /**
     * Writes a frame that was received, as if from an Ethernet NIC.
     *
     * @param destination MAC address, first byte highest; likewise {@code source}.
     * @param tci tag control information, -1 for an untagged frame.
     * @param address {@code lengthBytes} of HXB header and body.
     */
    public void received(
            final long destination,
            final long source,
            final int tci,
            final long address,
            final int lengthBytes) {
        file.write(this, false, destination, source, tci, address, lengthBytes);
    }

    /**
     * Writes an untagged frame that was sent, as if from an Ethernet NIC.
     *
     * @param destination MAC address, first byte highest; likewise {@code source}.
     * @param address {@code lengthBytes} of HXB header and body.
     */
    public void sent(
            final long destination, final long source, final long address, final int lengthBytes) {
        file.write(this, true, destination, source, UNTAGGED, address, lengthBytes);
    }
}
