package io.hxb.link.pcap;

import io.hxb.linux.Memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;

/**
 * Writes the blocks of one pcapng section to a channel, through a buffer. Owned by one thread at a
 * time. Allocates nothing for frames.
 *
 * <pre>
 * section header           0x0A0D0D0A length 0x1A2B3C4D 1 0 -1
 *                            shb_hardware shb_os shb_userappl end length
 * interface description    1 length link-type 0 snap-length
 *                            if_name if_description if_tsresol=9 end length
 * enhanced packet          6 length interface time-high time-low captured original
 *                            frame, padded to 4, epb_flags (1 in, 2 out) opt_comment end length
 * interface statistics     5 length interface time-high time-low
 *                            isb_ifrecv isb_ifdrop isb_osdrop end length
 * </pre>
 *
 * Source: draft-ietf-opsawg-pcapng.
 */
public final class PcapWriter {
    /** Tag control information of a frame without a tag. */
    public static final int UNTAGGED = -1;

    /** Longest frame, with its Ethernet header. */
    public static final int MAX_FRAME_BYTES = 1 << 17;

    private static final int BUFFER_BYTES = 1 << 18;
    private static final int SECTION_HEADER = 0x0A0D_0D0A;
    private static final int BYTE_ORDER_MAGIC = 0x1A2B_3C4D;
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int INTERFACE_STATISTICS = 5;
    private static final int ENHANCED_PACKET = 6;
    private static final int LINKTYPE_ETHERNET = 1;
    private static final int SHB_HARDWARE = 2;
    private static final int SHB_OS = 3;
    private static final int SHB_USERAPPL = 4;
    private static final int IF_NAME = 2;
    private static final int IF_DESCRIPTION = 3;
    private static final int IF_TSRESOL = 9;
    private static final int NANOSECONDS = 9;
    private static final int ISB_IFRECV = 4;
    private static final int ISB_IFDROP = 5;
    private static final int ISB_OSDROP = 7;
    private static final int OPT_COMMENT = 1;
    private static final int EPB_FLAGS = 2;
    private static final int INBOUND = 1;
    private static final int OUTBOUND = 2;
    private static final int PACKET_BYTES = 28 + 16;
    private static final int TEXT_BYTES = 4_096;
    private static final int MACS_LENGTH = 12;
    private static final int ETHERNET_LENGTH = 14;
    private static final int TAG_LENGTH = 4;
    private static final int TAG_ETHER_TYPE = 0x8100;

    private final WritableByteChannel channel;
    private String comment = "";
    private final ByteBuffer buffer =
            ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final long bufferAddress = MemorySegment.ofBuffer(buffer).address();
    private int interfaces;
    private long writtenBytes;

    /** Begins a section; its header names this machine's kind and system, and HXB. */
    public PcapWriter(final WritableByteChannel channel) {
        this.channel = channel;
        final int start = begin(SECTION_HEADER);
        buffer.putInt(BYTE_ORDER_MAGIC).putShort((short) 1).putShort((short) 0).putLong(-1);
        putText(SHB_HARDWARE, System.getProperty("os.arch"));
        putText(SHB_OS, System.getProperty("os.name") + " " + System.getProperty("os.version"));
        putText(SHB_USERAPPL, "hxb");
        end(start);
    }

    /**
     * Adds an interface; called before its first frame.
     *
     * @param snapBytes of a frame that are kept at most; 0 for all.
     * @return its number in the section.
     */
    public int addInterface(final PcapName name, final int snapBytes) throws IOException {
        makeRoom(TEXT_BYTES);
        final int start = begin(INTERFACE_DESCRIPTION);
        buffer.putShort((short) LINKTYPE_ETHERNET).putShort((short) 0).putInt(snapBytes);
        putText(IF_NAME, name.name());
        putText(IF_DESCRIPTION, name.description());
        buffer.putShort((short) IF_TSRESOL).putShort((short) 1).put((byte) NANOSECONDS);
        pad();
        end(start);
        return interfaces++;
    }

    /**
     * Writes a frame with an Ethernet header made up for it.
     *
     * @param link number of the interface that it crossed.
     * @param timeNs since 1970.
     * @param isSent true for sent, false for received.
     * @param destination MAC address, first byte highest; likewise {@code source}.
     * @param tci tag control information, or {@link #UNTAGGED}.
     * @param address {@code lengthBytes} of HXB header and body.
     */
    void write(
            final int link,
            final long timeNs,
            final boolean isSent,
            final long destination,
            final long source,
            final int tci,
            final int etherType,
            final long address,
            final int lengthBytes)
            throws IOException {
        final int frame = ETHERNET_LENGTH + (tci < 0 ? 0 : TAG_LENGTH) + lengthBytes;
        final int start = beginPacket(link, timeNs, frame, frame);
        putMac(destination);
        putMac(source);
        putTag(tci);
        putBigEndian(etherType);
        putBytes(address, lengthBytes);
        endPacket(start, isSent);
    }

