package io.hxb.manager;

import io.hxb.fabric.traffic.TrafficMatrix;

import java.util.concurrent.Future;

/**
 * The traffic that one session has announced, and the paths that are computed for it. Owned by the
 * manager's thread.
 */
final class HostPathSearch {
    private TrafficMatrix.Builder traffic = new TrafficMatrix.Builder();
    private int demands;
    private Future<PathOptimiser.Result> task;

    /** A session that has asked for nothing. */
    HostPathSearch() {}

    /** Demands since the last search began. */
    int demands() {
        return demands;
    }

    void add(final int from, final int to, final long bytes) {
        traffic.add(from, to, (double) bytes);
        demands++;
    }

    /** True while paths are computed. */
    boolean isRunning() {
        return task != null && !task.isDone();
    }

    void begin(final PathOptimiser optimiser) {
        task = optimiser.start(traffic.build());
        clear();
    }

    void clear() {
        traffic = new TrafficMatrix.Builder();
        demands = 0;
    }

    /** Forgets what was begun. */
    void drop() {
        task = null;
    }

    /** What was begun last; null if nothing was. */
    Future<PathOptimiser.Result> task() {
        return task;
    }
}
