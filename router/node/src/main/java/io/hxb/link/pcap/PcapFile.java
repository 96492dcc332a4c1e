package io.hxb.link.pcap;

import io.hxb.linux.Folder;

import org.agrona.concurrent.EpochNanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * A pcapng file with one interface for each link, in the format that {@link PcapWriter} describes.
 * Any thread may write; they take turns.
 *
 * <p>The first failed write (a full disk) ends the capture: what was written stays, further frames
 * are counted as {@link #lostFrames()}, and the node goes on.
 */
public final class PcapFile implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(PcapFile.class);
    private static final int FOLDER_MODE = 0755;
    private static final int FILE_MODE = 0644;
    private static final int PRIVATE_MODE = 0600;
    private static final int ETHERNET_LENGTH = 14;
    private static final int TAG_LENGTH = 4;

    private final Path path;
    private final FileChannel channel;
    private final EpochNanoClock clock;
    private final PcapWriter writer;
    private boolean isEnded;
    private long writtenFrames;
    private long lostFrames;

    /** Lets a test hand in a channel that fails. */
    PcapFile(final Path path, final FileChannel channel, final EpochNanoClock clock) {
        this.path = path;
        this.channel = channel;
        this.clock = clock;
        writer = new PcapWriter(channel);
    }

    /**
     * Makes a file, replacing what has that name, and its folder if there is none.
     *
     * @param clock gives the time of each frame.
     * @throws IOException if it cannot be written, or others could replace it by another file; the
     *     message explains what to do.
     */
    public static PcapFile create(final Path path, final EpochNanoClock clock) throws IOException {
        return new PcapFile(path, createChannel(path), clock);
    }

    /** Makes a file as {@link #create} does, for a writer of its own. */
    public static FileChannel createChannel(final Path path) throws IOException {
        return createChannel(path, FILE_MODE);
    }

    /** The same for a file that only its owner may read. */
    public static FileChannel createPrivateChannel(final Path path) throws IOException {
        return createChannel(path, PRIVATE_MODE);
    }

    private static FileChannel createChannel(final Path path, final int mode) throws IOException {
        final String name = path.getFileName().toString();
        try (Folder folder = Folder.make(path.toAbsolutePath().getParent(), FOLDER_MODE)) {
            folder.delete(name);
            return folder.create(name, mode);
        }
    }

    /**
     * Adds an interface; called before its first frame.
     *
     * @return the interface, by which its frames are written.
     */
    public synchronized PcapInterface addInterface(final PcapName name) {
        int id = 0;
        if (!isEnded) {
            try {
                id = writer.addInterface(name, 0);
            } catch (final IOException e) {
                stop(e);
            }
        }
        return new PcapInterface(this, id);
    }

    /** Writes one frame, as if from an Ethernet NIC. Allocates nothing. */
    synchronized boolean write(
            final int link,
            final boolean isSent,
            final long destination,
            final long source,
            final int tci,
            final int etherType,
            final long address,
            final int lengthBytes) {
        final int frame = ETHERNET_LENGTH + (tci < 0 ? 0 : TAG_LENGTH) + lengthBytes;
        if (isEnded || frame > PcapWriter.MAX_FRAME_BYTES) {
            lostFrames++;
            return false;
        }
        try {
            writer.write(
                    link,
                    clock.nanoTime(),
                    isSent,
                    destination,
                    source,
                    tci,
                    etherType,
                    address,
                    lengthBytes);
            writtenFrames++;
            return true;
        } catch (final IOException e) {
            stop(e);
            lostFrames++;
            return false;
        }
    }

    /** Writes what an interface has counted; see {@link PcapWriter#writeStatistics}. */
    synchronized void writeStatistics(
            final int link, final long frames, final long lost, final long kernelDrops) {
        if (!isEnded) {
            try {
                writer.writeStatistics(link, clock.nanoTime(), frames, lost, kernelDrops);
            } catch (final IOException e) {
                stop(e);
            }
        }
    }

    /** Writes what is buffered to the file. */
    public synchronized void flush() {
        if (!isEnded) {
            try {
                writer.flush();
            } catch (final IOException e) {
                stop(e);
            }
        }
    }

    private void stop(final IOException reason) {
        isEnded = true;
        LOGGER.warn(
                "capture to {} ended after {} frames: {}; free some space and start it again",
                path,
                writtenFrames,
                reason.getMessage());
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
