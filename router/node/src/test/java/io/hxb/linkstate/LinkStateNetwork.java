package io.hxb.linkstate;

import io.hxb.frame.LinkStateFlyweight;
import io.hxb.time.Deadline;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/** The link states of all nodes of a cluster in one thread and virtual time, frames as bytes. */
final class LinkStateNetwork {
    static final long MS = 1_000_000L;
    static final int MTU_BYTES = 1_486;
    private static final int BODY_BYTES = 1_336;

    /** What happens at a time: a frame arrives, an end looks at its cables, a node is woken. */
    private record Event(long atNs, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(final Event other) {
            final int order = Long.compare(atNs, other.atNs);
            return order == 0 ? Long.compare(number, other.number) : order;
        }
    }

    /** All cables between two nodes. */
    static final class Cable {
        final int one;
        final int other;
        int links = 1;
        int capacity = 1_000;
        // Whether frames pass from the first to the second node, and back.
        boolean isThere = true;
        boolean isBack = true;

        Cable(final int one, final int other) {
            this.one = one;
            this.other = other;
        }

        boolean passes(final int from) {
            return from == one ? isThere : isBack;
        }

        boolean isTwoWay() {
            return isThere && isBack;
        }
    }

    final int nodes;
    final Random random;
    final LinkStates[] states;
    final List<Cable> cables = new ArrayList<>();
    final List<String> claims = new ArrayList<>();
    double loss;
    long jitterNs;
    long noticeNs;
    long nowNs = 1;
    long frames;
    long bytes;
    long entries;
    // Frames towards nodes that do not hear the sender.
    long unheardFrames;
    long lastFrameNs;
    long lost;
    private final Cable[][] between;
    private final int[] incarnations;
    private final long[] identities;
    private final long[] wakeNs;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final MemorySegment memory = Arena.ofAuto().allocate(4_096, 8);
    private final LinkStateFlyweight entry = new LinkStateFlyweight();
    private long number;

    LinkStateNetwork(final int nodes, final long seed) {
        this.nodes = nodes;
        random = new Random(seed);
        states = new LinkStates[nodes];
        between = new Cable[nodes][nodes];
        incarnations = new int[nodes];
        identities = new long[nodes];
        wakeNs = new long[nodes];
        Arrays.setAll(identities, i -> random.nextLong());
    }

    Cable join(final int one, final int other) {
        final Cable cable = new Cable(one, other);
        cables.add(cable);
        between[one][other] = cable;
        between[other][one] = cable;
        return cable;
    }

    boolean isJoined(final int one, final int other) {
        return one == other || between[one][other] != null;
    }

    /** A tree that joins all nodes, and more cables between random ones. */
    void joinAtRandom(final int more) {
        for (int node = 1; node < nodes; node++) {
            join(node, random.nextInt(node));
        }
        for (int i = 0; i < more; i++) {
            final int one = random.nextInt(nodes);
            final int other = random.nextInt(nodes);
            if (!isJoined(one, other)) {
                join(one, other);
            }
        }
    }

    void startAll(final int generation) {
        for (int node = 0; node < nodes; node++) {
            start(node, generation);
        }
    }

    /** Starts a node, or starts it again, with that generation. */
    void start(final int node, final int generation) {
        incarnations[node] = random.nextInt();
        final LinkStates.Self self =
                new LinkStates.Self(identities[node], generation, incarnations[node], "pc-" + node);
        states[node] =
                new LinkStates(
                        node,
                        nodes,
                        self,
                        (number, kept, refused) -> claims.add(number + " " + kept));
        wakeNs[node] = Deadline.NEVER;
        look(node);
        for (final Cable cable : cables) {
            if (cable.one == node || cable.other == node) {
                notice(cable);
            }
        }
    }

    void kill(final int node) {
        states[node] = null;
        cables.stream().filter(cable -> isEnd(cable, node)).forEach(this::notice);
    }

    /** A node is another machine from now on, after its next start. */
    void replace(final int node, final long identity) {
        identities[node] = identity;
    }

    boolean isAlive(final int node) {
        return states[node] != null;
    }

    private static boolean isEnd(final Cable cable, final int node) {
        return cable.one == node || cable.other == node;
    }

    void set(final Cable cable, final boolean isThere, final boolean isBack) {
        cable.isThere = isThere;
        cable.isBack = isBack;
        notice(cable);
    }

    /** Both ends notice what a cable is like now, each at a time of its own. */
    void notice(final Cable cable) {
        at(nowNs + delay(noticeNs), () -> look(cable.one));
        at(nowNs + delay(noticeNs), () -> look(cable.other));
    }

    private long delay(final long limitNs) {
        return limitNs == 0 ? 0 : random.nextLong(limitNs);
    }

    private void at(final long atNs, final Runnable action) {
        events.add(new Event(atNs, number, action));
        number++;
    }

    // A node hears the others whose frames reach it, whether they hear it or not.
    private void look(final int node) {
        if (!isAlive(node)) {
            return;
        }
        final List<Adjacency> seen = new ArrayList<>();
        for (final Cable cable : cables) {
            if (!isEnd(cable, node)) {
                continue;
            }
            final int neighbour = cable.one == node ? cable.other : cable.one;
            if (cable.passes(neighbour) && isAlive(neighbour)) {
                seen.add(new Adjacency(neighbour, cable.links, MTU_BYTES, cable.capacity));
                states[node].neighbourUp(neighbour, nowNs);
            } else {
                states[node].neighbourDown(neighbour);
            }
        }
        states[node].own(seen, nowNs);
        serve(node);
    }

