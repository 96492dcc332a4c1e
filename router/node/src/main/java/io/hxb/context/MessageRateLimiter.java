package io.hxb.context;

import io.hxb.time.SharedTokenBucket;

/**
 * How many messages may be sent per second by one user, or by all users of a tenant, with all their
 * contexts. Loops take permission for many messages at once, and give back what they did not need.
 * Any thread; never blocks and never allocates.
 */
final class MessageRateLimiter {
    /** Messages that may be sent in a burst after a pause: those of this part of a second. */
    private static final int BURST_PART = 50;

    private static final int MIN_BURST_MESSAGES = 16;

    /**
     * A user who is held back is looked at again after this time, or when a message may be sent.
     */
    private static final long MIN_PAUSE_NS = 200_000L;

    private final QuotaCounter book;
    private final MessageRateLimiter whole;
    private final SharedTokenBucket tokens;

    /**
     * A rate that nobody has used.
     *
     * @param book whose limit is the rate; without limit only where there is a {@code whole}.
     * @param whole of which this is a part, and which has a rate of its own; or null.
     * @param nowNs of the clock of the loops.
     */
    MessageRateLimiter(final QuotaCounter book, final MessageRateLimiter whole, final long nowNs) {
        this.book = book;
        this.whole = whole;
        final long burst = Math.max(MIN_BURST_MESSAGES, book.limit() / BURST_PART);
        tokens = new SharedTokenBucket(book.limit(), burst, nowNs);
    }

    /**
     * Takes permission for as many messages as may be sent now.
     *
     * @param max messages wanted.
     * @param nowNs a time that only grows.
     * @return 0 to {@code max}.
     */
    int take(final int max, final long nowNs) {
        final int own = takeOwn(max, nowNs);
        if (whole == null || own == 0) {
            return own;
        }
        final int both = whole.take(own, nowNs);
        giveBackOwn(own - both);
        return both;
    }

    private int takeOwn(final int max, final long nowNs) {
        return isUnlimited() ? max : tokens.take(max, nowNs);
    }

    /** Gives back permission for messages that were not sent. */
    void giveBack(final int messages) {
        giveBackOwn(messages);
        if (whole != null) {
            whole.giveBack(messages);
        }
    }

    private void giveBackOwn(final int messages) {
        if (!isUnlimited()) {
            tokens.giveBack(messages);
        }
    }

    private boolean isUnlimited() {
        return book.limit() == QuotaCounter.UNLIMITED;
    }

    /** When to ask again, after less was permitted than was wanted. */
    long nextNs(final long nowNs) {
        final long ownNs = ownNextNs(nowNs);
        return whole == null ? ownNs : Math.max(ownNs, whole.nextNs(nowNs));
    }

    private long ownNextNs(final long nowNs) {
        return nowNs + Math.max(MIN_PAUSE_NS, tokens.waitNs(nowNs));
    }

    /** Messages begin to wait because of this rate, or that of which it is a part. */
    void onHeld(final long nowNs) {
        book.noteRefusal();
        if (whole != null && whole.nextNs(nowNs) - ownNextNs(nowNs) > 0) {
            whole.onHeld(nowNs);
        }
    }
}
