package io.hxb.tool.measure;

/** What became of the round trips of one pair. Owned by the thread that measures. */
final class PingTally {
    private final Pair pair;
    private final RoundTripHistogram histogram;
    private long sent;
    private long lost;
    private long late;
    private long duplicated;
    private long corrupt;
    private long bytes;

    /** Of a pair, whose round trips are kept with that many significant digits. */
    PingTally(final Pair pair, final int digits) {
        this.pair = pair;
        histogram = new RoundTripHistogram(digits);
    }

    void onAnswer(final long tripNs, final int lengthBytes) {
        sent++;
        histogram.record(tripNs);
        bytes += 2L * lengthBytes;
    }

    void onLoss() {
        sent++;
        lost++;
    }

    void onLate() {
        late++;
    }

    void onDuplicate() {
        duplicated++;
    }

    void onCorrupt() {
        corrupt++;
    }

    Pair pair() {
        return pair;
    }

    /** Round trips. */
    RoundTripHistogram histogram() {
        return histogram;
    }

    /** Messages sent. */
    long sent() {
        return sent;
    }

    /** Messages without an answer in time. */
    long lost() {
        return lost;
    }

    /** Answers that came after their time. */
    long late() {
        return late;
    }

    /** Answers that came again. */
    long duplicated() {
        return duplicated;
    }

    /** Answers with wrong content. */
    long corrupt() {
        return corrupt;
    }

    /** Payload bytes, both directions. */
    long bytes() {
        return bytes;
    }
}
