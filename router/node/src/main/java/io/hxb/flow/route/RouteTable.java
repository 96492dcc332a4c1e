package io.hxb.flow.route;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.RouteConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.link.LoopClock;
import io.hxb.recorder.RecordedEvent;
import io.hxb.routing.CablingMap;
import io.hxb.routing.PathSearch;
import io.hxb.routing.Route;
import io.hxb.routing.RouteCodec;
import io.hxb.topology.Shape;

import org.agrona.collections.Int2ObjectHashMap;

/**
 * Chooses the routes of frames to destinations with trouble, and learns from their outcome. Owned
 * by one loop. Memory is bounded: 128 destinations and 256 hops.
 *
 * <p>Without trouble a sender only asks {@link #hasTrouble}. A destination is added with the first
 * frame that is lost, finds no link or is answered by a relay, and is forgotten after a second in
 * which all its orders worked. Meanwhile its frames take the configured orders that avoid every hop
 * known to be bad; if there is none, the cheapest other route, which may be another order or a
 * detour.
 */
public final class RouteTable {
    /** Knows no other node, so it learns nothing: for outputs that do not route. */
    public static final RouteTable NONE =
            new RouteTable(
                    ClusterConfig.of("none", Shape.of(1), Backend.UDP, LinkPlan.udp(1, 1, 1)),
                    0,
                    null,
                    (dimension, coordinate) -> false,
                    new LoopClock(),
                    CounterBlock.unpublished(0, 0));

    private static final int MAX_DESTINATIONS = 128;
    private static final int MAX_ORDERS = 64;
    private static final int MAX_HOPS = 24;
    private static final int MAX_CABLED_HOPS = 255;
    private static final long CHECK_NS = 10_000_000;
    private static final long FORGET_NS = 2_000_000_000L;

    private final RouteConfig config;
    private final Shape shape;
    private final CablingMap map;
    private final RouteCodec codec;
    // Null in a hyper-crossbar.
    private final OtherPaths otherPaths;
    private final int here;
    private final long hereVector;
    private final long[] orders;
    private final long allOrders;
    private final LoopClock clock;
    private final Neighbours neighbours;
    private final PathSearch search;
    private final HopFailureTable book;
    private final CounterBlock counters;
    private final Int2ObjectHashMap<Destination> destinations = new Int2ObjectHashMap<>();
    private final long[] nodes;
    private final PathSearch.HopCosts strictCosts = (from, to, d) -> cost(from, to, d, false);
    private final PathSearch.HopCosts trialCosts = (from, to, d) -> cost(from, to, d, true);
    private boolean hasTrouble;

    /** Knows which neighbours this node's own links reach. */
    @FunctionalInterface
    public interface Neighbours {
        /** True if a link of {@code dimension} reaches the neighbour at {@code coordinate}. */
        boolean isReached(int dimension, int coordinate);
    }

    /**
     * Makes the table of one loop.
     *
     * @param cluster its shape, hop limit, dimension orders and route times.
     * @param here coordinate vector of this node.
     * @param map the cables, with any cabling; null in a hyper-crossbar.
     * @param neighbours asked in the loop.
     * @param clock of the loop.
     * @param counters of the loop.
     */
    public RouteTable(
            final ClusterConfig cluster,
            final long here,
            final CablingMap map,
            final Neighbours neighbours,
            final LoopClock clock,
            final CounterBlock counters) {
        this.counters = counters;
        config = cluster.flow().routes();
        shape = cluster.shape();
        this.neighbours = neighbours;
        this.clock = clock;
        this.here = shape.node(here);
        hereVector = here;
        this.map = map;
        codec = new RouteCodec(shape, map);
        otherPaths = map == null ? null : new OtherPaths(map, codec, shape, here);
        search = new PathSearch(shape);
        book = new HopFailureTable(config.retryNs());
        final int maxHops = map == null ? MAX_HOPS : MAX_CABLED_HOPS;
        nodes = new long[Math.min(maxHops, cluster.frame().hopLimit()) + 1];
        orders =
                cluster.orders().orders().stream()
                        .limit(MAX_ORDERS)
                        .mapToLong(Route::ofOrder)
                        .toArray();
        allOrders = orders.length == Long.SIZE ? -1L : (1L << orders.length) - 1;
    }

    /** The counters of its loop. */
    public CounterBlock counters() {
        return counters;
    }

    /** The paths beside the default routes; null in a hyper-crossbar. */
    public OtherPaths otherPaths() {
        return otherPaths;
    }

    /** True if arrivals are to be reported: there is trouble, or there are several paths. */
    public boolean wantsArrivals() {
        return hasTrouble || otherPaths != null;
    }

