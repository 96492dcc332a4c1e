package io.hxb.context;

import io.hxb.config.Share;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much one user, one tenant, or all users together have of one share of the node, and how much
 * they may have. What a user takes also counts for the tenant and for all users. Any thread; never
 * blocks and never allocates, except in {@link #refusal}.
 */
final class ShareBook {
    /** No limit. */
    static final long UNLIMITED = Long.MAX_VALUE;

    private final String who;
    private final Share share;
    private final String key;
    private final long limit;
    private final ShareBook whole;
    private final AtomicLong allRefused;
    private final AtomicLong used = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();

    /**
     * A book without entries.
     *
     * @param who has it, for messages: such as {@code user 1000}.
     * @param key of the file that sets the limit.
     * @param limit 0 or more, or {@link #UNLIMITED}.
     * @param whole of which this is a part, and which has a limit of its own; or null.
     * @param allRefused counts what this book and others like it refuse.
     */
    ShareBook(
            final String who,
            final Share share,
            final String key,
            final long limit,
            final ShareBook whole,
            final AtomicLong allRefused) {
        this.who = who;
        this.share = share;
        this.key = key;
        this.limit = limit;
        this.whole = whole;
        this.allRefused = allRefused;
    }

    /**
     * Takes an amount, here and in the whole.
     *
     * @param amount 0 or more.
     * @return false if that is more than is left, here or there: then nothing was taken and the
     *     refusal is counted.
     */
    boolean take(final long amount) {
        assert amount >= 0 : amount;
        long before = used.get();
        while (amount <= limit - before && !used.compareAndSet(before, before + amount)) {
            before = used.get();
        }
        if (amount > limit - before) {
            onRefused();
            return false;
        }
        if (whole != null && !whole.take(amount)) {
            used.addAndGet(-amount);
            onRefused();
            return false;
        }
        return true;
    }

    private void onRefused() {
        refused.incrementAndGet();
        allRefused.incrementAndGet();
    }

    /** Gives back what was taken. */
    void giveBack(final long amount) {
        final long left = used.addAndGet(-amount);
        assert left >= 0 : who + " gives back more " + share.noun() + " than it has: " + left;
        if (whole != null) {
            whole.giveBack(amount);
        }
    }

    /** Why {@code amount} more was refused, with the limit and its key. */
    String refusal(final long amount) {
        return isEnough(amount) && whole != null
                ? whole.refusal(amount)
                : who
                        + " may have "
                        + limit
                        + " "
                        + share.noun()
                        + " ("
                        + key
                        + " in the cluster file), has "
                        + used
                        + " and asks for "
                        + amount
                        + " more";
    }

    private boolean isEnough(final long amount) {
        return amount <= limit - used.get();
    }

    /** Something had to wait because of the limit, for shares that are rates. */
    void noteRefusal() {
        onRefused();
    }

    /** The book whose limit prevents taking {@code amount} more: this one or a whole. */
    ShareBook limiting(final long amount) {
        return isEnough(amount) && whole != null ? whole.limiting(amount) : this;
    }

    String who() {
        return who;
    }

    Share share() {
        return share;
    }

    /** The key of the file that sets the limit. */
    String key() {
        return key;
    }

    long limit() {
        return limit;
    }

    /** The amount taken now. */
    long used() {
        return used.get();
    }

    /** How often something was refused because of the limit here or in the whole. */
    long refused() {
        return refused.get();
    }
}
