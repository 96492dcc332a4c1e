package io.hxb.pm.share;

import java.util.Arrays;

/**
 * What each destination has of a context's buffers, and whether it may have another one. An eighth
 * of the buffers is kept for destinations with fewer than {@link #MIN_MESSAGES}. Of the others a
 * destination may have {@link #ALPHA} times as many as are free, divided by the destinations that
 * have any: one alone gets most of them, and several get equal parts. One is late when twice as
 * many messages as there are buffers were done of others, and none of it: it may have an eighth at
 * most. The first buffer is always granted. Owned by the context's thread; allocates only for more
 * destinations at the same time than ever before.
 *
 * <p>Source: A. K. Choudhury, E. L. Hahne, Dynamic Queue Length Thresholds for Shared-Memory Packet
 * Switches, IEEE/ACM ToN 6(2), 1998; divided by the number of busy queues, and less for those that
 * drain slowly, as in V. Addanki et al., ABM: Active Buffer Management in Datacenters, SIGCOMM
 * 2022.
 */
public final class DestinationShares {
    /** The number of a destination of which nothing is known. */
    public static final int NONE = DestinationTable.NONE;

    private static final int ALPHA = 8;
    private static final int MIN_MESSAGES = 4;
    private static final int PART = 8;
    private static final int LATE_ROUNDS = 2;

    private static final int MESSAGES = 0;
    private static final int BYTES = 1;
    private static final int MAX_MESSAGES = 2;
    private static final int DROPPED = 3;
    private static final int DONE_BEFORE = 4;
    private static final int BUFFERS = 5;
    private static final int FACTS = 8;

    private final DestinationTable destinations = new DestinationTable();

    /** Of each destination, in one cache line. */
    private long[] facts = new long[destinations.capacity() * FACTS];

    private long[] maxWaitNs = new long[destinations.capacity()];
    private boolean[] isDropping = new boolean[destinations.capacity()];
    private boolean[] isKept = new boolean[destinations.capacity()];
    private final int buffers;
    private final int reserve;
    private int free;

    /** Messages of all destinations that were done. */
    private long done;

    private int busy;
    private int kept;
    private int hand;
    private int lastNode = -1;
    private int lastContext;
    private int last;

    /**
     * Makes shares of which nothing is taken.
     *
     * @param buffers what there is to share.
     */
    public DestinationShares(final int buffers) {
        this.buffers = buffers;
        reserve = buffers / PART;
        free = buffers;
    }

    /** {@return the number of a destination, or {@link #NONE}} */
    public int find(final int node, final int context) {
        return destinations.find(node, context);
    }

    /** {@return the number of a destination, which it keeps while it has a buffer or options} */
    public int of(final int node, final int context) {
        if (node == lastNode && context == lastContext) {
            return last;
        }
        final int found = destinations.find(node, context);
        last = found == NONE ? add(node, context) : found;
        lastNode = node;
        lastContext = context;
        return last;
    }

    private int add(final int node, final int context) {
        if (!destinations.isFull()) {
            return begin(destinations.add(node, context));
        }
        if (2 * (busy + kept) > destinations.capacity()) {
            grow();
            return begin(destinations.add(node, context));
        }
        // At least half of them are of no use: looks at two on average.
        while (facts[hand * FACTS + MESSAGES] > 0 || isKept[hand]) {
            hand = hand + 1 < isKept.length ? hand + 1 : 0;
        }
        return begin(destinations.replace(hand, node, context));
    }

    private void grow() {
        destinations.grow();
        final int capacity = destinations.capacity();
        facts = Arrays.copyOf(facts, capacity * FACTS);
        maxWaitNs = Arrays.copyOf(maxWaitNs, capacity);
        isDropping = Arrays.copyOf(isDropping, capacity);
        isKept = Arrays.copyOf(isKept, capacity);
    }

    private int begin(final int share) {
        facts[share * FACTS + BYTES] = 0;
        facts[share * FACTS + MAX_MESSAGES] = Integer.MAX_VALUE;
        facts[share * FACTS + DROPPED] = 0;
        maxWaitNs[share] = Long.MAX_VALUE;
        isDropping[share] = false;
        return share;
    }

