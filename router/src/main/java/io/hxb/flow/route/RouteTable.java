package io.hxb.flow.route;

import io.hxb.config.RouteConfig;
import io.hxb.routing.PathSearch;
import io.hxb.routing.Route;
import io.hxb.routing.RouteCodec;
import io.hxb.topology.Shape;

import org.agrona.collections.Int2ObjectHashMap;

/**
 * Chooses the routes of frames to destinations with trouble, and learns from what becomes of them.
 * Owned by one loop. Memory is bounded: 128 destinations and 256 hops.
 *
 * <p>Without trouble a sender only asks {@link #hasTrouble}. A destination comes in with the first
 * frame that is lost, finds no link or is answered by a relay, and goes out after a second in which
 * all its orders worked. Meanwhile its frames take the configured orders that avoid every hop known
 * to be bad; if there is none, the cheapest other way, which may be another order or a detour.
 */
public final class RouteTable {
    /** Knows no trouble and learns nothing: for outputs that do not route. */
    public static final RouteTable NONE = new RouteTable();

    private static final int MAX_DESTINATIONS = 128;
    private static final int MAX_ORDERS = 64;
    private static final int MAX_HOPS = 24;
    private static final long CHECK_NS = 10_000_000;
    private static final long CALM_NS = 1_000_000_000;
    private static final long ANSWER_NS = 1_000_000_000;
    private static final long FORGET_NS = 2_000_000_000L;

    private final RouteConfig config;
    private final Shape shape;
    private final RouteCodec codec;
    private final int here;
    private final long hereVector;
    private final long[] orders;
    private final Neighbours neighbours;
    private final PathSearch search;
    private final HopBook book;
    private final RouteCounters counters = new RouteCounters();
    private final Int2ObjectHashMap<Destination> destinations = new Int2ObjectHashMap<>();
    private final long[] nodes;
    private final PathSearch.HopCosts strictCosts = (from, to, d) -> cost(from, to, d, false);
    private final PathSearch.HopCosts trialCosts = (from, to, d) -> cost(from, to, d, true);
    private boolean hasTrouble;
    private long nowNs;

    /** Tells which neighbours this node's own links reach. */
    @FunctionalInterface
    public interface Neighbours {
        /** True if a link of {@code dimension} reaches the neighbour at {@code coordinate}. */
        boolean isReached(int dimension, int coordinate);
    }

    /**
     * Makes the table of one loop.
     *
     * @param config times.
     * @param shape shape of the hyper-crossbar.
     * @param here coordinate vector of this node.
     * @param hopLimit links a frame may cross.
     * @param orders configured dimension orders, 1 to 64.
     * @param neighbours asked in the loop.
     */
    public RouteTable(
            final RouteConfig config,
            final Shape shape,
            final long here,
            final int hopLimit,
            final int[] orders,
            final Neighbours neighbours) {
        this.config = config;
        this.shape = shape;
        this.neighbours = neighbours;
        this.here = shape.node(here);
        hereVector = here;
        codec = new RouteCodec(shape);
        search = new PathSearch(shape);
        book = new HopBook(config.retryNs());
        nodes = new long[Math.min(MAX_HOPS, hopLimit) + 1];
        this.orders = new long[Math.min(MAX_ORDERS, orders.length)];
        for (int i = 0; i < this.orders.length; i++) {
            this.orders[i] = Route.ofOrder(orders[i]);
        }
    }

    private RouteTable() {
        config = RouteConfig.DEFAULT;
        shape = null;
        codec = null;
        search = null;
        book = null;
        neighbours = null;
        here = 0;
        hereVector = 0;
        orders = new long[0];
        nodes = new long[0];
    }

    /** Sets the time of everything until the next call. */
    public void now(final long timeNs) {
        nowNs = timeNs;
    }

    /** The times by which it judges. */
    public RouteConfig config() {
        return config;
    }

    /** What it has counted. */
    public RouteCounters counters() {
        return counters;
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
        if (entry == null || (isDue(entry) && isCalmAfterCheck(entry))) {
            return preferred;
        }
        if (!isData && entry.answer != Route.NONE && isAnswerGood(entry)) {
            return entry.answer;
        }
        final boolean isWithout = entry.usable == 0 && entry.alternative == Route.NONE;
        if (entry.candidate != Route.NONE && (isData || isWithout)) {
            return tryOut(entry);
        }
        if (entry.usable != 0) {
            return nextOrder(entry);
        }
        counters.detouredFrames += isWithout ? 0 : 1;
        return entry.alternative;
    }