    /** True if any destination has trouble; otherwise no other method needs to be called. */
    public boolean hasTrouble() {
        return hasTrouble;
    }

    /** Destinations with trouble now. */
    public int troubledDestinations() {
        return destinations.size();
    }

    /**
     * The route of a frame to a destination that may have trouble.
     *
     * @param destination coordinate vector of another node.
     * @param preferred the route it gets when there is no trouble.
     * @param isData whether the frame carries data: only these may try a broken route.
     * @return {@link Route#NONE} if no route works.
     */
    public long choose(final long destination, final long preferred, final boolean isData) {
        final Destination entry = find(destination);
        if (entry == null) {
            return preferred;
        }
        final long nowNs = clock.nowNs();
        if (entry.isCheckDue(book.version(), nowNs) && isCalmAfterCheck(entry, nowNs)) {
            return preferred;
        }
        if (!isData) {
            final long answer = entry.answer(nowNs);
            if (answer != Route.NONE && isFirstHopReached(answer, entry.coordinates())) {
                return answer;
            }
        }
        if (entry.hasCandidate() && (isData || !entry.hasRoute())) {
            return tryOut(entry, nowNs);
        }
        if (entry.hasOrder()) {
            return orders[entry.nextOrder()];
        }
        if (entry.hasRoute()) {
            counters.increment(CounterType.FLOW_DETOURED_FRAMES);
        }
        return entry.alternative();
    }

    /**
     * The first hop of a route of ours turned out to have no link.
     *
     * @return the route to use instead, or {@link Route#NONE}.
     */
    public long onNoLink(final long destination, final boolean isData) {
        if (!isOtherNode(destination)) {
            return Route.NONE;
        }
        final long nowNs = clock.nowNs();
        final Destination entry = obtain(destination, nowNs);
        entry.onTrouble(nowNs);
        check(entry, nowNs);
        return choose(destination, Route.NONE, isData);
    }

    /**
     * A relay reports that a frame of ours cannot go on.
     *
     * @param route the route that the frame had.
     * @param relay coordinate vector of the node that reports it.
     * @return false if that node does not lie on the route: nothing was learned then.
     */
    public boolean onUnreachable(final long destination, final long route, final long relay) {
        final boolean isTraced = isOtherNode(destination) && RouteCodec.isValid(route, shape);
        final int count = isTraced ? codec.trace(route, hereVector, destination, nodes) : -1;
        for (int i = 1; i < count - 1; i++) {
            if (nodes[i] == relay) {
                final long nowNs = clock.nowNs();
                counters.increment(CounterType.FLOW_BROKEN_HOPS_EVENTS);
                book.onBroken(shape.node(relay), shape.node(nodes[i + 1]), nowNs);
                final Destination entry = obtain(destination, nowNs);
                entry.onTrouble(nowNs);
                entry.checkSoon(nowNs);
                return true;
            }
        }
        refuse();
        return false;
    }

    /**
     * A relay of a path beside the default route needs it for frames that have no other.
     *
     * @param destination any number, as {@code route}.
     * @param relay coordinate vector of the node that reports it; believed if the path passes it.
     */
    public void onBusy(final long destination, final long route, final long relay) {
        final PathWindow window = window(destination, route);
        if (window == null) {
            refuse();
            return;
        }
        final int count = codec.trace(route, hereVector, destination, nodes);
        for (int i = 1; i < count - 1; i++) {
            if (nodes[i] == relay) {
                window.onBusy(clock.nowNs());
                return;
            }
        }
        refuse();
    }

    // Null in a hyper-crossbar, and for the default route.
    private PathWindow window(final long destination, final long route) {
        return otherPaths == null || !OtherPaths.isOther(route)
                ? null
                : otherPaths.window(destination, Route.start(route));
    }

    /** True if nothing bad is known of any hop of a route. */
    public boolean isSound(final long destination, final long route) {
        if (book.count() == 0) {
            return true;
        }
        final int count = codec.trace(route, hereVector, destination, nodes);
        boolean isSound = count > 0;
        for (int i = 1; i < count && isSound; i++) {
            isSound = !book.has(shape.node(nodes[i - 1]), shape.node(nodes[i]));
        }
        return isSound;
    }

    /** An answer about a route is not an answer to anything sent. */
    public void refuse() {
        counters.increment(CounterType.FLOW_REFUSED_ANSWERS_FRAMES);
    }

