package io.hxb.bench.soak;

import java.util.HashMap;
import java.util.Map;

/**
 * The streams that one opening of a context receives: each message comes once and in order, and
 * those that do not come are known to the sender as failed. Owned by one thread.
 */
final class StreamBook {
    /** Time for a sender to learn of a failure and report it in a later message. */
    private static final long PATIENCE_NS = 15_000_000_000L;

    private static final long FORGET_NS = 120_000_000_000L;

    private final Map<Long, Stream> streams = new HashMap<>();
    private long again;
    private long lost;

    private static final class Stream {
        private long next;
        private long missing;
        private long failedBefore;
        private long unexplained;
        private long sinceNs;
        private long heardNs;
    }

    /** Books a message in. */
    void onMessage(final long key, final long number, final long failed, final long nowNs) {
        Stream stream = streams.get(key);
        if (stream == null) {
            // This opening may have begun in the middle of the stream: what came before does not
            // belong to it.
            stream = new Stream();
            stream.next = number;
            stream.failedBefore = failed;
            streams.put(key, stream);
        }
        stream.heardNs = nowNs;
        if (number < stream.next) {
            again++;
            return;
        }
        stream.missing += number - stream.next;
        stream.next = number + 1;
        judge(stream, failed, nowNs);
    }

    private void judge(final Stream stream, final long failed, final long nowNs) {
        final long unexplained =
                Math.max(0, stream.missing - Math.max(0, failed - stream.failedBefore));
        if (unexplained != stream.unexplained) {
            stream.unexplained = unexplained;
            stream.sinceNs = nowNs;
        } else if (unexplained > 0 && nowNs - stream.sinceNs > PATIENCE_NS) {
            lost += unexplained;
            stream.missing -= unexplained;
            stream.unexplained = 0;
        }
    }

    /** Judges what senders have had the time to tell, and forgets streams that have ended. */
    void turn(final long nowNs) {
        streams.values().removeIf(stream -> nowNs - stream.heardNs > FORGET_NS);
    }

    /** The context is opened again: what it misses from now on is another matter. */
    void reopen() {
        streams.clear();
    }

    /** Messages that came twice, or after later ones. */
    long again() {
        return again;
    }

    /** Messages that never came, although nobody was notified. */
    long lost() {
        return lost;
    }

    /** Messages that are missing now and that the sender has not explained yet. */
    long unexplained() {
        return streams.values().stream().mapToLong(stream -> stream.unexplained).sum();
    }

    int streams() {
        return streams.size();
    }
}
