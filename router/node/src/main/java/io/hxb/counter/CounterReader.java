package io.hxb.counter;

import io.hxb.os.ProcessStat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the counter file of a node that runs, hangs or is dead, including one of another version of
 * HXB with other counters. Used by one thread. The file is read, not mapped: one that is cut short
 * while it is read causes an exception, not a signal.
 */
public final class CounterReader implements AutoCloseable {
    /** A node without a heartbeat for this long hangs or is dead. */
    public static final long SILENT_MS = 3_000;

    private static final int MAX_BYTES = 64 << 20;
    private static final int TRIES = 100;

    private final FileChannel channel;
    private final String name;
    private ByteBuffer image;

    private CounterReader(final FileChannel channel, final String name, final ByteBuffer image) {
        this.channel = channel;
        this.name = name;
        this.image = image;
    }

    /**
     * Opens a file and reads it once.
     *
     * @throws IOException if it cannot be read, or is not a counter file; the message tells which.
     */
    public static CounterReader open(final Path file) throws IOException {
        final FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        try {
            return new CounterReader(channel, file.toString(), load(channel, file.toString()));
        } catch (final IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Reads the file again.
     *
     * @throws IOException if it cannot be read any more.
     */
    public void refresh() throws IOException {
        image = load(channel, name);
    }

    /** Whose counters these are. */
    public CounterLabels labels() {
        final List<CounterLabels.LinkLabel> links = new ArrayList<>();
        for (int link = 0; link < image.getInt(CounterLayout.LINKS_OFFSET); link++) {
            final int at =
                    image.getInt(CounterLayout.LINKS_AT_OFFSET) + link * CounterLayout.LINK_BYTES;
            links.add(
                    new CounterLabels.LinkLabel(
                            image.get(at),
                            image.get(at + 1),
                            CounterHeader.text(
                                    image,
                                    at + CounterLayout.LINK_NAME_OFFSET,
                                    CounterLayout.LINK_NAME_BYTES),
                            CounterHeader.lineNodes(image, link),
                            image.getInt(at + CounterLayout.LINK_STEP_OFFSET)));
        }
        return new CounterLabels(
                CounterHeader.text(image, CounterLayout.NAME_OFFSET, CounterLayout.NAME_BYTES),
                image.getInt(CounterLayout.CLUSTER_OFFSET),
                image.getInt(CounterLayout.NODE_OFFSET),
                image.getLong(CounterLayout.COORDINATES_OFFSET),
                image.getInt(CounterLayout.DIMENSIONS_OFFSET),
                links);
    }

    /** Process id of the node. */
    public long pid() {
        return image.getLong(CounterLayout.PID_OFFSET);
    }

    /** When the node started, ms since 1970. */
    public long startMs() {
        return image.getLong(CounterLayout.START_OFFSET);
    }

    /** Time of the node's last heartbeat, ms since 1970. */
    public long heartbeatMs() {
        return image.getLong(CounterLayout.HEARTBEAT_OFFSET);
    }

    /** True if the node was stopped in order. */
    public boolean isClosed() {
        return image.getInt(CounterLayout.STATE_OFFSET) == CounterLayout.CLOSED;
    }

    /**
     * True if the node has not been stopped, its heart beats, and its process has not ended as far
     * as can be seen from here.
     */
    public boolean isAlive(final long nowMs) {
        return !isClosed() && nowMs - heartbeatMs() < SILENT_MS && !hasProcessEnded();
    }

    /**
     * True if the node's process has certainly ended. False while it runs or hangs, and when that
     * cannot be seen from here, as from another container.
     */
    public boolean hasProcessEnded() {
        return new ProcessStat(
                        pid(),
                        image.getLong(CounterLayout.START_TICKS_OFFSET),
                        image.getLong(CounterLayout.NAMESPACE_OFFSET))
                .hasEnded();
    }

    /** The value of a counter; 0 when the file does not have it. */
    public long value(final CounterType type, final int instance) {
        for (final CounterSample sample : samples()) {
            if (sample.name().equals(type.exportName()) && sample.instance() == instance) {
                return sample.value();
            }
        }
        return 0;
    }

    /** The sum of a counter over all links or dimensions; 0 when the file does not have it. */
    public long sum(final CounterType type) {
        return samples().stream()
                .filter(sample -> sample.name().equals(type.exportName()))
                .mapToLong(CounterSample::value)
                .sum();
    }

    /** All values, in the order of the file; of neighbours only those that are not 0. */
    public List<CounterSample> samples() {
        final List<CounterSample> samples = new ArrayList<>();
        final int first = image.getInt(CounterLayout.DESCRIPTIONS_AT_OFFSET);
        for (int type = 0; type < image.getInt(CounterLayout.TYPES_OFFSET); type++) {
            addSamples(first + type * CounterLayout.DESCRIPTION_BYTES, samples);
        }
        return samples;
    }

    /** What the node reports as wrong; empty when nothing is, or when it died while writing. */
    public List<NodeFinding> findings() throws IOException {
        return text(CounterLayout.FINDINGS_AT_OFFSET).lines().map(NodeFinding::parse).toList();
    }

    /** What users and tenants hold of the node; empty when it died while writing. */
    public ResourceUses shares() throws IOException {
        return ResourceUses.parse(text(CounterLayout.SHARES_AT_OFFSET));
    }

    private String text(final int field) throws IOException {
        for (int tries = 0; tries < TRIES; tries++) {
            final int at = image.getInt(field);
            if (at == 0) {
                return "";
            }
            final long sequence = TextArea.sequence(image, at);
            final boolean isWhole = TextArea.isWhole(image, at);
            final String text = TextArea.read(image, at);
            refresh();
            // The text, too: a copy that was being written may have one without the other.
            if (isWhole
                    && image.getInt(field) == at
                    && TextArea.sequence(image, at) == sequence
                    && TextArea.read(image, at).equals(text)) {
                return text;
            }
        }
        return "";
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private void addSamples(final int at, final List<CounterSample> samples) {
        final CounterScope scope = CounterScope.ofCode(image.get(at + 2));
        final String export =
                CounterHeader.text(
                        image,
                        at + CounterLayout.DESCRIPTION_NAME_OFFSET,
                        CounterLayout.EXPORT_NAME_BYTES);
        final String unit =
                CounterHeader.text(
                        image,
                        at + CounterLayout.DESCRIPTION_UNIT_OFFSET,
                        CounterLayout.UNIT_BYTES);
        final int instances =
                switch (scope) {
                    case NODE -> 1;
                    case LINK -> image.getInt(CounterLayout.LINKS_OFFSET);
                    case DIMENSION -> image.getInt(CounterLayout.DIMENSIONS_OFFSET);
                    case BUCKET -> TimeBuckets.COUNT;
                    case NEIGHBOUR -> CounterHeader.places(image).count();
                };
        for (int instance = 0; instance < instances; instance++) {
            final long value = sum(image.getInt(at + 4) + instance);
            if (scope == CounterScope.NEIGHBOUR && value == 0) {
                continue;
            }
            samples.add(
                    new CounterSample(
                            image.getShort(at) & 0xFFFF,
                            export,
                            unit,
                            scope,
                            CounterKind.ofCode(image.get(at + 3)),
                            instance,
                            value));
        }
    }

    private long sum(final int index) {
        long sum = 0;
        for (int writer = 0; writer < image.getInt(CounterLayout.WRITERS_OFFSET); writer++) {
            sum +=
                    image.getLong(
                            image.getInt(CounterLayout.VALUES_AT_OFFSET)
                                    + writer * image.getInt(CounterLayout.STRIDE_OFFSET)
                                    + index * Long.BYTES);
        }
        return sum;
    }

    private static ByteBuffer load(final FileChannel channel, final String name)
            throws IOException {
        final long size = channel.size();
        if (size < CounterLayout.HEADER_BYTES || size > MAX_BYTES) {
            throw new IOException(name + " is not a counter file: it has " + size + " bytes");
        }
        final ByteBuffer image = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
        while (image.hasRemaining() && channel.read(image, image.position()) > 0) {
            // Reads on until the buffer is full or the file ends.
        }
        final String wrong = CounterCheck.problem(image);
        if (!wrong.isEmpty()) {
            throw new IOException(name + " is not a counter file of this version: " + wrong);
        }
        return image;
    }
}
