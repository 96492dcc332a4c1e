package io.hxb.tool.lab;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;
import io.hxb.tool.report.ToolException;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits until every node of a lab hears all its neighbours on every link, as their counter files
 * show: all users of the lab then find it complete. Stateless.
 */
final class LabNeighbours {
    private static final long LOOK_NS = 20_000_000;

    private LabNeighbours() {}

    /**
     * Waits for the nodes of a lab that have been started.
     *
     * @throws ToolException if the time is up, with the links on which somebody is missing.
     */
    static void await(final ClusterConfig config, final long limitNs) {
        final long deadlineNs = System.nanoTime() + limitNs;
        List<String> missing = missing(config);
        while (!missing.isEmpty()) {
            if (System.nanoTime() - deadlineNs > 0) {
                throw new ToolException(
                        "not all neighbours hear one another after "
                                + limitNs / 1_000_000_000L
                                + " s: "
                                + String.join(", ", missing)
                                + "; "
                                + LabAdvice.smaller(config.shape()));
            }
            LockSupport.parkNanos(LOOK_NS);
            missing = missing(config);
        }
    }

    /** The links of the first node that has some on which neighbours are missing. */
    private static List<String> missing(final ClusterConfig config) {
        for (int node = 0; node < config.shape().nodeCount(); node++) {
            final List<String> missing = missing(config, node);
            if (!missing.isEmpty()) {
                return missing;
            }
        }
        return List.of();
    }

    private static List<String> missing(final ClusterConfig config, final int node) {
        final Path file = config.ownCountersPath(node);
        // A node that cannot write the file has warned of it.
        if (!Files.exists(file)) {
            return List.of();
        }
        final List<String> missing = new ArrayList<>();
        try (CounterReader reader = CounterReader.open(file)) {
            for (final LinkConfig link : config.links(node)) {
                final long wanted = neighbours(config.shape(), link);
                final long heard = reader.value(CounterType.LINK_NEIGHBOURS_NODES, link.index());
                if (heard < wanted) {
                    missing.add(
                            "node %d hears %d of %d on %s"
                                    .formatted(node, heard, wanted, link.label()));
                }
            }
        } catch (final IOException e) {
            throw new ToolException(e.getMessage(), e);
        }
        return missing;
    }

    // A cable has one other end.
    private static long neighbours(final Shape shape, final LinkConfig link) {
        return shape.isAnyCabling() ? 1 : shape.extent(link.dimension()) - 1L;
    }
}