    /** {@return true if a destination may have another buffer, should there be one} */
    public boolean mayTake(final int share) {
        final long messages = facts[share * FACTS + MESSAGES];
        if (messages == 0) {
            return true;
        }
        if (messages >= facts[share * FACTS + MAX_MESSAGES]) {
            return false;
        }
        final long taken = facts[share * FACTS + BUFFERS];
        final int freeForAll = free - reserve;
        return isLate(share)
                ? taken * busy < freeForAll && taken * PART < buffers
                : taken < MIN_MESSAGES || taken * busy < (long) ALPHA * freeForAll;
    }

    private boolean isLate(final int share) {
        return done - facts[share * FACTS + DONE_BEFORE] > (long) LATE_ROUNDS * buffers;
    }

    /** A message to a destination has taken a buffer. */
    public void onTaken(final int share) {
        onTaken(share, 1);
    }

    /** A message to a destination has taken as many buffers. */
    public void onTaken(final int share, final int count) {
        free -= count;
        facts[share * FACTS + BUFFERS] += count;
        assert free >= 0 : "more buffers are taken than there are";
        if (facts[share * FACTS + MESSAGES]++ == 0) {
            busy++;
            facts[share * FACTS + DONE_BEFORE] = done;
        }
    }

    /** A message of a destination is done, after a time that depends on it. */
    public void onDone(final int share) {
        facts[share * FACTS + DONE_BEFORE] = ++done;
    }

    /** A buffer of a destination has this much in it now. */
    public void onFilled(final int share, final int bytes) {
        facts[share * FACTS + BYTES] += bytes;
    }

    /** The buffer of a message is given back, which had {@code bytes} in it. */
    public void onFree(final int share, final int bytes) {
        onFree(share, bytes, 1);
    }

    /** The buffers of a message are given back, which had {@code bytes} in them together. */
    public void onFree(final int share, final int bytes, final int count) {
        free += count;
        facts[share * FACTS + BUFFERS] -= count;
        facts[share * FACTS + BYTES] -= bytes;
        if (--facts[share * FACTS + MESSAGES] == 0) {
            busy--;
        }
        assert facts[share * FACTS + MESSAGES] >= 0 : "given back twice";
    }

    /** {@return messages of a destination that have buffers} */
    public int messages(final int share) {
        return (int) facts[share * FACTS + MESSAGES];
    }

    /** {@return bytes in the buffers of a destination that are filled} */
    public long bytes(final int share) {
        return facts[share * FACTS + BYTES];
    }

    /**
     * Sets what holds for a destination besides its share, until it is set again.
     *
     * @param maxMessages most buffers that it may have; {@code Integer.MAX_VALUE} for its share.
     * @param maxNs longest wait for a buffer; {@code Long.MAX_VALUE} for the limit of each call.
     * @param isToDrop true if messages that find no buffer are dropped.
     */
    public void set(
            final int share, final int maxMessages, final long maxNs, final boolean isToDrop) {
        facts[share * FACTS + MAX_MESSAGES] = maxMessages;
        maxWaitNs[share] = maxNs;
        isDropping[share] = isToDrop;
        final boolean isToKeep =
                maxMessages != Integer.MAX_VALUE || maxNs != Long.MAX_VALUE || isToDrop;
        if (isToKeep != isKept[share]) {
            isKept[share] = isToKeep;
            kept += isToKeep ? 1 : -1;
        }
    }

    /** {@return the longest wait for a buffer of a destination} */
    public long maxWaitNs(final int share) {
        return maxWaitNs[share];
    }

    /** {@return true if messages to a destination that find no buffer are dropped} */
    public boolean isDropping(final int share) {
        return isDropping[share];
    }

    /** A message was dropped. */
    public void onDropped(final int share) {
        facts[share * FACTS + DROPPED]++;
    }

    /** {@return messages that were dropped since this was set for a destination} */
    public long dropped(final int share) {
        return facts[share * FACTS + DROPPED];
    }
}
