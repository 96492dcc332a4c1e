package io.hxb.link;

import io.hxb.time.Deadline;

/**
 * The incomplete frames of a {@link FrameReassembler} by age, and which of them seem to have lost
 * something. Owned by the reassembler, whose numbers of places it uses.
 */
final class IncompleteFrames {
    /** No place. */
    static final int NONE = -1;

    private final int[] younger;
    private final int[] older;
    private final long[] beganNs;
    // Of all ranges, which one began a frame, and which one was its last.
    private final long[] first;
    private final long[] last;
    private final long[] dueNs;
    private final byte[] requests;
    private final boolean[] isOvertaken;
    private int oldest = NONE;
    private int youngest = NONE;
    private int count;
    private long ranges;

    // After this time without a range one is missing. No frame is due before the second time.
    private long quietNs = Long.MAX_VALUE;
    private long firstDueNs;

    IncompleteFrames(final int places) {
        younger = new int[places];
        older = new int[places];
        beganNs = new long[places];
        first = new long[places];
        last = new long[places];
        dueNs = new long[places];
        requests = new byte[places];
        isOvertaken = new boolean[places];
    }

    void requestMissing(final long itsQuietNs) {
        quietNs = itsQuietNs;
    }

    int count() {
        return count;
    }

    /** The place of the oldest, or NONE. */
    int oldest() {
        return oldest;
    }

    /** True if the oldest one began longer than {@code timeoutNs} ago. */
    boolean isOldestPast(final long timeoutNs, final long nowNs) {
        return oldest != NONE && nowNs - beganNs[oldest] > timeoutNs;
    }

    /** A frame has begun. */
    void add(final int place, final long nowNs) {
        beganNs[place] = nowNs;
        first[place] = ranges;
        requests[place] = 0;
        isOvertaken[place] = false;
        older[place] = youngest;
        younger[place] = NONE;
        if (youngest == NONE) {
            oldest = place;
        } else {
            younger[youngest] = place;
        }
        youngest = place;
        count++;
    }

    /** A frame is complete or given up. */
    void remove(final int place) {
        if (oldest == place) {
            oldest = younger[place];
        } else {
            younger[older[place]] = younger[place];
        }
        if (youngest == place) {
            youngest = older[place];
        } else {
            older[younger[place]] = older[place];
        }
        count--;
    }

    /** A range of a frame has arrived. */
    void onRange(final int place, final long nowNs) {
        last[place] = ranges++;
        putOff(place, nowNs);
    }

    private void putOff(final int place, final long nowNs) {
        if (quietNs == Long.MAX_VALUE || requests[place] == FrameReassembler.MAX_REQUESTS) {
            return;
        }
        dueNs[place] = nowNs + (quietNs << requests[place]);
        if (count == 1 || dueNs[place] - firstDueNs < 0) {
            firstDueNs = dueNs[place];
        }
    }

    /**
     * Another frame of the same source is complete. What one source sends arrives in order but for
     * accidents: something is missing of a frame of which nothing has come since that one began.
     */
    void onComplete(final int place, final int complete, final long nowNs) {
        if (requests[place] == 0 && last[place] < first[complete]) {
            isOvertaken[place] = true;
            dueNs[place] = nowNs;
            firstDueNs = nowNs;
        }
    }

    /**
     * Finds a frame of which no range has arrived for a while, or that was overtaken.
     *
     * @return its place, or NONE.
     */
    int missing(final long nowNs) {
        if (count == 0 || quietNs == Long.MAX_VALUE || nowNs - firstDueNs < 0) {
            return NONE;
        }
        long earliestNs = nowNs + quietNs;
        for (int place = oldest; place != NONE; place = younger[place]) {
            if (requests[place] < FrameReassembler.MAX_REQUESTS && nowNs - dueNs[place] >= 0) {
                requests[place]++;
                putOff(place, nowNs);
                return place;
            }
            if (requests[place] < FrameReassembler.MAX_REQUESTS && dueNs[place] - earliestNs < 0) {
                earliestNs = dueNs[place];
            }
        }
        firstDueNs = earliestNs;
        return NONE;
    }

    /** True if nothing more is to be expected of a frame: overtaken, or named twice. */
    boolean isStuck(final int place) {
        return isOvertaken[place] || requests[place] > 1;
    }

    long nextDeadlineNs(final long timeoutNs) {
        if (count == 0) {
            return Long.MAX_VALUE;
        }
        final long expiryNs = beganNs[oldest] + timeoutNs + 1;
        return quietNs == Long.MAX_VALUE ? expiryNs : Deadline.earlier(expiryNs, firstDueNs);
    }
}