    private void serve(final int node) {
        final LinkStates own = states[node];
        for (int to = own.nextDue(nowNs); to >= 0; to = own.nextDue(nowNs)) {
            final int length = own.fill(to, memory.address(), BODY_BYTES, nowNs);
            if (length > 0) {
                send(node, to, length);
            }
        }
        final long dueNs = own.nextDueNs(nowNs);
        if (dueNs != Deadline.NEVER && (wakeNs[node] == Deadline.NEVER || dueNs < wakeNs[node])) {
            wakeNs[node] = dueNs;
            at(dueNs, () -> wake(node, dueNs));
        }
    }

    private void wake(final int node, final long atNs) {
        if (isAlive(node) && wakeNs[node] == atNs) {
            wakeNs[node] = Deadline.NEVER;
            serve(node);
        }
    }

    private void send(final int from, final int to, final int length) {
        if (!between[from][to].passes(from) || !isAlive(to)) {
            unheardFrames++;
            return;
        }
        frames++;
        bytes += length;
        lastFrameNs = nowNs;
        for (int at = 0; at < length; at += entry.length()) {
            entry.wrap(memory.address() + at);
            entries++;
        }
        if (loss > 0 && random.nextDouble() < loss) {
            lost++;
            return;
        }
        final byte[] body = memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        at(nowNs + MS + delay(jitterNs), () -> deliver(from, to, body));
    }

    /** Hands a body to a node as if it came from another one; false if it is not valid. */
    boolean deliver(final int from, final int to, final byte[] body) {
        MemorySegment.copy(MemorySegment.ofArray(body), 0, memory, 0, body.length);
        if (!LinkStateFlyweight.isValid(memory.address(), body.length)) {
            return false;
        }
        if (isAlive(to)) {
            states[to].onFrame(from, memory.address(), body.length, nowNs);
            serve(to);
        }
        return true;
    }

    /** Lets time pass. */
    void run(final long forNs) {
        final long endNs = nowNs + forNs;
        while (!events.isEmpty() && events.peek().atNs() <= endNs) {
            final Event event = events.poll();
            nowNs = event.atNs();
            event.action().run();
        }
        nowNs = endNs;
    }

    /** Lets time pass until {@code isDone} at the end of a step; ns that passed, or -1. */
    long run(final long limitNs, final long stepNs, final BooleanSupplier isDone) {
        final long startNs = nowNs;
        while (!isDone.getAsBoolean()) {
            if (nowNs - startNs >= limitNs) {
                return -1;
            }
            run(stepNs);
        }
        return nowNs - startNs;
    }

    /** The nodes that cables join to one, over nodes that live. */
    Set<Integer> component(final int node) {
        final Set<Integer> found = new TreeSet<>(List.of(node));
        final List<Integer> open = new ArrayList<>(found);
        while (!open.isEmpty()) {
            final int next = open.removeLast();
            for (final Cable cable : cables) {
                final int other = cable.one == next ? cable.other : cable.one;
                if (isEnd(cable, next) && cable.isTwoWay() && isAlive(other) && found.add(other)) {
                    open.add(other);
                }
            }
        }
        return found;
    }

    /**
     * Null if all nodes that are joined have the same map, the right one; otherwise what differs.
     */
    String difference() {
        final boolean[] isSeen = new boolean[nodes];
        for (int node = 0; node < nodes; node++) {
            if (!isAlive(node) || isSeen[node]) {
                continue;
            }
            final Set<Integer> component = component(node);
            final NodeGraph first = states[node].graph();
            final String wrong = difference(component, first);
            if (wrong != null) {
                return "map of " + node + ": " + wrong;
            }
            for (final int other : component) {
                isSeen[other] = true;
                if (!states[other].graph().equals(first)) {
                    return "maps of " + node + " and " + other;
                }
            }
        }
        return null;
    }

    private String difference(final Set<Integer> component, final NodeGraph graph) {
        for (final int node : component) {
            if (!graph.isKnown(node)
                    || graph.node(node).incarnation() != incarnations[node]
                    || graph.node(node).isStopped()) {
                return "node " + node;
            }
        }
        int edges = 0;
        for (final Cable cable : cables) {
            if (cable.isTwoWay() && component.contains(cable.one) && isAlive(cable.other)) {
                edges++;
            }
        }
        for (int i = 0; i < graph.edges(); i++) {
            final NodeGraph.Edge edge = graph.edge(i);
            final Cable cable = between[edge.one()][edge.other()];
            if (!component.contains(edge.one()) || !component.contains(edge.other())) {
                // Of nodes that are cut off: it is forgotten in time.
                continue;
            }
            if (!cable.isTwoWay()
                    || cable.links != edge.links()
                    || cable.capacity != edge.capacityMbps()) {
                return "edge " + edge;
            }
            edges--;
        }
        return edges == 0 ? null : "edges missing: " + edges;
    }

    long count(final LinkStateCount what) {
        long sum = 0;
        for (final LinkStates one : states) {
            sum += one == null ? 0 : one.count(what);
        }
        return sum;
    }
}
