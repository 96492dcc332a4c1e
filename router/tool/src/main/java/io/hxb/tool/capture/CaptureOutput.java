package io.hxb.tool.capture;

import io.hxb.link.pcap.PcapFile;
import io.hxb.link.pcap.PcapName;
import io.hxb.link.pcap.PcapWriter;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Where a capture goes: standard output, a file, or files of a size of which the last ones stay.
 * Owned by one thread.
 */
final class CaptureOutput implements AutoCloseable {
    private final Path file;
    private final long sizeBytes;
    private final int ringFiles;
    private final List<PcapName> names;
    private final int snapBytes;
    private final boolean isPrivate;
    private final Deque<Path> files = new ArrayDeque<>();
    private WritableByteChannel channel;
    private PcapWriter writer;
    private int number;

    /**
     * Opens the first file.
     *
     * @param file null for standard output.
     * @param sizeBytes after which a file ends; 0 for never.
     * @param ringFiles files that stay; 0 for one file, which ends the capture at its size.
     * @param names of the interfaces, in the order of their numbers.
     * @param snapBytes of frames that are kept at most; 0 for all.
     * @param isPrivate true if only the owner may read the files.
     */
    CaptureOutput(
            final Path file,
            final long sizeBytes,
            final int ringFiles,
            final List<PcapName> names,
            final int snapBytes,
            final boolean isPrivate)
            throws IOException {
        this.file = file;
        this.sizeBytes = sizeBytes;
        this.ringFiles = ringFiles;
        this.names = names;
        this.snapBytes = snapBytes;
        this.isPrivate = isPrivate;
        open();
    }

    private void open() throws IOException {
        channel = file == null ? standardOutput() : create(nextFile());
        writer = new PcapWriter(channel);
        for (final PcapName name : names) {
            writer.addInterface(name, snapBytes);
        }
        writer.flush();
    }

    private WritableByteChannel create(final Path path) throws IOException {
        return isPrivate ? PcapFile.createPrivateChannel(path) : PcapFile.createChannel(path);
    }

    // The end of the process closes it.
    @SuppressWarnings("resource")
    private static WritableByteChannel standardOutput() {
        return new FileOutputStream(FileDescriptor.out).getChannel();
    }

    private Path nextFile() throws IOException {
        if (ringFiles == 0) {
            return file;
        }
        final Path next = numbered(file, ++number);
        files.addLast(next);
        if (files.size() > ringFiles) {
            Files.deleteIfExists(files.removeFirst());
        }
        return next;
    }

    /** {@code trace.pcapng} with 3 is {@code trace.3.pcapng}. */
    static Path numbered(final Path file, final int number) {
        final String name = file.getFileName().toString();
        final int dot = name.lastIndexOf('.');
        return file.resolveSibling(
                dot <= 0
                        ? name + "." + number
                        : name.substring(0, dot) + "." + number + name.substring(dot));
    }

    /** Where frames are written to now. */
    PcapWriter writer() {
        return writer;
    }

    /** True if the file has its size. */
    boolean isFull() {
        return sizeBytes > 0 && writer.sectionBytes() >= sizeBytes;
    }

    /** True if another file follows one that is full. */
    boolean isRing() {
        return ringFiles > 0;
    }

    /** Ends the file and begins the next. */
    void rotate() throws IOException {
        close();
        open();
    }

    @Override
    public void close() throws IOException {
        writer.flush();
        if (file != null) {
            channel.close();
        }
    }
}
