package io.hxb.pm.idle;

/**
 * For how long a thread that polls leaves alone what it has found empty, so that more comes at a
 * time. Whether that pays shows in what a pause brings: more the longer it lasts where senders do
 * not wait, and always the same where they wait for an answer. So pauses begin short, double while
 * each brings enough, are halved where one brings too much, and end with one that brings little.
 * Used by one thread; in any unit of time.
 */
public final class AdaptivePause {
    private final long min;
    private final long max;
    private final long perItem;
    private final long manyItems;
    private long length;

    /**
     * Makes one that does not pause yet.
     *
     * @param min the first pause.
     * @param max the longest one.
     * @param perItem how long a pause may be for each item that it brings; twice as long ends it.
     * @param manyItems a pause that brings more than these is halved, and one that brings more than
     *     half of them is long enough.
     */
    public AdaptivePause(final long min, final long max, final long perItem, final long manyItems) {
        this.min = min;
        this.max = max;
        this.perItem = perItem;
        this.manyItems = manyItems;
    }

    /** Begins with the shortest pause. */
    public void begin() {
        length = min;
    }

    /** No more pauses. */
    public void end() {
        length = 0;
    }

    /** The current pause; 0 if there is none. */
    public long length() {
        return length;
    }

    /** The pause of the current length has brought so many items: decides about the next one. */
    public void onPaused(final long items) {
        final long worth = perItem * items;
        if (2 * worth < length) {
            length = 0;
        } else if (items > manyItems) {
            length = Math.max(length / 2, min);
        } else if (worth >= length && items <= manyItems / 2) {
            length = Math.min(2 * length, max);
        }
    }
}
