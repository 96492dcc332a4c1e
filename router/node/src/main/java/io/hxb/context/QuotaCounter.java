package io.hxb.context;

import io.hxb.config.ResourceShare;
import io.hxb.counter.ResourceUse;
import io.hxb.flow.CreditPool;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much one user, one tenant, or all users together have of one share of the node, and how much
 * they may have. What a user takes also counts for the tenant and for all users. Any thread; never
 * blocks and never allocates, except in {@link #refusal}.
 *
 * <p>Held buffers are not taken one by one: loops borrow them from {@link #credit}, which has the
 * limit of the book.
 */
final class QuotaCounter {
    /** No limit. */
    static final long UNLIMITED = Long.MAX_VALUE;

    private final String who;
    private final ResourceShare share;
    private final String key;
    private final long limit;
    private final QuotaCounter whole;
    private final AtomicLong allRefused;
    private final CreditPool credit;
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
    QuotaCounter(
            final String who,
            final ResourceShare share,
            final String key,
            final long limit,
            final QuotaCounter whole,
            final AtomicLong allRefused) {
        this.who = who;
        this.share = share;
        this.key = key;
        this.limit = limit;
        this.whole = whole;
        this.allRefused = allRefused;
        credit = share == ResourceShare.HELD_BUFFERS ? creditOf(limit, whole) : null;
    }

    private static CreditPool creditOf(final long limit, final QuotaCounter whole) {
        final int frames = (int) Math.min(limit, CreditPool.MAX_FRAMES);
        return new CreditPool(frames, whole == null ? null : whole.credit);
    }

    /** Where loops borrow held buffers; null for other shares. */
    CreditPool credit() {
        return credit;
    }

    /**
     * Takes an amount, here and in the whole.
     *
     * @param amount 0 or more.
     * @return false if that is more than is left, here or there: then nothing was taken and the
     *     refusal is counted.
     */
    boolean take(final long amount) {
        assert amount >= 0 && credit == null : amount + " " + share.noun();
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
        final QuotaCounter book = limiting();
        return book.who
                + " may have "
                + book.limit
                + " "
                + share.noun()
                + " ("
                + book.key
                + " in the cluster file), has "
                + book.used()
                + " and asks for "
                + amount
                + " more";
    }

    /** The book with the least left: this one, or one of which it is a part. */
    QuotaCounter limiting() {
        final QuotaCounter other = whole == null ? this : whole.limiting();
        return other.left() < left() ? other : this;
    }

    private long left() {
        return limit - used();
    }

    /** Something had to wait because of the limit here; for shares that are not taken. */
    void noteRefusal() {
        onRefused();
    }

    String who() {
        return who;
    }

    ResourceShare share() {
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
        return credit == null ? used.get() : credit.lentFrames();
    }

    /** How often something was refused because of the limit here or in the whole. */
    long refused() {
        return refused.get();
    }

    /** The same for reports. */
    ResourceUse.Figures figures() {
        return new ResourceUse.Figures(
                share == ResourceShare.MESSAGES ? ResourceUse.Figures.NONE : used(),
                limit == UNLIMITED ? ResourceUse.Figures.NONE : limit,
                refused());
    }
}
