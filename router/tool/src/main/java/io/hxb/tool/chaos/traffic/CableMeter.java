package io.hxb.tool.chaos.traffic;

import io.hxb.os.NetworkNamespace;
import io.hxb.tool.chaos.script.Cable;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Reads what the kernel has counted at each switch's port of a raw lab, repeatedly, in a thread of
 * its own. Owned by the thread that made it.
 */
public final class CableMeter implements AutoCloseable {
    private static final int MAX_BYTES = 4 << 20;

    // Source: net/core/net-procfs.c, dev_seq_printf_stats: received bytes first, sent bytes ninth.
    private static final int RECEIVED_FIELD = 0;
    private static final int SENT_FIELD = 8;

    private final SampleClock clock;
    private final FileChannel file;
    private final ByteBuffer buffer = ByteBuffer.allocate(MAX_BYTES);
    private final Map<String, Meter> byPort = new HashMap<>();
    private final List<Meter> meters = new ArrayList<>();
    private final Thread thread;
    private volatile boolean isOver;
    private volatile IOException failure;

    /** One cable. */
    private static final class Meter {
        private final Cable cable;
        private final SampleBins toNode;
        private final SampleBins fromNode;
        private long lastTo = -1;
        private long lastFrom;

        Meter(final Cable cable, final SampleClock clock) {
            this.cable = cable;
            toNode = clock.bins();
            fromNode = clock.bins();
        }
    }

    /**
     * Bytes on one cable. Immutable.
     *
     * @param cable which.
     * @param toNode bytes of frames that the node got.
     * @param fromNode bytes of frames that the node sent; those that were dropped at the port are
     *     among them.
     */
    public record CableSamples(Cable cable, RateSeries toNode, RateSeries fromNode) {}

    /** Starts to read; samples count from the clock's start. */
    public CableMeter(final LabSpec spec, final SampleClock clock) {
        this.clock = clock;
        for (int node = 0; node < spec.shape().nodeCount(); node++) {
            for (int dimension = 0; dimension < spec.shape().dimensions(); dimension++) {
                for (int link = 0; link < spec.linkCount(); link++) {
                    final Meter meter = new Meter(new Cable(node, dimension, link), clock);
                    meters.add(meter);
                    byPort.put(LabNames.port(dimension, link, node), meter);
                }
            }
        }
        try {
            // An open file stays with the namespace of the thread that opened it.
            file =
                    NetworkNamespace.run(
                            LabNames.switchNamespace(spec.name()),
                            () ->
                                    FileChannel.open(
                                            Path.of("/proc/thread-self/net/dev"),
                                            StandardOpenOption.READ));
        } catch (final IOException e) {
            throw new ToolException("cannot read the counters of ports: " + e.getMessage(), e);
        }
        thread = Thread.ofPlatform().name("chaos-meter").daemon().start(this::run);
    }

    private void run() {
        final long endNs = clock.startNs() + clock.count() * clock.sampleNs();
        LockSupport.parkNanos(clock.startNs() - System.nanoTime() - clock.sampleNs());
        long lastNs = System.nanoTime();
        long dueNs = clock.startNs();
        try {
            while (!isOver && lastNs - endNs < 0) {
                LockSupport.parkNanos(dueNs - System.nanoTime());
                final long nowNs = System.nanoTime();
                if (nowNs - dueNs >= 0) {
                    read(lastNs, nowNs);
                    lastNs = nowNs;
                    dueNs = Math.max(dueNs, nowNs - clock.sampleNs() / 2) + clock.sampleNs();
                }
            }
        } catch (final IOException e) {
            failure = e;
        }
    }

    private void read(final long lastNs, final long nowNs) throws IOException {
        buffer.clear();
        while (file.read(buffer, buffer.position()) > 0) {
            // Continues to read until the file ends.
        }
        final String text =
                new String(buffer.array(), 0, buffer.position(), StandardCharsets.US_ASCII);
        for (final String line : text.split("\n", -1)) {
            final int colon = line.indexOf(':');
            final Meter meter = colon < 0 ? null : byPort.get(line.substring(0, colon).strip());
            if (meter != null) {
                final String[] fields = line.substring(colon + 1).strip().split("\\s+", -1);
                count(
                        meter,
                        lastNs,
                        nowNs,
                        Long.parseLong(fields[SENT_FIELD]),
                        Long.parseLong(fields[RECEIVED_FIELD]));
            }
        }
    }

    private static void count(
            final Meter meter,
            final long lastNs,
            final long nowNs,
            final long to,
            final long from) {
        if (meter.lastTo >= 0) {
            meter.toNode.spread(lastNs, nowNs, to - meter.lastTo);
            meter.fromNode.spread(lastNs, nowNs, from - meter.lastFrom);
        }
        meter.lastTo = to;
        meter.lastFrom = from;
    }

    /** Stops; returns the samples of every cable. */
    public List<CableSamples> finish() {
        close();
        if (failure != null) {
            throw new ToolException(
                    "the counters of ports could not be read any more: " + failure, failure);
        }
        return meters.stream()
                .map(
                        meter ->
                                new CableSamples(
                                        meter.cable,
                                        meter.toNode.series(),
                                        meter.fromNode.series()))
                .toList();
    }

    @Override
    public void close() {
        isOver = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
            file.close();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final IOException e) {
            // It was only read.
        }
    }
}
