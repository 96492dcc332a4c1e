package io.hxb.link.pcap;

import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.LongFrameCounts;
import io.hxb.link.LongFrameJoin;
import io.hxb.link.TrainCounts;
import io.hxb.linux.Memory;

/**
 * Any link, with every frame it receives or sends written to a {@link PcapFile}. Owned by the loop
 * that owns the link.
 */
public final class PcapLink implements Link {
    private static final long BROADCAST_MAC = 0xFFFF_FFFF_FFFFL;
    private static final int ETHERNET_LENGTH = 14;

    private final Link link;
    private final PcapFile file;
    private final boolean hasEthernetHeader;
    private final int etherType;
    private final PcapInterface written;
    private final FrameSink capture = new Capture();
    private FrameSink target;

    /**
     * Wraps a link.
     *
     * @param file may be shared by several links; its creator closes it.
     * @param hasEthernetHeader true if an Ethernet header lies in the headroom of received frames,
     *     as on raw links; else one is made up from the link addresses.
     * @param etherType EtherType in the file of frames that have none of their own.
     * @param interfaceName name of the link in the file.
     */
    public PcapLink(
            final Link link,
            final PcapFile file,
            final boolean hasEthernetHeader,
            final int etherType,
            final PcapName interfaceName) {
        this.link = link;
        this.file = file;
        this.hasEthernetHeader = hasEthernetHeader;
        this.etherType = etherType;
        written = file.addInterface(interfaceName);
    }

    @Override
    public int index() {
        return link.index();
    }

    @Override
    public String name() {
        return link.name();
    }

    @Override
    public int mtuBytes() {
        return link.mtuBytes();
    }

    @Override
    public int maxFrameBytes() {
        return link.maxFrameBytes();
    }

    @Override
    public boolean isUp() {
        return link.isUp();
    }

    @Override
    public int descriptorCount() {
        return link.descriptorCount();
    }

    @Override
    public int descriptor(final int source) {
        return link.descriptor(source);
    }

    @Override
    public boolean isInMemory(final int source) {
        return link.isInMemory(source);
    }

    @Override
    public int receive(final int source, final FrameSink sink, final int limitFrames) {
        target = sink;
        return link.receive(source, capture, limitFrames);
    }

    private void onReceived(
            final long headerAddress,
            final int lengthBytes,
            final long sourceAddress,
            final int vlanTci) {
        final long destination =
                hasEthernetHeader
                        ? Long.reverseBytes(Memory.getLong(headerAddress - ETHERNET_LENGTH)) >>> 16
                        : link.localAddress();
        final int type =
                hasEthernetHeader
                        ? Memory.getUnsignedShortBigEndian(headerAddress - Short.BYTES)
                        : etherType;
        written.received(destination, sourceAddress, vlanTci, type, headerAddress, lengthBytes);
    }

    /** Writes what the link receives, and passes it on as if this link had received it. */
    private final class Capture implements FrameSink {
        @Override
        public void onBuffer(
                final Link inner,
                final BufferPool.Share share,
                final int bufferId,
                final int lengthBytes,
                final long sourceAddress,
                final int vlanTci) {
            final long headerAddress = share.pool().headerAddress(bufferId);
            onReceived(headerAddress, lengthBytes, sourceAddress, vlanTci);
            target.onBuffer(PcapLink.this, share, bufferId, lengthBytes, sourceAddress, vlanTci);
        }

        @Override
        public void onJoined(
                final Link inner,
                final BufferPool.Share share,
                final int bufferId,
                final int lengthBytes,
                final long sourceAddress,
                final int vlanTci) {
            final long headerAddress = share.pool().headerAddress(bufferId);
            onReceived(headerAddress, lengthBytes, sourceAddress, vlanTci);
            target.onJoined(PcapLink.this, share, bufferId, lengthBytes, sourceAddress, vlanTci);
        }

        @Override
        public void onFirstSegment(final Link inner, final long sourceAddress) {
            target.onFirstSegment(PcapLink.this, sourceAddress);
        }

        @Override
        public LongFrameJoin longFrames() {
            return target.longFrames();
        }

        @Override
        public void onFrame(
                final Link inner,
                final FrameOwner owner,
                final long token,
                final long headerAddress,
                final int lengthBytes,
                final long sourceAddress,
                final int vlanTci) {
            onReceived(headerAddress, lengthBytes, sourceAddress, vlanTci);
            target.onFrame(
                    PcapLink.this,
                    owner,
                    token,
                    headerAddress,
                    lengthBytes,
                    sourceAddress,
                    vlanTci);
        }
    }

    @Override
    public LinkSender newSender(final int queueFrames) {
        return new PcapLinkSender(this, link.newSender(queueFrames));
    }

    /** Writes a frame that was sent; {@code sentType} is 0 where frames have no EtherType. */
    void onSent(
            final int neighbour, final int sentType, final long address, final int lengthBytes) {
        final long destination = neighbour == BROADCAST ? BROADCAST_MAC : link.learned(neighbour);
        final int type = sentType == 0 ? etherType : sentType;
        written.sent(destination, link.localAddress(), type, address, lengthBytes);
    }

    @Override
    public long localAddress() {
        return link.localAddress();
    }

    @Override
    public void learn(final int neighbour, final long address) {
        link.learn(neighbour, address);
    }

    @Override
    public long learned(final int neighbour) {
        return link.learned(neighbour);
    }

    @Override
    public boolean mayHave(final int neighbour, final long address) {
        return link.mayHave(neighbour, address);
    }

    @Override
    public void onSilent(final int neighbour) {
        link.onSilent(neighbour);
    }

    @Override
    public void onFailed(final int neighbour) {
        link.onFailed(neighbour);
    }

    @Override
    public String format(final long address) {
        return link.format(address);
    }

    @Override
    public long kernelDrops() {
        return link.kernelDrops();
    }

    @Override
    public long poolStarvations() {
        return link.poolStarvations();
    }

    @Override
    public TrainCounts trains() {
        return link.trains();
    }

    @Override
    public LongFrameCounts longFrames() {
        return link.longFrames();
    }

    @Override
    public int heldBuffers() {
        return link.heldBuffers();
    }

    /** As in {@link Link}; also writes what is buffered to the file. */
    @Override
    public boolean refresh() {
        file.flush();
        return link.refresh();
    }

    @Override
    public void stop() {
        link.stop();
    }

    @Override
    public void close() {
        written.finish(link.kernelDrops());
        link.close();
        file.flush();
    }
}
