package io.hxb.tool.top;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.trace.NodeTrace;

import java.io.IOException;
import java.util.List;

/**
 * Runs the traces that the user asks for, one at a time, in a thread of its own. The thread of the
 * screen owns it.
 */
final class TopTraces implements AutoCloseable {
    private static final String NO_FILE = "only with a cluster file, not with counter files alone";

    // Written by the threads of traces.
    private volatile List<String> lines = List.of();
    private Thread thread;

    /** The lines of the last one. */
    List<String> lines() {
        return lines;
    }

    /**
     * Begins one, unless one is running.
     *
     * @param config null if the cluster is not known.
     */
    void begin(final ClusterConfig config, final TopState.TraceWish wish) {
        if (thread != null && thread.isAlive()) {
            return;
        }
        if (config == null) {
            lines = List.of(NO_FILE);
            return;
        }
        lines = List.of("tracing to " + wish.to() + " ...");
        thread = new Thread(() -> lines = trace(config, wish), "hxb-top-trace");
        thread.setDaemon(true);
        thread.start();
    }

    private static List<String> trace(final ClusterConfig config, final TopState.TraceWish wish) {
        try {
            final int from = Integer.parseInt(wish.from().substring(wish.from().indexOf(' ') + 1));
            final int to = new NodeNames(config).node(wish.to());
            return NodeTrace.text(config, from, to).lines().toList();
        } catch (final IOException | RuntimeException e) {
            return List.of(String.valueOf(e.getMessage()).split("\n", -1));
        }
    }

    @Override
    public void close() {
        if (thread != null) {
            thread.interrupt();
        }
    }
}
