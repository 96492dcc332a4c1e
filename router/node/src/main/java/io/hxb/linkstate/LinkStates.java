package io.hxb.linkstate;

import io.hxb.frame.LinkStateFlyweight;
import io.hxb.time.Deadline;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What this node knows of the cables of all nodes, and what it tells its neighbours of them. Loops
 * hand it the LINK_STATE frames that passed every check; the node's first loop sends what is due.
 * Locked, because it is called a few hundred times a second, never for a data frame; only {@link
 * #version()} and {@link #recordsVersion()} are read without the lock. Allocates nothing after it
 * was made, but in {@link #own} and {@link #graph}.
 *
 * <p>Each node makes records of itself: when what it sees has changed, the first time at once, then
 * as {@link ChangeDamping} lets it, and every 25 to 30 s. A node passes each newer record on to all
 * its neighbours but the one that sent it, and sends it again until it is acknowledged: after 10
 * ms, later after up to 200 ms. An older record is answered by the newer one. Records that are not
 * refreshed for 100 s are forgotten. {@link LinkStateFlyweight#orderAgainst} says which one counts.
 * A node that hears a newer record of itself than it made outdoes it. Of two identities with one
 * node number the smaller one has it: the other node keeps silent about itself until no record of
 * the smaller one is left.
 *
 * <p>A neighbour is sent at most 64 frames at once, and one more every 2 ms; one every 200 ms if it
 * has not answered for a second. It may send twice as many; others are dropped before they are
 * read. Memory is taken at the start: 576 bytes for each node, and 10 for each two.
 */
// An ordinal is a position in an array of this object alone.
@SuppressWarnings("EnumOrdinal")
public final class LinkStates {
    /** Most nodes. */
    public static final int MAX_NODES = LinkStateFlyweight.MAX_NODE + 1;

    /** Bytes of a body that holds any record. */
    public static final int MIN_BODY_BYTES =
            LinkStateFlyweight.MAX_BYTES + LinkStateFlyweight.ACKNOWLEDGEMENT_BYTES;

    /** Longest time between two records of a node. */
    static final long REFRESH_NS = 30_000_000_000L;

    private static final long REFRESH_SPREAD_NS = 5_000_000_000L;
    private static final long REFRESH_STEPS = 64;
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;
    private static final long CLAIM_NS = 60_000_000_000L;

    private final int here;
    private final OwnRecord own;
    private final ClaimListener listener;
    private final RecordTable table;
    private final Delivery[] deliveries;
    private final int[] up;
    private final ChangeDamping damping = new ChangeDamping();
    private final LinkStateFlyweight heard = new LinkStateFlyweight();
    private final LinkStateFlyweight entry = new LinkStateFlyweight();
    private final long[] before = new long[LinkStateFlyweight.MAX_ADJACENCIES];
    private final long[] after = new long[LinkStateFlyweight.MAX_ADJACENCIES];
    private final long[] counts = new long[LinkStateCount.values().length];
    private final long[] claimNs;
    private final boolean[] isClaimed;
    private int upCount;
    // Others have a newer record of this node than it made.
    private boolean isOutdoing;
    private int turn;
    private long publishNs = Deadline.NEVER;
    private long refreshNs = Deadline.NEVER;
    // Not later than the first record that is to be forgotten.
    private long forgetNs = Deadline.NEVER;
    // Atomic, as other threads read them without the lock.
    private final AtomicInteger version = new AtomicInteger();
    private final AtomicInteger recordsVersion = new AtomicInteger();

    /**
     * Who this node is.
     *
     * @param identity the same after each start, another one for each machine.
     * @param generation larger than at earlier starts, usually, unsigned; the time in seconds
     *     serves.
     * @param incarnation of this start.
     * @param hostName cut to {@link LinkStateFlyweight#MAX_NAME_BYTES} bytes.
     */
    public record Self(long identity, int generation, int incarnation, String hostName) {}

    /** Hears of node numbers that two machines claim. */
    @FunctionalInterface
    public interface ClaimListener {
        /**
         * Two machines claim one node number; called under the lock, for each number once a minute
         * at most.
         *
         * @param kept identity whose record counts, on all nodes.
         * @param refused identity of the other one.
         */
        void onClaimedTwice(int node, long kept, long refused);
    }

    /**
     * Makes that of a node which knows nothing yet.
     *
     * @param here number of this node.
     * @param nodes of the cluster, 1 to {@link #MAX_NODES}; nothing is heard of larger numbers.
     * @throws IllegalArgumentException if a number is out of range.
     */
    public LinkStates(
            final int here, final int nodes, final Self self, final ClaimListener listener) {
        if (nodes < 1 || nodes > MAX_NODES) {
            throw new IllegalArgumentException("nodes must be 1.." + MAX_NODES + ": " + nodes);
        }
        if (here < 0 || here >= nodes) {
            throw new IllegalArgumentException("here must be 0.." + (nodes - 1) + ": " + here);
        }
        this.here = here;
        this.listener = listener;
        own = new OwnRecord(here, self);
        table = new RecordTable(nodes);
        deliveries = new Delivery[nodes];
        Arrays.setAll(deliveries, i -> new Delivery(nodes));
        up = new int[nodes];
        claimNs = new long[nodes];
        isClaimed = new boolean[nodes];
    }

    /** Number of this node. */
    public int here() {
        return here;
    }

    /** Nodes of the cluster. */
    public int nodes() {
        return table.nodes();
    }

    /** Changes whenever the edges of {@link #graph} have changed; any thread may ask. */
    public int version() {
        return version.get();
    }

    /** Changes whenever anything of {@link #graph} has changed; any thread may ask. */
    public int recordsVersion() {
        return recordsVersion.get();
    }

    /** How often something happened. */
    public synchronized long count(final LinkStateCount what) {
        return counts[what.ordinal()];
    }

    private void count(final LinkStateCount what, final int times) {
        counts[what.ordinal()] += times;
    }

    /** Whether another machine has the number of this node, so that nobody hears of this one. */
    public synchronized boolean isDisplaced() {
        return table.isKnown(here) && table.record(here).identity() != own.identity();
    }

    /** The map as it is now. Allocates. */
    public synchronized NodeGraph graph() {
        return new NodeGraph(table);
    }

    /**
     * What this node sees of its neighbours. What is the same as before is no news; nor is a
     * capacity that differs by less than an eighth, which goes out with the next record.
     *
     * @param adjacencies to neighbours that hear this node and that it hears, in any order; those
     *     of several trunks to one neighbour are added up. Of those to more than 64 neighbours the
     *     ones with the lowest numbers are reported, the others are counted.
     * @throws IllegalArgumentException if a neighbour is no other node of the cluster.
     */
    public synchronized void own(final List<Adjacency> adjacencies, final long nowNs) {
        if (own.isStopped()) {
            return;
        }
        count(LinkStateCount.LEFT_OUT, own.look(adjacencies, table.nodes()));
        schedule(nowNs);
    }

    /** This node stops: its last record reports that, and is due at once. */
    public synchronized void stop(final long nowNs) {
        if (!own.isStopped()) {
            own.stop();
            publishNs = nowNs;
            doTimers(nowNs);
        }
    }

    private void schedule(final long nowNs) {
        final boolean isNews = isOutdoing || !isOwnKnown() || own.isNews(table.record(here));
        publishNs = isNews && own.hasLooked() ? damping.earliestNs(nowNs) : Deadline.NEVER;
        doTimers(nowNs);
    }

    private boolean isOwnKnown() {
        return table.isKnown(here) && table.record(here).identity() == own.identity();
    }

    /** A neighbour is there: it is to hear everything. No effect if it was there. */
    public synchronized void neighbourUp(final int node, final long nowNs) {
        final Delivery delivery = delivery(node);
        if (delivery.isUp()) {
            return;
        }
        delivery.up(true);
        up[upCount] = node;
        upCount++;
        oweAll(delivery, nowNs);
    }

    private void oweAll(final Delivery delivery, final long nowNs) {
        for (int node = 0; node < table.nodes(); node++) {
            if (table.isKnown(node)) {
                delivery.oweAgain(node, nowNs);
            }
        }
    }

    /** A neighbour is gone. No effect if it was not there. */
    public synchronized void neighbourDown(final int node) {
        final Delivery delivery = delivery(node);
        if (!delivery.isUp()) {
            return;
        }
        delivery.up(false);
        int place = 0;
        while (up[place] != node) {
            place++;
        }
        upCount--;
        System.arraycopy(up, place + 1, up, place, upCount - place);
    }

    private Delivery delivery(final int node) {
        if (node < 0 || node >= deliveries.length || node == here) {
            throw new IllegalArgumentException(
                    "neighbour must be another node, 0.." + (deliveries.length - 1) + ": " + node);
        }
        return deliveries[node];
    }

    /**
     * A frame of a neighbour, whose body is valid. Dropped if it comes from a node that is no
     * neighbour now, which sends it again.
     *
     * @param from number of the node that sent it, any number.
     */
    public synchronized void onFrame(
            final int from, final long bodyAddress, final int bodyLength, final long nowNs) {
        // Anybody can send frames in the name of anybody, of this node too.
        if (from < 0 || from >= deliveries.length || !deliveries[from].isUp()) {
            count(LinkStateCount.NO_NEIGHBOUR, 1);
            return;
        }
        final Delivery delivery = deliveries[from];
        if (!delivery.take(nowNs)) {
            count(LinkStateCount.TOO_MANY, 1);
            return;
        }
        for (int offset = 0; offset < bodyLength; offset += heard.length()) {
            heard.wrap(bodyAddress + offset);
            if (heard.node() == from && !heard.isOfNone() && delivery.isNewStart(heard)) {
                // It may have forgotten what it acknowledged.
                oweAll(delivery, nowNs);
            }
            if (heard.node() >= table.nodes()) {
                count(LinkStateCount.REFUSED, 1);
            } else if (heard.kind() == LinkStateFlyweight.ACKNOWLEDGEMENT) {
                onAcknowledgement(delivery, nowNs);
            } else {
                onRecord(from, bodyAddress + offset, nowNs);
            }
        }
        doTimers(nowNs);
    }

    // The neighbour has this record. Another one than is known here shows that it missed one, or
    // this node did: before it started again, or because a frame of an earlier start was late.
    private void onAcknowledgement(final Delivery delivery, final long nowNs) {
        final int node = heard.node();
        if (node == here && heard.identity() == own.identity() && !isOwnOrOlder(nowNs)) {
            return;
        }
        final boolean isKnown = table.isKnown(node);
        final int order = isKnown ? heard.orderAgainst(table.record(node)) : 1;
        if (order == 0) {
            delivery.settle(node);
        } else if (!delivery.isSettled(node)) {
            return;
        } else if (order < 0) {
            delivery.owe(node, nowNs);
        } else if (isKnown || !heard.isOfNone()) {
            delivery.acknowledge(node, nowNs);
        }
    }

    private void onRecord(final int from, final long address, final long nowNs) {
        final int node = heard.node();
        if (heard.ageMs() >= LinkStateFlyweight.MAX_AGE_MS) {
            count(LinkStateCount.REFUSED, 1);
            return;
        }
        reportClaims(node, nowNs);
        if (node == here && heard.identity() == own.identity() && !isOwnOrOlder(nowNs)) {
            return;
        }
        final Delivery delivery = deliveries[from];
        final int order = table.isKnown(node) ? heard.orderAgainst(table.record(node)) : 1;
        if (order > 0 && !isOfLoser(node)) {
            count(LinkStateCount.TAKEN, 1);
            install(node, heard, address, from, nowNs);
            delivery.onHeard(node, nowNs);
        } else if (order == 0) {
            count(LinkStateCount.KNOWN, 1);
            delivery.onHeard(node, nowNs);
        } else {
            count(LinkStateCount.OUTDATED, 1);
            if (table.isKnown(node)) {
                delivery.oweAgain(node, nowNs);
            }
        }
    }

    // The number of this node, of which it has made no record yet, and which it will take.
    private boolean isOfLoser(final int node) {
        return node == here && Long.compareUnsigned(heard.identity(), own.identity()) > 0;
    }

    // True if the record of this node that was heard is not newer than the one that it has told.
    // Others are not taken, but outdone; an older start's may be heard before this one's first.
    private boolean isOwnOrOlder(final long nowNs) {
        if (own.outdoes(heard)) {
            count(LinkStateCount.OUTDONE, 1);
        }
        if (table.isKnown(here) && heard.orderAgainst(table.record(here)) <= 0) {
            return true;
        }
        isOutdoing = true;
        schedule(nowNs);
        return false;
    }

    private void reportClaims(final int node, final long nowNs) {
        final boolean isKnown = table.isKnown(node);
        if (!isKnown && node != here) {
            return;
        }
        final long one = isKnown ? table.record(node).identity() : own.identity();
        final long other = heard.identity();
        if (one == other) {
            return;
        }
        count(LinkStateCount.CLAIMED_TWICE, 1);
        if (!isClaimed[node] || nowNs - claimNs[node] >= CLAIM_NS) {
            isClaimed[node] = true;
            claimNs[node] = nowNs;
            final boolean isOneKept = Long.compareUnsigned(one, other) < 0;
            listener.onClaimedTwice(node, isOneKept ? one : other, isOneKept ? other : one);
        }
    }

    // Puts a record in the place of its node, and passes it on to all neighbours but one.
    private void install(
            final int node,
            final LinkStateFlyweight record,
            final long address,
            final int from,
            final long nowNs) {
        final boolean isOther =
                !table.isKnown(node)
                        || table.record(node).identity() != record.identity()
                        || table.record(node).incarnation() != record.incarnation()
                        || !table.record(node).hasSameContent(record);
        final int edges = table.edges(node, before);
        table.put(node, record, address, nowNs);
        onChange(node, edges, isOther);
        if (node != here || !isOwnKnown()) {
            forgetNs = Deadline.earlier(forgetNs, table.toldNs(node) + RecordTable.LIFETIME_NS);
        }
        for (int i = 0; i < upCount; i++) {
            if (up[i] != from) {
                deliveries[up[i]].owe(node, nowNs);
            }
        }
    }

    private void onChange(final int node, final int edgesBefore, final boolean isOther) {
        final int edges = table.edges(node, after);
        if (!Arrays.equals(before, 0, edgesBefore, after, 0, edges)) {
            version.incrementAndGet();
        }
        if (isOther) {
            recordsVersion.incrementAndGet();
        }
    }

    private void doTimers(final long nowNs) {
        if (publishNs != Deadline.NEVER && publishNs - nowNs <= 0) {
            publish(nowNs);
            damping.onSent(nowNs);
        }
        if (refreshNs != Deadline.NEVER && refreshNs - nowNs <= 0) {
            publish(nowNs);
        }
        if (forgetNs != Deadline.NEVER && forgetNs - nowNs <= 0) {
            forget(nowNs);
        }
    }

    private void publish(final long nowNs) {
        publishNs = Deadline.NEVER;
        refreshNs = Deadline.NEVER;
        if (table.isKnown(here) && !isOwnKnown()) {
            // A smaller identity has this number.
            return;
        }
        isOutdoing = false;
        count(LinkStateCount.PUBLISHED, 1);
        final LinkStateFlyweight next = own.next();
        install(here, next, own.address(), here, nowNs);
        // Spread, so that nodes which started together do not refresh together for ever.
        final long step = ((next.identity() + next.sequence()) * MULTIPLIER) >>> 1;
        refreshNs = nowNs + REFRESH_NS - step % REFRESH_STEPS * (REFRESH_SPREAD_NS / REFRESH_STEPS);
    }

    private void forget(final long nowNs) {
        forgetNs = Deadline.NEVER;
        for (int node = 0; node < table.nodes(); node++) {
            if (!table.isKnown(node) || (node == here && isOwnKnown())) {
                continue;
            }
            final long endNs = table.toldNs(node) + RecordTable.LIFETIME_NS;
            if (endNs - nowNs > 0) {
                forgetNs = Deadline.earlier(forgetNs, endNs);
                continue;
            }
            count(LinkStateCount.FORGOTTEN, 1);
            final int edges = table.edges(node, before);
            table.forget(node);
            onChange(node, edges, true);
            for (int i = 0; i < upCount; i++) {
                deliveries[up[i]].settle(node);
            }
            if (node == here) {
                schedule(nowNs);
            }
        }
    }

    /** A neighbour to which a frame is due now; -1 if there is none. They take turns. */
    public synchronized int nextDue(final long nowNs) {
        doTimers(nowNs);
        for (int i = 0; i < upCount; i++) {
            turn = turn + 1 < upCount ? turn + 1 : 0;
            final long frameNs = deliveries[up[turn]].frameNs(nowNs);
            if (frameNs != Deadline.NEVER && frameNs - nowNs <= 0) {
                return up[turn];
            }
        }
        return -1;
    }

    /**
     * When something is due next: {@code nowNs} or later, {@link Deadline#NEVER} for nothing. It
     * can be earlier only after a call of another method.
     */
    public synchronized long nextDueNs(final long nowNs) {
        doTimers(nowNs);
        long due = Deadline.earlier(publishNs, Deadline.earlier(refreshNs, forgetNs));
        for (int i = 0; i < upCount; i++) {
            due = Deadline.earlier(due, deliveries[up[i]].frameNs(nowNs));
        }
        return due;
    }

    /**
     * Writes what is due for a neighbour. Counts as sent: what does not leave, or is lost, is
     * written again after its time-out.
     *
     * <p>A frame begins with an acknowledgement of this node's own record, so that the neighbour
     * can tell from which start it is: what an earlier start acknowledged does not count.
     *
     * @param neighbour its node number.
     * @param to where the body goes, {@code maxBytes} bytes.
     * @param maxBytes {@link #MIN_BODY_BYTES} or more, or the longest records stay here.
     * @return bytes of the body; 0 if nothing is due.
     * @throws IllegalArgumentException if there is no room for an acknowledgement.
     */
    public synchronized int fill(
            final int neighbour, final long to, final int maxBytes, final long nowNs) {
        if (maxBytes < 2 * LinkStateFlyweight.ACKNOWLEDGEMENT_BYTES) {
            throw new IllegalArgumentException("maxBytes must be 48 or more: " + maxBytes);
        }
        doTimers(nowNs);
        final Delivery delivery = delivery(neighbour);
        final long frameNs = delivery.frameNs(nowNs);
        if (frameNs == Deadline.NEVER || frameNs - nowNs > 0) {
            return 0;
        }
        final int first = isOwnKnown() ? writeAcknowledgement(here, to) : 0;
        final int acknowledged = writeAcknowledgements(delivery, to, first, maxBytes);
        final int bytes = writeRecords(delivery, to, acknowledged, maxBytes, nowNs);
        if (bytes == first) {
            return 0;
        }
        delivery.onFrame(nowNs);
        return bytes;
    }

    private int writeAcknowledgement(final int node, final long to) {
        entry.wrap(to).acknowledgement().ofNone(node);
        if (table.isKnown(node)) {
            entry.sameOrigin(table.record(node));
        }
        return LinkStateFlyweight.ACKNOWLEDGEMENT_BYTES;
    }

    private int writeAcknowledgements(
            final Delivery delivery, final long to, final int from, final int maxBytes) {
        final int last = maxBytes - LinkStateFlyweight.ACKNOWLEDGEMENT_BYTES;
        int bytes = from;
        for (int node = 0; node < table.nodes() && bytes <= last; node++) {
            if (delivery.acknowledges(node)) {
                bytes += writeAcknowledgement(node, to + bytes);
                count(LinkStateCount.ACKNOWLEDGED, 1);
            }
        }
        return bytes;
    }

    private int writeRecords(
            final Delivery delivery,
            final long to,
            final int from,
            final int maxBytes,
            final long nowNs) {
        int bytes = from;
        for (int i = 0; i < table.nodes(); i++) {
            final int node = delivery.turn();
            if (delivery.isOwed(node, nowNs)) {
                final int needed = table.record(node).length();
                if (needed + LinkStateFlyweight.ACKNOWLEDGEMENT_BYTES > maxBytes) {
                    count(LinkStateCount.TOO_LONG, 1);
                    delivery.settle(node);
                } else if (bytes + needed > maxBytes) {
                    return bytes;
                } else {
                    bytes += table.write(node, to + bytes, nowNs);
                    final boolean isAgain = delivery.onSent(node, nowNs);
                    count(isAgain ? LinkStateCount.SENT_AGAIN : LinkStateCount.SENT, 1);
                }
            }
            delivery.nextTurn();
        }
        return bytes;
    }
}
