package io.hxb.gossip;

import io.hxb.frame.SummaryFlyweight;
import io.hxb.time.TokenBucket;
import io.hxb.time.TokenBuckets;
import io.hxb.topology.Shape;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What this node knows of all nodes, and what it tells its neighbours of them. Loops hand it the
 * SUMMARY frames that passed every check; the node's first loop sends what is due. Locked, because
 * it runs a few times a second, never for a data frame.
 *
 * <p>A node numbers its summaries; the newest one counts. News of a state goes first, then news of
 * rates, then that a node lives, which is short. News that came in one dimension is not passed on
 * in it: all nodes of a line are neighbours, so whoever sent it tells them. In clusters of more
 * than {@value #FLOODED_NODES} nodes it is only passed on in later dimensions, so that it comes to
 * each node once; every fourth summary is passed on in all others, around nodes that are gone.
 *
 * <p>Source: S. Deering et al., The Trickle Algorithm, RFC 6206, for telling only what is news; A.
 * Das et al., SWIM, 2002, 4.2, for a node that outdoes what others believe of it.
 */
public final class Gossip {
    /** Nodes of the largest cluster that is told. */
    public static final int MAX_NODES = 4_096;

    /** Links of a node that are told. */
    public static final int MAX_LINKS = 40;

    /** Frames that this node sends at once, to all neighbours together. */
    static final int SENT_BURST_FRAMES = 20;

    /** Time after which it sends another one. */
    static final long SENT_FRAME_NS = 100_000_000L;

    /** Frames that one neighbour may send at once. */
    static final int BURST_FRAMES = 64;

    /** Time after which it may send one more. */
    static final long FRAME_NS = 40_000_000L;

    private static final long MIN_INTERVAL_NS = 1_000_000_000L;
    private static final long INTERVAL_NS_PER_NODE = 8_000_000L;
    private static final int SILENT_SUMMARIES = 10;
    private static final long CALM_NS = 1_000_000_000L;
    private static final int FLOODED_NODES = 64;
    private static final int SUMMARIES_PER_FLOOD = 4;
    private static final int NODES_PER_WHOLE = 16;
    private static final int MIN_PER_WHOLE = 8;
    private static final int MAX_PER_WHOLE = 32;

    private final int here;
    private final int maxLinks;
    private final boolean isOneLine;
    private final int[] neighbours;
    private final int[] dimensions;
    private final int[] indexes;
    private final SummaryTable table;
    private final int longest;
    private final UpdateOrder states;
    private final UpdateOrder contents;
    private final UpdateOrder lives;
    // By neighbour: the stamps up to which it was told, [order].
    private final long[][] told;
    private final long[][] filled;
    private final boolean[] isDisputed;
    private final long[] urgentNs;
    private final long[] calmNs;
    private final long[] heardNs;
    private final boolean[] isHeard;
    private final int[] marks;
    private final TokenBuckets limits;
    private final TokenBucket pace = new TokenBucket(SENT_BURST_FRAMES, SENT_FRAME_NS);
    private final SummaryFlyweight record = new SummaryFlyweight();
    private int turn;
    private int mark;
    private int generation;
    private int sequence;
    private long tellNs;
    private boolean isTelling;
    // The last state went by one way to each node only.
    private boolean isOwed;
    private boolean isStopped;
    private long refused;
    private final AtomicInteger version = new AtomicInteger();

    /**
     * Makes that of a node which knows nothing yet.
     *
     * @param shape of a cluster with at most {@link #MAX_NODES} nodes.
     * @param here id of this node.
     * @param links that a node has.
     * @param generation larger than at earlier starts, usually; the time serves.
     */
    public Gossip(final Shape shape, final int here, final int links, final int generation) {
        this.here = here;
        this.generation = generation;
        maxLinks = Math.min(links, MAX_LINKS);
        final int nodes = shape.nodeCount();
        table = new SummaryTable(nodes, SummaryFlyweight.maxBytes(maxLinks) + 7 & -8);
        longest = table.slotBytes();
        neighbours = neighbours(shape, here);
        dimensions = Arrays.stream(neighbours).map(node -> dimension(shape, here, node)).toArray();
        isOneLine = Arrays.stream(dimensions).distinct().count() <= 1;
        indexes = new int[nodes];
        Arrays.fill(indexes, -1);
        for (int i = 0; i < neighbours.length; i++) {
            indexes[neighbours[i]] = i;
        }
        states = new UpdateOrder(nodes);
        contents = new UpdateOrder(nodes);
        lives = new UpdateOrder(nodes);
        told = new long[neighbours.length][3];
        filled = new long[neighbours.length][3];
        isDisputed = new boolean[neighbours.length];
        urgentNs = new long[neighbours.length];
        calmNs = new long[neighbours.length];
        heardNs = new long[neighbours.length];
        isHeard = new boolean[neighbours.length];
        marks = new int[nodes];
        limits = new TokenBuckets(Math.max(1, neighbours.length), BURST_FRAMES, FRAME_NS);
    }

    private static int[] neighbours(final Shape shape, final int here) {
        final long place = shape.coordinates(here);
        final int[] found = new int[256 * Shape.MAX_DIMENSIONS];
        int count = 0;
        for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
            for (int i = 0; i < shape.extent(dimension); i++) {
                if (i != Shape.coordinate(place, dimension)) {
                    found[count] = shape.node(Shape.withCoordinate(place, dimension, i));
                    count++;
                }
            }
        }
        return Arrays.copyOf(found, count);
    }

    private static int dimension(final Shape shape, final int here, final int neighbour) {
        final long differing = shape.coordinates(here) ^ shape.coordinates(neighbour);
        return Long.numberOfTrailingZeros(differing) / Byte.SIZE;
    }

    /** Time between two summaries of a node: a second, or 8 ms for each node of the cluster. */
    public long intervalNs() {
        return Math.max(MIN_INTERVAL_NS, table.nodes() * INTERVAL_NS_PER_NODE);
    }

    // Whole records are repeated, because frames are lost; so that this takes a part of the frames.
    private int summariesPerWhole() {
        return Math.clamp(table.nodes() / NODES_PER_WHOLE, MIN_PER_WHOLE, MAX_PER_WHOLE);
    }

    /** Time after which a node that nobody has heard of counts as unheard. */
    public static long silenceNs(final long intervalNs) {
        return SILENT_SUMMARIES * intervalNs;
    }

    /** Id of this node. */
    public int here() {
        return here;
    }

    /** Nodes of the cluster. */
    public int nodes() {
        return table.nodes();
    }

    /** Links of a node that are told. */
    public int maxLinks() {
        return maxLinks;
    }

    /** Number of neighbours, heard or not. */
    public int neighbours() {
        return neighbours.length;
    }

    /** Id of a neighbour, by its index from 0. */
    public int neighbour(final int index) {
        return neighbours[index];
    }

    /** Dimension in which a neighbour differs from this node. */
    public int dimension(final int index) {
        return dimensions[index];
    }

    /** Grows with everything that becomes known; any thread. */
    public int version() {
        return version.get();
    }

    /** Records that were not taken, and frames beyond the limit. */
    public synchronized long refused() {
        return refused;
    }

    /** Room for what {@link #copy} writes. */
    int copyBytes() {
        return table.nodes() * table.slotBytes();
    }

    /** Bytes of a node in that. */
    int slotBytes() {
        return table.slotBytes();
    }

    /** Copies what is known of all nodes, with its age at {@code nowNs}. */
    synchronized void copy(final MemorySegment to, final long nowNs) {
        table.copy(to, nowNs);
    }

    /**
     * A frame arrived that passed every check.
     *
     * @param source node that sent it.
     * @param body address of its records, which are valid.
     */
    public synchronized void onFrame(
            final int source, final long body, final int lengthBytes, final long nowNs) {
        final int from = source < 0 || source >= indexes.length ? -1 : indexes[source];
        if (from < 0 || !limits.take(from, nowNs)) {
            refused++;
            return;
        }
        // It may have forgotten, or not have heard, what it was told before.
        if (!isHeard[from] || nowNs - heardNs[from] > silenceNs(intervalNs())) {
            Arrays.fill(told[from], 0);
        }
        isHeard[from] = true;
        heardNs[from] = nowNs;
        for (int offset = 0; offset < lengthBytes; offset += record.wrap(body + offset).length()) {
            onRecord(from, body + offset, nowNs);
        }
    }

    private void onRecord(final int from, final long address, final long nowNs) {
        record.wrap(address);
        final int node = record.node();
        if (node < 0 || node >= table.nodes() || record.links() > maxLinks) {
            refused++;
        } else if (node == here) {
            onOwn();
        } else if (!table.isKnown(node)) {
            take(from, address, true, nowNs);
        } else {
            compare(from, address, table.record(node), nowNs);
        }
    }

    // Numbers may pass 2^32.
    private void compare(
            final int from, final long address, final SummaryFlyweight known, final long nowNs) {
        final int node = record.node();
        final int byGeneration = record.generation() - known.generation();
        final int bySequence = record.sequence() - known.sequence();
        final int byTold = record.links() == 0 ? 0 : record.toldSequence() - known.toldSequence();
        if (byGeneration > 0) {
            take(from, address, true, nowNs);
        } else if (byGeneration == 0 && byTold > 0) {
            take(from, address, false, nowNs);
        } else if (byGeneration == 0 && bySequence > 0) {
            table.renew(node, record.sequence(), record.ageMs(), nowNs);
            lives.add(node, dimensions[from]);
            version.incrementAndGet();
        } else if (node == neighbours[from] && (byGeneration < 0 || bySequence < 0)) {
            // It has started again with smaller numbers than before: it has to know.
            isDisputed[from] = true;
        }
    }

    private void take(final int from, final long address, final boolean isOther, final long nowNs) {
        final int node = record.node();
        if (record.links() == 0) {
            // What it told of itself is not known here; it comes.
            return;
        }
        if (isOther && node == neighbours[from]) {
            Arrays.fill(told[from], 0);
        }
        final boolean isNews = isOther || !record.hasSameState(table.record(node));
        final boolean isLate = !isOther && record.sequence() - table.record(node).sequence() <= 0;
        if (isLate) {
            // That it lives was heard from others before.
            final int sequence = table.record(node).sequence();
            final int ageMs = table.ageMs(node, nowNs);
            table.put(node, address, record.length(), ageMs, nowNs);
            table.renew(node, sequence, ageMs, nowNs);
        } else {
            table.put(node, address, record.length(), record.ageMs(), nowNs);
        }
        add(node, dimensions[from], isNews);
    }

    private void add(final int node, final int dimension, final boolean isNews) {
        (isNews ? states : contents).add(node, dimension);
        lives.add(node, dimension);
        version.incrementAndGet();
    }

    // Others have a newer summary of this node than it made: of an earlier start, or forged.
    private void onOwn() {
        final int byGeneration = record.generation() - generation;
        if (byGeneration > 0 || (byGeneration == 0 && record.sequence() - sequence > 0)) {
            generation = record.generation() + 1;
            sequence = 0;
            isTelling = false;
        }
    }

    /**
     * This node looks at itself; tells of it if the state has changed, or the time has come.
     *
     * @param address of a record with all but its origin.
     */
    public synchronized void tell(final long address, final long nowNs) {
        record.wrap(address);
        final boolean isNews = !isTelling || !record.hasSameState(table.record(here));
        if (!isNews && nowNs - tellNs < 0) {
            return;
        }
        sequence++;
        isOwed |= isNews;
        final boolean isOwedNow = isOwed && isFlooded(sequence);
        isOwed &= !isOwedNow;
        final boolean isAll =
                isNews
                        || isOwedNow
                        || sequence % summariesPerWhole() == 0
                        || record.hasOtherRates(table.record(here));
        isTelling = true;
        tellNs = nowNs + intervalNs();
        if (isAll) {
            record.origin(here, generation, sequence, 0).toldSequence(sequence);
            table.put(here, address, record.length(), 0, nowNs);
            add(here, -1, isNews);
        } else {
            table.renew(here, sequence, 0, nowNs);
            lives.add(here, -1);
            version.incrementAndGet();
        }
    }

    /**
     * This node stops: from now on {@link #fill} writes only that, for each neighbour once.
     *
     * @param address of a record with all but its origin.
     */
    public synchronized void stop(final long address, final long nowNs) {
        // No later summary makes up for the ways that this one does not take.
        sequence = (sequence | (SUMMARIES_PER_FLOOD - 1)) + 1;
        record.wrap(address).stopped().origin(here, generation, sequence, 0).toldSequence(sequence);
        table.put(here, address, record.length(), 0, nowNs);
        add(here, -1, true);
        isStopped = true;
    }

    /** Index of a neighbour to which something is to be sent now; -1 if there is none. */
    public synchronized int nextDue(final long nowNs) {
        if (!pace.has(nowNs, 1)) {
            return -1;
        }
        final int urgent = nextDue(true, nowNs);
        return urgent < 0 ? nextDue(false, nowNs) : urgent;
    }

    private int nextDue(final boolean isUrgent, final long nowNs) {
        for (int i = 0; i < neighbours.length; i++) {
            turn = (turn + 1) % neighbours.length;
            if (isUrgent ? isUrgent(turn, nowNs) : isDue(turn, nowNs)) {
                return turn;
            }
        }
        return -1;
    }

    private boolean isUrgent(final int neighbour, final long nowNs) {
        return hasUrgent(neighbour) && nowNs - urgentNs[neighbour] >= 0;
    }

    private boolean hasUrgent(final int neighbour) {
        return isDisputed[neighbour] || states.last() > told[neighbour][0];
    }

    private boolean isDue(final int neighbour, final long nowNs) {
        final long[] stamps = told[neighbour];
        return nowNs - calmNs[neighbour] >= 0
                && (hasUrgent(neighbour)
                        || contents.last() > stamps[1]
                        || lives.last() > stamps[2]);
    }

    /**
     * Writes the records of the next frame to a neighbour.
     *
     * @param neighbour its index.
     * @param to where they go, {@code maxBytes} bytes.
     * @return their bytes; 0 if there is nothing.
     */
    public synchronized int fill(
            final int neighbour, final long to, final int maxBytes, final long nowNs) {
        if (isStopped) {
            final boolean hasRoom = table.record(here).length() <= maxBytes;
            return hasRoom ? table.write(here, true, to, nowNs) : 0;
        }
        mark++;
        int bytes = 0;
        final int node = neighbours[neighbour];
        if (isDisputed[neighbour] && table.isKnown(node)) {
            bytes = table.write(node, false, to, nowNs);
        }
        System.arraycopy(told[neighbour], 0, filled[neighbour], 0, filled[neighbour].length);
        bytes = fill(states, 0, neighbour, to, bytes, maxBytes, nowNs);
        // Some room is left to tell who lives.
        final int otherBytes = Math.max(maxBytes / 2, Math.min(maxBytes, longest));
        bytes = fill(contents, 1, neighbour, to, bytes, otherBytes, nowNs);
        bytes = fill(lives, 2, neighbour, to, bytes, maxBytes, nowNs);
        if (bytes == 0) {
            System.arraycopy(filled[neighbour], 0, told[neighbour], 0, filled[neighbour].length);
        }
        return bytes;
    }

    private int fill(
            final UpdateOrder order,
            final int number,
            final int neighbour,
            final long to,
            final int from,
            final int maxBytes,
            final long nowNs) {
        int bytes = from;
        final boolean isAll = order != lives;
        for (int node = order.firstAfter(filled[neighbour][number]);
                node >= 0;
                node = order.after(node)) {
            if (isToldBy(order, node, neighbour)) {
                final int needed =
                        isAll ? table.record(node).length() : SummaryFlyweight.ALIVE_BYTES;
                if (bytes + needed > maxBytes && bytes > 0) {
                    break;
                }
                // One that is longer than a whole frame can never be told.
                if (needed <= maxBytes) {
                    bytes += table.write(node, isAll, to + bytes, nowNs);
                    marks[node] = mark;
                }
            }
            filled[neighbour][number] = order.stamp(node);
        }
        return bytes;
    }

    // Whether this node tells it that neighbour, and has not done so in this frame.
    private boolean isToldBy(final UpdateOrder order, final int node, final int neighbour) {
        return marks[node] != mark
                && node != neighbours[neighbour]
                && isPassedOn(order, node, dimensions[neighbour]);
    }

    private boolean isPassedOn(final UpdateOrder order, final int node, final int to) {
        final int from = order.from(node);
        if (from < 0 || isOneLine) {
            return true;
        }
        final SummaryFlyweight news = table.record(node);
        return isFlooded(order == lives ? news.sequence() : news.toldSequence())
                ? from != to
                : from < to;
    }

    // In larger clusters only some summaries take all ways.
    private boolean isFlooded(final int number) {
        return table.nodes() <= FLOODED_NODES || number % SUMMARIES_PER_FLOOD == 0;
    }

    /** The frame that was filled last for a neighbour is on its way. */
    public synchronized void onSent(final int neighbour, final long nowNs) {
        System.arraycopy(filled[neighbour], 0, told[neighbour], 0, told[neighbour].length);
        isDisputed[neighbour] = false;
        pace.take(nowNs);
        urgentNs[neighbour] = nowNs;
        calmNs[neighbour] = nowNs + CALM_NS;
    }

    /** Nothing leads to a neighbour now. */
    public synchronized void onNotSent(final int neighbour, final long nowNs) {
        urgentNs[neighbour] = nowNs + CALM_NS;
        calmNs[neighbour] = nowNs + CALM_NS;
    }
}
