package io.hxb.tool.demo;

import io.hxb.config.ClusterConfig;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;
import io.hxb.tool.lab.LabCabling;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What has passed over each cable of a lab, by the counters of the nodes at its ends. Owned by the
 * thread that measures.
 */
final class CableTraffic implements AutoCloseable {
    private final LabCabling cabling;
    private final List<CounterReader> readers = new ArrayList<>();

    /** Opens the counters of all nodes. */
    CableTraffic(final ClusterConfig config, final LabCabling cabling) throws IOException {
        this.cabling = cabling;
        try {
            for (int node = 0; node < cabling.nodeCount(); node++) {
                readers.add(CounterReader.open(config.countersPath(node)));
            }
        } catch (final IOException e) {
            close();
            throw e;
        }
    }

    /** Bytes that were sent over each cable in both directions, {@code [cables]}, a new array. */
    long[] bytes() throws IOException {
        for (final CounterReader reader : readers) {
            reader.refresh();
        }
        final long[] bytes = new long[cabling.cables().size()];
        for (int i = 0; i < bytes.length; i++) {
            final LabCabling.Cable cable = cabling.cables().get(i);
            bytes[i] = sent(cable.first()) + sent(cable.second());
        }
        return bytes;
    }

    private long sent(final LabCabling.End end) {
        return readers.get(end.node()).value(CounterType.LINK_SENT_BYTES, end.link());
    }

    /** What {@link #bytes} has grown by since an earlier reading, {@code [cables]}. */
    long[] bytesSince(final long[] before) throws IOException {
        final long[] bytes = bytes();
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] -= before[i];
        }
        return bytes;
    }

    @Override
    public void close() throws IOException {
        for (final CounterReader reader : readers) {
            reader.close();
        }
    }
}
