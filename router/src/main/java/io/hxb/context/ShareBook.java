package io.hxb.context;

import io.hxb.config.Share;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much somebody has of one share of the node, and how much he may have: one user, one tenant,
 * or all users together. What a user takes, his tenant and all users take with him. Any thread;
 * never blocks and never allocates, but for {@link #refusal}.
 */
final class ShareBook {
    /** A limit that nobody reaches. */
    static final long UNLIMITED = Long.MAX_VALUE;

    private final String who;
    private final Share share;
    private final String key;
    private final long limit;
    private final ShareBook whole;
    private final AtomicLong used = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();

    /**
     * A book without entries.
     *
     * @param who has it, for messages: such as {@code user 1000}.
     * @param key of the file that sets the limit.
     * @param limit 0 or more, or {@link #UNLIMITED}.
     * @param whole of which this is a part, and which has a limit of its own; or null.
     */
    ShareBook(
            final String who,
            final Share share,
            final String key,
            final long limit,
            final ShareBook whole) {
        this.who = who;
        this.share = share;
        this.key = key;
        this.limit = limit;
        this.whole = whole;
    }

    /**
     * Takes so much, here and in the whole.
     *
     * @param amount 0 or more.
     * @return false if that is more than is left, here or there: then nothing was taken and the
     *     refusal is counted where the limit is.
     */
    boolean take(final long amount) {
        assert amount >= 0 : amount;
        long before = used.get();
        while (amount <= limit - before && !used.compareAndSet(before, before + amount)) {
            before = used.get();
        }
        if (amount > limit - before) {
            refused.incrementAndGet();
            return false;
        }
        if (whole != null && !whole.take(amount)) {
            used.addAndGet(-amount);
            return false;
        }
        return true;
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
        final ShareBook book = whole != null && amount <= limit - used.get() ? whole : this;
        return book == this
                ? who
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
                        + " more"
                : book.refusal(amount);
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

    /** What is taken now. */
    long used() {
        return used.get();
    }

    /** How often something was refused because of this book's limit. */
    long refused() {
        return refused.get();
    }
}
