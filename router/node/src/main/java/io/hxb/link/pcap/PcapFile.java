package io.hxb.link.pcap;

import io.hxb.linux.Folder;
import io.hxb.linux.Memory;

import org.agrona.concurrent.EpochNanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A pcapng file with one interface for each link. Any thread may write; they take turns.
 *
 * <p>The first failed write (a full disk) ends the capture: what was written stays, further frames
 * are counted as {@link #lostFrames()}, and the node goes on.
 *
 * <pre>
 * section header           0x0A0D0D0A length 0x1A2B3C4D 1 0 -1 length
 * interface description    1 length link-type 0 0 if_name if_tsresol=9 end length
 * enhanced packet          6 length interface time-high time-low captured original
 *                            frame, padded to 4, epb_flags (1 in, 2 out) end length
 * </pre>
 *
 * Source: draft-ietf-opsawg-pcapng.
 */
public final class PcapFile implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(PcapFile.class);
    private static final int BUFFER_BYTES = 1 << 18;
    private static final int FOLDER_MODE = 0755;
    private static final int FILE_MODE = 0644;
    private static final int SECTION_HEADER = 0x0A0D_0D0A;
    private static final int BYTE_ORDER_MAGIC = 0x1A2B_3C4D;
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int ENHANCED_PACKET = 6;
    private static final int LINKTYPE_ETHERNET = 1;
    private static final int IF_NAME = 2;
    private static final int IF_TSRESOL = 9;
    private static final int NANOSECONDS = 9;
    private static final int EPB_FLAGS = 2;
    private static final int PACKET_HEADER_LENGTH = 28;
    private static final int PACKET_TRAILER_LENGTH = 16;
    private static final int ETHERNET_LENGTH = 14;
    private static final int TAG_LENGTH = 4;
    private static final int TAG_ETHER_TYPE = 0x8100;
    private static final int MAX_FRAME_BYTES = 1 << 17;

    private final Path path;
    private final FileChannel channel;
    private final EpochNanoClock clock;
    private final ByteBuffer buffer =
            ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final long bufferAddress = MemorySegment.ofBuffer(buffer).address();
    private int interfaces;
    private boolean isEnded;
    private long writtenFrames;
    private long lostFrames;

    /** Lets a test hand in a channel that fails. */
    PcapFile(final Path path, final FileChannel channel, final EpochNanoClock clock) {
        this.path = path;
        this.channel = channel;
        this.clock = clock;
        buffer.putInt(SECTION_HEADER).putInt(28).putInt(BYTE_ORDER_MAGIC);
        buffer.putShort((short) 1).putShort((short) 0).putLong(-1).putInt(28);
    }

    /**
     * Makes a file, replacing what has that name, and its folder if there is none.
     *
     * @param clock gives the time of each frame.
     * @throws IOException if it cannot be written, or others could replace it by another file; the
     *     message explains what to do.
     */
    public static PcapFile create(final Path path, final EpochNanoClock clock) throws IOException {
        final String name = path.getFileName().toString();
        try (Folder folder = Folder.make(path.toAbsolutePath().getParent(), FOLDER_MODE)) {
            folder.delete(name);
            return new PcapFile(path, folder.create(name, FILE_MODE), clock);
        }
    }

    /**
     * Adds an interface; called before its first frame.
     *
     * @param etherType EtherType of all its frames.
     * @return the interface, by which its frames are written.
     */
    public synchronized PcapInterface addInterface(final String name, final int etherType) {
        final byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        final int length = 16 + 4 + padded(bytes.length) + 8 + 4 + 4;
        makeRoom(length);
        buffer.putInt(INTERFACE_DESCRIPTION).putInt(length);
        buffer.putShort((short) LINKTYPE_ETHERNET).putShort((short) 0).putInt(0);
        buffer.putShort((short) IF_NAME).putShort((short) bytes.length).put(bytes);
        pad();
        buffer.putShort((short) IF_TSRESOL).putShort((short) 1).put((byte) NANOSECONDS);
        pad();
        buffer.putInt(0).putInt(length);
        return new PcapInterface(this, interfaces++, etherType);
    }

    /**
     * Writes one frame, as if from an Ethernet NIC. Allocates nothing.
     *
     * @param link the interface that it crossed.
     * @param isSent true for sent, false for received.
     * @param destination MAC address, first byte highest; likewise {@code source}.
     * @param tci tag control information, -1 for an untagged frame.
     * @param address {@code lengthBytes} of HXB header and body.
     */
    synchronized void write(
            final PcapInterface link,
            final boolean isSent,
            final long destination,
            final long source,
            final int tci,
            final long address,
            final int lengthBytes) {
        final int frame = ETHERNET_LENGTH + (tci < 0 ? 0 : TAG_LENGTH) + lengthBytes;
        if (isEnded || frame > MAX_FRAME_BYTES) {
            lostFrames++;
            return;
        }
        final int length = PACKET_HEADER_LENGTH + padded(frame) + PACKET_TRAILER_LENGTH;
        makeRoom(length);
        final long timeNs = clock.nanoTime();
        buffer.putInt(ENHANCED_PACKET).putInt(length).putInt(link.id());
        buffer.putInt((int) (timeNs >>> 32)).putInt((int) timeNs).putInt(frame).putInt(frame);
        putMac(destination);
        putMac(source);
        if (tci >= 0) {
            putBigEndian(TAG_ETHER_TYPE);
            putBigEndian(tci);
        }
        putBigEndian(link.etherType());
        putBytes(address, lengthBytes);
        pad();
        buffer.putShort((short) EPB_FLAGS).putShort((short) 4).putInt(isSent ? 2 : 1);
        buffer.putInt(0).putInt(length);
        writtenFrames++;
    }

    private static int padded(final int length) {
        return length + 3 & -4;
    }

    private void pad() {
        while ((buffer.position() & 3) != 0) {
            buffer.put((byte) 0);
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

    private void makeRoom(final int bytes) {
        if (buffer.remaining() < bytes) {
            flush();
        }
    }

    /** Writes what is buffered to the file. */
    public synchronized void flush() {
        buffer.flip();
        try {
            while (!isEnded && buffer.hasRemaining()) {
                channel.write(buffer);
            }
        } catch (final IOException e) {
            isEnded = true;
            LOGGER.warn(
                    "capture to {} ended after {} frames: {}; free some space and start it again",
                    path,
                    writtenFrames,
                    e.getMessage());
        }
        buffer.clear();
    }

    /** Frames taken, including those whose write then failed. */
    public synchronized long writtenFrames() {
        return writtenFrames;
    }

    /** Frames not taken because a write had failed before. */
    public synchronized long lostFrames() {
        return lostFrames;
    }

    @Override
    public synchronized void close() {
        flush();
        isEnded = true;
        try {
            channel.close();
        } catch (final IOException e) {
            LOGGER.warn("capture to {}: {}", path, e.getMessage());
        }
    }
}