    /**
     * Writes a frame as a NIC had it.
     *
     * @param link number of the interface that it crossed.
     * @param timeNs since 1970.
     * @param isSent true for sent, false for received.
     * @param tci tag control information that the kernel took away, or {@link #UNTAGGED}.
     * @param address {@code capturedBytes}, from the Ethernet header on.
     * @param originalBytes that the frame had there, of which some may be missing.
     */
    public void writeFrame(
            final int link,
            final long timeNs,
            final boolean isSent,
            final int tci,
            final long address,
            final int capturedBytes,
            final int originalBytes)
            throws IOException {
        final int tag = tci < 0 || capturedBytes < MACS_LENGTH ? 0 : TAG_LENGTH;
        final int start = beginPacket(link, timeNs, capturedBytes + tag, originalBytes + tag);
        final int macs = Math.min(MACS_LENGTH, capturedBytes);
        putBytes(address, macs);
        putTag(tag == 0 ? UNTAGGED : tci);
        putBytes(address + macs, capturedBytes - macs);
        endPacket(start, isSent);
    }

    /** Sets what is said of the next frame that is written; at most 1,024 bytes of it are kept. */
    public void comment(final String text) {
        comment = text;
    }

    /**
     * Writes what an interface has counted.
     *
     * @param receivedFrames that reached the capture.
     * @param droppedFrames of them, for want of room.
     * @param kernelDroppedFrames that the system dropped before.
     */
    public void writeStatistics(
            final int link,
            final long timeNs,
            final long receivedFrames,
            final long droppedFrames,
            final long kernelDroppedFrames)
            throws IOException {
        makeRoom(TEXT_BYTES);
        final int start = begin(INTERFACE_STATISTICS);
        buffer.putInt(link).putInt((int) (timeNs >>> 32)).putInt((int) timeNs);
        putCount(ISB_IFRECV, receivedFrames);
        putCount(ISB_IFDROP, droppedFrames);
        putCount(ISB_OSDROP, kernelDroppedFrames);
        end(start);
    }

    /** Bytes of the section so far, those that are still buffered too. */
    public long sectionBytes() {
        return writtenBytes + buffer.position();
    }

    /** Writes what is buffered to the channel, and waits until it has taken it. */
    public void flush() throws IOException {
        buffer.flip();
        try {
            while (buffer.hasRemaining()) {
                writtenBytes += channel.write(buffer);
            }
        } finally {
            buffer.clear();
        }
    }

    private int beginPacket(
            final int link, final long timeNs, final int capturedBytes, final int originalBytes)
            throws IOException {
        assert capturedBytes <= MAX_FRAME_BYTES + TAG_LENGTH : capturedBytes;
        makeRoom(PACKET_BYTES + padded(capturedBytes) + (comment.isEmpty() ? 0 : TEXT_BYTES));
        final int start = begin(ENHANCED_PACKET);
        buffer.putInt(link).putInt((int) (timeNs >>> 32)).putInt((int) timeNs);
        buffer.putInt(capturedBytes).putInt(originalBytes);
        return start;
    }

    private void endPacket(final int start, final boolean isSent) {
        pad();
        buffer.putShort((short) EPB_FLAGS).putShort((short) 4).putInt(isSent ? OUTBOUND : INBOUND);
        if (!comment.isEmpty()) {
            putText(OPT_COMMENT, comment);
            comment = "";
        }
        end(start);
    }

    private int begin(final int type) {
        final int start = buffer.position();
        buffer.putInt(type).putInt(0);
        return start;
    }

    // The end of the options, and the length at both ends of the block.
    private void end(final int start) {
        buffer.putInt(0);
        final int length = buffer.position() + Integer.BYTES - start;
        buffer.putInt(length).putInt(start + Integer.BYTES, length);
    }

    private void putText(final int option, final String text) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        final int length = Math.min(bytes.length, TEXT_BYTES / 4);
        buffer.putShort((short) option).putShort((short) length).put(bytes, 0, length);
        pad();
    }

    private void putCount(final int option, final long count) {
        buffer.putShort((short) option).putShort((short) Long.BYTES).putLong(count);
    }

    private void putTag(final int tci) {
        if (tci >= 0) {
            putBigEndian(TAG_ETHER_TYPE);
            putBigEndian(tci);
        }
    }

    private void putMac(final long mac) {
        putBigEndian((int) (mac >>> 32));
        putBigEndian((int) (mac >>> 16));
        putBigEndian((int) mac);
    }

    private void putBigEndian(final int value) {
        buffer.put((byte) (value >>> 8)).put((byte) value);
    }

    private void putBytes(final long address, final int lengthBytes) {
        if (lengthBytes > 0) {
            Memory.copy(address, bufferAddress + buffer.position(), lengthBytes);
            buffer.position(buffer.position() + lengthBytes);
        }
    }

    private static int padded(final int length) {
        return length + 3 & -4;
    }

    private void pad() {
        while ((buffer.position() & 3) != 0) {
            buffer.put((byte) 0);
        }
    }

    private void makeRoom(final int bytes) throws IOException {
        if (buffer.remaining() < bytes) {
            flush();
        }
    }
}