    /**
     * A frame was given up for lost.
     *
     * @return true if nothing seems to arrive by that route any more, and others are used from now.
     */
    public boolean onLost(final long destination, final long route) {
        if (!isOtherNode(destination)) {
            return false;
        }
        final long nowNs = clock.nowNs();
        final PathWindow window = window(destination, route);
        if (window != null) {
            window.onLost(nowNs);
        }
        final Destination entry = obtain(destination, nowNs);
        entry.onTrouble(nowNs);
        if (!entry.onLost(Route.start(route), nowNs, config.silenceNs())) {
            return false;
        }
        final int count = codec.trace(route, hereVector, destination, nodes);
        for (int i = 1; i < count; i++) {
            book.onSilent(shape.node(nodes[i - 1]), shape.node(nodes[i]), nowNs);
        }
        counters.increment(CounterType.FLOW_SILENT_ROUTES_EVENTS);
        entry.checkSoon(nowNs);
        return true;
    }

    /** A frame that was sent once, at {@code sentNs}, has arrived. */
    public void onArrived(final long destination, final long route, final long sentNs) {
        final PathWindow window = window(destination, route);
        if (window != null) {
            final long nowNs = clock.nowNs();
            window.onArrived(nowNs - sentNs, nowNs);
        }
        final Destination entry = find(destination);
        if (entry == null) {
            return;
        }
        entry.onArrived(Route.start(route));
        if (book.count() == 0 || entry.isSound(route, book.version())) {
            return;
        }
        final int count = codec.trace(route, hereVector, destination, nodes);
        boolean isReturned = false;
        boolean isSound = count > 0;
        for (int i = 1; i < count; i++) {
            final int from = shape.node(nodes[i - 1]);
            final int to = shape.node(nodes[i]);
            isReturned |= book.onCrossed(from, to, sentNs);
            isSound &= !book.has(from, to);
        }
        if (isReturned) {
            counters.increment(CounterType.FLOW_ROUTES_RETURNED_EVENTS);
        }
        entry.onSound(isSound ? route : Route.NONE, book.version());
    }

    /**
     * A frame that was sent again, last by that route, has arrived, by this route or an earlier
     * one: the route is not silent, but that proves none of its hops.
     */
    public void onCopyArrived(final long destination, final long route) {
        final PathWindow window = window(destination, route);
        if (window != null) {
            window.onGone(clock.nowNs());
        }
        final Destination entry = find(destination);
        if (entry != null) {
            entry.onArrived(Route.start(route));
        }
    }

    /**
     * A peer has sent again what was answered already: the answers get lost, so for a second they
     * take the route of the peer's frame back.
     *
     * @param route as that frame carried it.
     */
    public void onAskedAgain(final long source, final long route) {
        if (!isOtherNode(source)) {
            return;
        }
        final long back = codec.reverse(route, source, hereVector, hereVector, nodes);
        if (back != Route.NONE) {
            final long nowNs = clock.nowNs();
            obtain(source, nowNs).onAskedAgain(back, nowNs);
        }
    }

    /** True if a route uses the hop that {@code badRoute} takes from {@code relay}. */
    public boolean sharesHop(
            final long route, final long badRoute, final long relay, final long destination) {
        if (route == badRoute) {
            return true;
        }
        final int count = codec.trace(badRoute, hereVector, destination, nodes);
        long next = relay;
        for (int i = 0; i < count - 1; i++) {
            next = nodes[i] == relay ? nodes[i + 1] : next;
        }
        final int other = codec.trace(route, hereVector, destination, nodes);
        for (int i = 0; i < other - 1; i++) {
            if (nodes[i] == relay && nodes[i + 1] == next) {
                return true;
            }
        }
        return false;
    }

    private boolean isOtherNode(final long coordinates) {
        return coordinates != hereVector && shape.node(coordinates) >= 0;
    }

    private boolean isFirstHopReached(final long route, final long destination) {
        final int hop = codec.firstHop(route, hereVector, destination);
        return hop >= 0 && neighbours.isReached(hop >> 8, hop & 0xFF);
    }

    private long tryOut(final Destination entry, final long nowNs) {
        final long route = entry.takeCandidate();
        counters.increment(CounterType.FLOW_ROUTE_PROBES_FRAMES);
        final int count = codec.trace(route, hereVector, entry.coordinates(), nodes);
        for (int i = 1; i < count; i++) {
            book.onTried(shape.node(nodes[i - 1]), shape.node(nodes[i]), nowNs);
        }
        return route;
    }

    private boolean isCalmAfterCheck(final Destination entry, final long nowNs) {
        check(entry, nowNs);
        final boolean isCalm = entry.isCalm(nowNs);
        if (isCalm) {
            destinations.remove(entry.node());
            hasTrouble = !destinations.isEmpty();
        }
        return isCalm;
    }

