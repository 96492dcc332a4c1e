package io.hxb.fabric.route;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.RouteSetBuilder;
import io.hxb.fabric.SwitchGraph;

/**
 * Fully adaptive minimal routing on the upper virtual channels with escape paths on the lower ones,
 * which are those of another routing. A packet may always ask for the escape channel of the switch
 * it is at; from there it may, or may not, return to the adaptive channels. Source: Duato 1993;
 * Silla and Duato 2000.
 */
public final class EscapeRouting implements Routing {
    private final String name;
    private final Routing escape;
    private final int adaptive;
    private final boolean isReturning;
    private final MinimalRouting minimal;
    private final int[] room;

    /**
     * Puts adaptive channels above those of an escape routing.
     *
     * @param escape its paths must exist from every switch, injected there.
     * @param adaptive adaptive virtual channels, at least 1.
     * @param isReturning whether packets may go back from escape to adaptive channels; the escape
     *     paths must be minimal then.
     */
    public EscapeRouting(
            final String name,
            final Routing escape,
            final int adaptive,
            final boolean isReturning) {
        this.name = name;
        this.escape = escape;
        this.adaptive = adaptive;
        this.isReturning = isReturning;
        this.minimal = new MinimalRouting(escape.graph());
        this.room = new int[Math.max(1, escape.graph().maxDegree() * escape.virtualChannels())];
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public SwitchGraph graph() {
        return escape.graph();
    }

    @Override
    public int virtualChannels() {
        return escape.virtualChannels() + adaptive;
    }

    @Override
    public boolean hasEscapePaths() {
        return true;
    }

    @Override
    public int[] roots() {
        return escape.roots();
    }

    @Override
    public boolean isEscape(final int virtualChannel, final int destination) {
        return isEscape(virtualChannel);
    }

    private boolean isEscape(final int virtualChannel) {
        return virtualChannel % virtualChannels() < escape.virtualChannels();
    }

    @Override
    public int next(final int source, final int at, final int destination, final int[] out) {
        final boolean isOnEscape = at != INJECTED && isEscape(at);
        final int node = at == INJECTED ? source : graph().target(at / virtualChannels());
        int count = 0;
        if (!isOnEscape || isReturning) {
            count = adaptiveChannels(node, destination, out);
        }
        // On the escape paths the way back matters; coming from elsewhere a packet starts on them.
        final int before =
                isOnEscape && !isReturning
                        ? at / virtualChannels() * escape.virtualChannels() + at % virtualChannels()
                        : INJECTED;
        final int escapes = escape.next(node, before, destination, room);
        for (int i = 0; i < escapes; i++) {
            final int channel = room[i] / escape.virtualChannels();
            out[count++] = channel * virtualChannels() + room[i] % escape.virtualChannels();
        }
        return count;
    }

    /** All channels on shortest paths, each with all adaptive virtual channels. */
    private int adaptiveChannels(final int node, final int destination, final int[] out) {
        final int nearer = minimal.nearer(node, destination, room);
        int count = 0;
        for (int i = 0; i < nearer; i++) {
            for (int v = 0; v < adaptive; v++) {
                out[count++] = room[i] * virtualChannels() + escape.virtualChannels() + v;
            }
        }
        return count;
    }

    /** Shortest paths on the adaptive channels: those of packets that are never blocked. */
    @Override
    public RouteSet routes(final PathSelection selection, final long seed) {
        return lifted(minimal.routes(selection, seed), escape.virtualChannels());
    }

    /** The escape paths. */
    @Override
    public RouteSet staticRoutes(final PathSelection selection, final long seed) {
        return lifted(escape.staticRoutes(selection, seed), 0);
    }

    /** Paths of fewer virtual channels among ours, {@code offset} above their own number. */
    private RouteSet lifted(final RouteSet routes, final int offset) {
        final SwitchGraph graph = graph();
        final int own = routes.virtualChannels();
        final RouteSetBuilder builder =
                new RouteSetBuilder(graph, virtualChannels(), routes.isPerHost());
        for (int from = 0; from < graph.switchCount(); from++) {
            for (int to = 0; routes.isSource(from) && to < routes.destinationCount(); to++) {
                for (int i = 0; i < routes.length(from, to); i++) {
                    final int step = routes.step(from, to, i);
                    builder.step(step / own * virtualChannels() + step % own + offset);
                }
                builder.endPath();
            }
        }
        return builder.build();
    }
}
