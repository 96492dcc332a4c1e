package io.hxb.log;

import io.hxb.time.TokenBucket;

import org.slf4j.Logger;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * Warns of things that others can cause as often as they like: a few lines at once and a few per
 * minute for each kind and place, the rest as a count. A flood of one kind does not suppress lines
 * of another. Any thread may call it.
 */
public final class RateLimitedLog {
    /** Lines of one kind and place that may be written in a burst. */
    static final int BURST_LINES = 5;

    /** Time after which another may be written, and after which the rest is summarized. */
    static final long LINE_NS = 10_000_000_000L;

    /** Kinds and places that are distinguished; all others share one allowance. */
    static final int MAX_PLACES = 512;

    private static final Place ELSEWHERE = new Place("", -1);

    private final Logger logger;
    private final Map<Place, Bucket> buckets = new HashMap<>();

    private record Place(String kind, int number) {}

    // Written under the lock of the limit.
    private static final class Bucket {
        private final TokenBucket tokens = new TokenBucket(BURST_LINES, LINE_NS);
        private long heldSinceNs;
        private int held;
        private String last = "";

        boolean take(final String line, final long nowNs) {
            if (held == 0 && tokens.take(nowNs)) {
                return true;
            }
            if (held++ == 0) {
                heldSinceNs = nowNs;
            }
            last = line;
            return false;
        }

        boolean isSummaryDue(final long nowNs) {
            return held > 0 && nowNs - heldSinceNs >= LINE_NS;
        }

        /** Takes the number of suppressed lines, which is 0 afterwards. */
        int takeHeld(final long nowNs) {
            final int count = held;
            held = 0;
            tokens.drain(nowNs);
            return count;
        }

        boolean isIdle(final long nowNs) {
            return held == 0 && tokens.isFull(nowNs);
        }
    }

    /** Nothing has been written yet. */
    public RateLimitedLog(final Logger logger) {
        this.logger = logger;
    }

    /**
     * Warns, or counts if there was too much of this.
     *
     * @param kind what the line is about, one of a few constants.
     * @param number of the place that it is about, such as a link.
     * @param nowNs a time that only grows.
     */
    public void warn(final String kind, final int number, final String line, final long nowNs) {
        if (take(new Place(kind, number), line, nowNs)) {
            logger.warn("{}", line);
        }
    }

    /** As the other one, with what was thrown, whose origin the log shows. */
    public void warn(
            final String kind,
            final int number,
            final String line,
            final Throwable thrown,
            final long nowNs) {
        if (take(new Place(kind, number), line, nowNs)) {
            logger.warn("{}", line, thrown);
        }
    }

    private synchronized boolean take(final Place place, final String line, final long nowNs) {
        Bucket bucket = buckets.get(place);
        if (bucket == null) {
            final Place known = buckets.size() < MAX_PLACES ? place : ELSEWHERE;
            bucket = buckets.computeIfAbsent(known, _ -> new Bucket());
        }
        return bucket.take(line, nowNs);
    }

    /** Logs the number of suppressed lines, where that is due; called often. */
    public synchronized void doWork(final long nowNs) {
        final Iterator<Bucket> all = buckets.values().iterator();
        while (all.hasNext()) {
            final Bucket bucket = all.next();
            if (bucket.isSummaryDue(nowNs)) {
                logger.warn(
                        "{} more lines such as this suppressed: {}",
                        bucket.takeHeld(nowNs),
                        bucket.last);
            } else if (bucket.isIdle(nowNs)) {
                all.remove();
            }
        }
    }
}