    /**
     * The first hop of a route of ours turned out to have no link.
     *
     * @return the route to use instead, or {@link Route#NONE}.
     */
    public long onNoLink(final long destination, final boolean isData) {
        if (shape == null || shape.node(destination) < 0) {
            return Route.NONE;
        }
        final Destination entry = obtain(destination);
        entry.troubleNs = nowNs;
        check(entry);
        return choose(destination, Route.NONE, isData);
    }

    /**
     * A relay says that a frame of ours cannot go on.
     *
     * @param route the route that the frame had.
     * @param relay coordinate vector of the node that says so.
     * @return false if that node does not lie on the route: nothing was learned then.
     */
    public boolean onUnreachable(final long destination, final long route, final long relay) {
        final boolean isRight = shape != null && RouteCodec.isRight(route, shape);
        final int count = isRight ? codec.trace(route, hereVector, destination, nodes) : -1;
        for (int i = 1; i < count - 1; i++) {
            if (nodes[i] == relay) {
                counters.brokenHops++;
                book.onBroken(shape.node(relay), shape.node(nodes[i + 1]), nowNs);
                final Destination entry = obtain(destination);
                entry.troubleNs = nowNs;
                entry.checkNs = nowNs;
                return true;
            }
        }
        refuse();
        return false;
    }

    /** An answer about a route is no answer to anything sent. */
    public void refuse() {
        counters.refusedAnswers++;
    }

    /**
     * A frame was given up for lost.
     *
     * @return true if nothing seems to arrive by that route any more, and others are used from now.
     */
    public boolean onLost(final long destination, final long route) {
        if (shape == null || destination == hereVector) {
            return false;
        }
        final Destination entry = obtain(destination);
        entry.troubleNs = nowNs;
        if (!entry.onLost(Route.start(route), nowNs, config.silenceNs())) {
            return false;
        }
        final int count = codec.trace(route, hereVector, destination, nodes);
        for (int i = 1; i < count; i++) {
            book.onSilent(shape.node(nodes[i - 1]), shape.node(nodes[i]), nowNs);
        }
        counters.silentRoutes++;
        entry.checkNs = nowNs;
        return true;
    }