    /** Looks at all routes of a destination again. */
    private void check(final Destination entry, final long nowNs) {
        book.forget(nowNs, FORGET_NS);
        final long usable = soundOrders(entry, strictCosts);
        long alternative = Route.NONE;
        long candidate = Route.NONE;
        if (usable != allOrders) {
            final long worthTrying = soundOrders(entry, trialCosts) & ~usable;
            if (worthTrying != 0) {
                candidate = orders[Long.numberOfTrailingZeros(worthTrying)];
            }
        }
        if (usable == 0) {
            final int shift = entry.nextSearch();
            final int count = search(entry, shift, strictCosts);
            alternative = count < 0 ? Route.NONE : codec.encode(nodes, count);
            if (candidate == Route.NONE) {
                final int trial = search(entry, shift, trialCosts);
                if (trial > 0 && (alternative == Route.NONE || trial < count)) {
                    candidate = codec.encode(nodes, trial);
                }
            }
        }
        final long nextCheckNs = nowNs + CHECK_NS * (1 + destinations.size() / 8);
        if (entry.onChecked(book.version(), nextCheckNs, usable, alternative, candidate)) {
            counters.increment(CounterType.FLOW_CUT_OFF_EVENTS);
            counters.events().record(RecordedEvent.CUT_OFF, nowNs, entry.node());
        }
        noteDetour(entry, alternative, nowNs);
    }

    private void noteDetour(final Destination entry, final long alternative, final long nowNs) {
        final boolean isDetoured = alternative != Route.NONE && !isConfigured(entry, alternative);
        if (isDetoured && !entry.isDetoured()) {
            counters.events().record(RecordedEvent.DETOUR_USED, nowNs, entry.node());
        } else if (entry.isDetoured() && entry.hasOrder()) {
            counters.events().record(RecordedEvent.ROUTE_RETURNED, nowNs, entry.node());
        }
        entry.detoured(isDetoured || (entry.isDetoured() && !entry.hasOrder()));
    }

    // The only way to a neighbour is used even if it has failed.
    private boolean isConfigured(final Destination entry, final long alternative) {
        for (final long order : orders) {
            final int count = codec.trace(order, hereVector, entry.coordinates(), nodes);
            if (count > 0 && codec.encode(nodes, count) == alternative) {
                return true;
            }
        }
        return false;
    }

    private int search(final Destination entry, final int shift, final PathSearch.HopCosts costs) {
        return search.find(hereVector, entry.coordinates(), shift, costs, nodes);
    }

    private long soundOrders(final Destination entry, final PathSearch.HopCosts costs) {
        long sound = 0;
        for (int i = 0; i < orders.length; i++) {
            final int count = codec.trace(orders[i], hereVector, entry.coordinates(), nodes);
            boolean isSound = count > 0;
            for (int hop = 1; hop < count && isSound; hop++) {
                final long from = nodes[hop - 1];
                final int dimension = Long.numberOfTrailingZeros(from ^ nodes[hop]) >> 3;
                isSound = costs.cost(from, nodes[hop], dimension) == HopFailureTable.COST;
            }
            sound |= isSound ? 1L << i : 0;
        }
        return sound;
    }

    private int cost(final long from, final long to, final int dimension, final boolean isTrial) {
        final boolean isOpen =
                from == hereVector
                        ? neighbours.isReached(dimension, Shape.coordinate(to, dimension))
                        : map == null || map.isLinked(shape.node(from), shape.node(to));
        if (!isOpen) {
            return PathSearch.HopCosts.CLOSED;
        }
        return book.cost(
                from == hereVector ? here : shape.node(from),
                shape.node(to),
                isTrial,
                clock.nowNs());
    }

    private Destination find(final long destination) {
        return hasTrouble ? destinations.get(shape.node(destination)) : null;
    }

    private Destination obtain(final long destination, final long nowNs) {
        final int node = shape.node(destination);
        assert node >= 0 && node != here : "trouble is on the way to other nodes";
        Destination entry = destinations.get(node);
        if (entry == null) {
            if (destinations.size() == MAX_DESTINATIONS) {
                evict();
            }
            entry = new Destination(node, destination, allOrders, book.version(), nowNs);
            destinations.put(node, entry);
            hasTrouble = true;
        }
        return entry;
    }

    private void evict() {
        Destination oldest = null;
        for (final Destination entry : destinations.values()) {
            if (oldest == null || entry.troubleNs() - oldest.troubleNs() < 0) {
                oldest = entry;
            }
        }
        destinations.remove(oldest.node());
    }
}
