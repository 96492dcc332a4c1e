package io.hxb.fabric.algorithm;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.RouteSetBuilder;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.tree.Directions;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Puts paths into layers of virtual channels, so that the dependencies of each layer stay acyclic,
 * and evens out what the layers carry. Used by one thread. Source: Domke, Hoefler, Nagel 2011,
 * sections III and IV, with layers filled path by path as in LASH.
 */
final class PathLayers {
    /** Rounds in which paths move from fuller layers to emptier ones. */
    private static final int ROUNDS = 4;

    private static final int NONE = -1;

    private final SwitchGraph graph;
    private final RouteSet paths;
    private final RouteSet safe;
    private final int most;

    /** First number of each source's paths, {@code [switches]}. */
    private final int[] firsts;

    /** Layer of each path, or {@link #NONE}. */
    private final byte[] layerOf;

    /** Whether a path is taken from the safe set. */
    private final boolean[] isSafe;

    private List<AcyclicLayer> layers = new ArrayList<>();

    /** Pairs of hosts times links in each layer. */
    private final long[] filled = new long[Byte.MAX_VALUE];

    private final int[] steps;

    /**
     * Prepares the work.
     *
     * @param paths of one virtual channel.
     * @param safe paths with the same ends whose dependencies are acyclic together, or null when no
     *     path may be replaced.
     * @param most layers.
     */
    PathLayers(final RouteSet paths, final RouteSet safe, final int most) {
        this.graph = paths.graph();
        this.paths = paths;
        this.safe = safe;
        this.most = Math.min(most, Byte.MAX_VALUE);
        this.firsts = new int[graph.switchCount()];
        int count = 0;
        for (int from = 0; from < firsts.length; from++) {
            firsts[from] = count;
            count += paths.isSource(from) ? paths.destinationCount() : 0;
        }
        this.layerOf = new byte[count];
        this.isSafe = new boolean[count];
        this.steps =
                new int
                        [Math.max(
                                1, Math.max(paths.maxLinks(), safe == null ? 0 : safe.maxLinks()))];
    }

    /** What to do with each path. */
    private interface Visitor {
        void visit(int from, int to, int path);
    }

    private void forEach(final Visitor visitor) {
        for (int from = 0; from < firsts.length; from++) {
            for (int to = 0; paths.isSource(from) && to < paths.destinationCount(); to++) {
                if (paths.destinationSwitch(to) != from) {
                    visitor.visit(from, to, firsts[from] + to);
                }
            }
        }
    }

    /**
     * Assigns all paths.
     *
     * @param directions by which safe paths go; other paths that break no rule of theirs start in
     *     layer 0.
     * @return how many paths fit into no layer; 0 always when there are safe paths.
     */
    int assign(final Directions directions) {
        int left = fill(directions, true);
        if (left > 0 && safe != null) {
            // Nothing but safe dependencies in layer 0: now the safe path of each pair fits.
            left = fill(directions, false);
        }
        if (left == 0) {
            even();
        }
        return left;
    }

    private boolean isLegal(final Directions directions, final int from, final int to) {
        for (int i = 1; i < paths.length(from, to); i++) {
            if (!directions.isUpDown(paths.channel(from, to, i - 1), paths.channel(from, to, i))) {
                return false;
            }
        }
        return true;
    }

    private int fill(final Directions directions, final boolean isFirstShared) {
        layers = new ArrayList<>(List.of(new AcyclicLayer(graph.channelCount())));
        Arrays.fill(layerOf, (byte) NONE);
        Arrays.fill(isSafe, false);
        Arrays.fill(filled, 0);
        forEach(
                (from, to, path) -> {
                    if (isLegal(directions, from, to)) {
                        place(paths, from, to, 0);
                    }
                });
        final int lowest = isFirstShared ? 0 : 1;
        forEach(
                (from, to, path) -> {
                    for (int layer = lowest; layerOf[path] == NONE && layer < most; layer++) {
                        place(paths, from, to, layer);
                    }
                });
        final int[] left = {0};
        forEach(
                (from, to, path) -> {
                    for (int layer = 0;
                            safe != null && layerOf[path] == NONE && layer < layers.size();
                            layer++) {
                        isSafe[path] = place(safe, from, to, layer);
                    }
                    left[0] += layerOf[path] == NONE ? 1 : 0;
                });
        return left[0];
    }

    private boolean place(final RouteSet set, final int from, final int to, final int layer) {
        if (layer == layers.size()) {
            layers.add(new AcyclicLayer(graph.channelCount()));
        }
        final int length = set.length(from, to);
        for (int i = 0; i < length; i++) {
            steps[i] = set.channel(from, to, i);
        }
        if (!layers.get(layer).add(steps, length)) {
            return false;
        }
        layerOf[firsts[from] + to] = (byte) layer;
        filled[layer] += set.hostPairs(from, to) * length;
        return true;
    }

    private RouteSet set(final int path) {
        return isSafe[path] ? safe : paths;
    }

    /** Moves paths to the emptiest layer that takes them, until layers carry alike. */
    private void even() {
        while (layers.size() < spread()) {
            layers.add(new AcyclicLayer(graph.channelCount()));
        }
        for (int round = 0; round < ROUNDS && layers.size() > 1; round++) {
            forEach(this::move);
        }
    }

    /** Layers to be used: all that were asked for. */
    private int spread() {
        return most == Byte.MAX_VALUE ? layers.size() : most;
    }

    private void move(final int from, final int to, final int path) {
        final int before = layerOf[path];
        final long size = set(path).hostPairs(from, to) * set(path).length(from, to);
        int target = before;
        for (int layer = 0; layer < layers.size(); layer++) {
            target = filled[layer] < filled[target] ? layer : target;
        }
        if (size > 0
                && filled[target] + size < filled[before]
                && place(set(path), from, to, target)) {
            filled[before] -= size;
        }
    }

    /** The paths with the virtual channels that they were given. */
    RouteSet build() {
        final int virtualChannels = layers.size();
        final RouteSetBuilder builder =
                new RouteSetBuilder(graph, virtualChannels, paths.isPerHost());
        for (int from = 0; from < firsts.length; from++) {
            for (int to = 0; paths.isSource(from) && to < paths.destinationCount(); to++) {
                final int path = firsts[from] + to;
                for (int i = 0; i < set(path).length(from, to); i++) {
                    builder.step(set(path).channel(from, to, i) * virtualChannels + layerOf[path]);
                }
                builder.endPath();
            }
        }
        return builder.build();
    }
}