    /** A frame that was sent once, at {@code sentNs}, has arrived. */
    public void onArrived(final long destination, final long route, final long sentNs) {
        final Destination entry = find(destination);
        if (entry == null) {
            return;
        }
        entry.onArrived(Route.start(route));
        if (book.count() == 0 || (route == entry.sound && entry.soundVersion == book.version())) {
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
        counters.returned += isReturned ? 1 : 0;
        entry.sound = isSound ? route : Route.NONE;
        entry.soundVersion = book.version();
    }

    /**
     * A frame that was sent again, last by that route, has arrived, by this or an earlier one: the
     * route is not silent, but that proves none of its hops.
     */
    public void onCopyArrived(final long destination, final long route) {
        final Destination entry = find(destination);
        if (entry != null) {
            entry.onArrived(Route.start(route));
        }
    }

    /**
     * A peer has sent again what was answered already: the answers get lost, so for a second they
     * go back by the way the peer's frame came.
     *
     * @param route as that frame carried it.
     */
    public void onAskedAgain(final long source, final long route) {
        if (shape == null || source == hereVector) {
            return;
        }
        final long back = codec.reverse(route, source, hereVector, hereVector, nodes);
        if (back != Route.NONE) {
            final Destination entry = obtain(source);
            entry.troubleNs = nowNs;
            entry.answer = back;
            entry.answerUntilNs = nowNs + ANSWER_NS;
        }
    }

    /** True if a route passes the hop that leads on from {@code relay} by {@code badRoute}. */
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

    private boolean isAnswerGood(final Destination entry) {
        if (entry.answerUntilNs - nowNs <= 0) {
            entry.answer = Route.NONE;
            return false;
        }
        final int hop = codec.nextHop(entry.answer, hereVector, entry.coordinates);
        return hop >= 0 && neighbours.isReached(hop >> 8, hop & 0xFF);
    }

    private long tryOut(final Destination entry) {
        final long route = entry.candidate;
        entry.candidate = Route.NONE;
        counters.probes++;
        final int count = codec.trace(route, hereVector, entry.coordinates, nodes);
        for (int i = 1; i < count; i++) {
            book.onTried(shape.node(nodes[i - 1]), shape.node(nodes[i]), nowNs);
        }
        return route;
    }

    private long nextOrder(final Destination entry) {
        do {
            entry.next = entry.next + 1 >= orders.length ? 0 : entry.next + 1;
        } while ((entry.usable >>> entry.next & 1) == 0);
        return orders[entry.next];
    }

    private boolean isDue(final Destination entry) {
        return entry.version != book.version() || entry.checkNs - nowNs <= 0;
    }

    private boolean isCalmAfterCheck(final Destination entry) {
        check(entry);
        final boolean isCalm =
                entry.usable == allOrders()
                        && nowNs - entry.troubleNs >= CALM_NS
                        && (entry.answer == Route.NONE || entry.answerUntilNs - nowNs <= 0);
        if (isCalm) {
            destinations.remove(entry.node);
            hasTrouble = !destinations.isEmpty();
        }
        return isCalm;
    }

    private long allOrders() {
        return orders.length == Long.SIZE ? -1L : (1L << orders.length) - 1;
    }

    /** Looks at all routes of a destination anew. */
    private void check(final Destination entry) {
        book.forget(nowNs, FORGET_NS);
        entry.version = book.version();
        entry.checkNs = nowNs + CHECK_NS * (1 + destinations.size() / 8);
        entry.usable = soundOrders(entry, false);
        entry.candidate = Route.NONE;
        if (entry.usable == allOrders()) {
            entry.isCutOff = false;
            return;
        }
        final long worthTrying = soundOrders(entry, true) & ~entry.usable;
        if (worthTrying != 0) {
            entry.candidate = orders[Long.numberOfTrailingZeros(worthTrying)];
        }
        if (entry.usable == 0) {
            searchWays(entry);
        }
        final boolean isCutOff = entry.usable == 0 && entry.alternative == Route.NONE;
        counters.cutOff += isCutOff && !entry.isCutOff ? 1 : 0;
        entry.isCutOff = isCutOff;
    }

    private void searchWays(final Destination entry) {
        final int shift = entry.shift++ & 0xFFFF;
        final int count = search.find(hereVector, entry.coordinates, shift, strictCosts, nodes);
        entry.alternative = count < 0 ? Route.NONE : codec.encode(nodes, count);
        if (entry.candidate != Route.NONE) {
            return;
        }
        final int trial = search.find(hereVector, entry.coordinates, shift, trialCosts, nodes);
        if (trial > 0 && (entry.alternative == Route.NONE || trial < count)) {
            entry.candidate = codec.encode(nodes, trial);
        }
    }

    private long soundOrders(final Destination entry, final boolean isTrial) {
        final PathSearch.HopCosts costs = isTrial ? trialCosts : strictCosts;
        long sound = 0;
        for (int i = 0; i < orders.length; i++) {
            final int count = codec.trace(orders[i], hereVector, entry.coordinates, nodes);
            boolean isSound = count > 0;
            for (int hop = 1; hop < count && isSound; hop++) {
                final long from = nodes[hop - 1];
                final int dimension = Long.numberOfTrailingZeros(from ^ nodes[hop]) >> 3;
                isSound = costs.cost(from, nodes[hop], dimension) == HopBook.COST;
            }
            sound |= isSound ? 1L << i : 0;
        }
        return sound;
    }

    private int cost(final long from, final long to, final int dimension, final boolean isTrial) {
        if (from == hereVector
                && !neighbours.isReached(dimension, Shape.coordinate(to, dimension))) {
            return PathSearch.HopCosts.CLOSED;
        }
        return book.cost(
                from == hereVector ? here : shape.node(from), shape.node(to), isTrial, nowNs);
    }

    private Destination find(final long destination) {
        return hasTrouble ? destinations.get(shape.node(destination)) : null;
    }

    private Destination obtain(final long destination) {
        final int node = shape.node(destination);
        Destination entry = destinations.get(node);
        if (entry == null) {
            if (destinations.size() == MAX_DESTINATIONS) {
                evict();
            }
            entry = new Destination(node, destination);
            entry.checkNs = nowNs;
            entry.troubleNs = nowNs;
            entry.usable = allOrders();
            entry.version = book.version();
            destinations.put(node, entry);
            hasTrouble = true;
        }
        return entry;
    }

    private void evict() {
        Destination oldest = null;
        for (final Destination entry : destinations.values()) {
            if (oldest == null || entry.troubleNs - oldest.troubleNs < 0) {
                oldest = entry;
            }
        }
        destinations.remove(oldest.node);
    }
}
