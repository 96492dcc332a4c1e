package io.hxb.tool;

import io.hxb.config.ClusterConfig;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Reads what the nodes of a lab have counted. Stateless. */
final class CounterFiles {
    private CounterFiles() {}

    /** One counter of a whole node. */
    static long value(final ClusterConfig config, final int node, final CounterType type) {
        return value(config, node, type, 0);
    }

    /** One counter of one link or dimension. */
    static long value(
            final ClusterConfig config,
            final int node,
            final CounterType type,
            final int instance) {
        try (CounterReader reader = CounterReader.open(config.countersPath(node))) {
            return reader.value(type, instance);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Process id of a node. */
    static long pid(final ClusterConfig config, final int node) throws IOException {
        try (CounterReader reader = CounterReader.open(config.countersPath(node))) {
            return reader.pid();
        }
    }
}
