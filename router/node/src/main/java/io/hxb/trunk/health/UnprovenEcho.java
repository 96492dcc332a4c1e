package io.hxb.trunk.health;

/**
 * The answer to status frames that acknowledge nothing of what was announced, and so prove nothing:
 * the number of such a frame is acknowledged, on the link on which it arrived, and not too often.
 * Guarded by the lock of {@link TrunkHealth}.
 */
final class UnprovenEcho {
    /** Minimum time between two answers. */
    private static final long ECHO_NS = 10_000_000;

    private static final int NONE = OwnAnnouncements.NONE;

    private int unproven = NONE;
    private int link;
    private long dueNs;

    /** What is written on that link in place of what is acknowledged. */
    private int echo = NONE;

    /** Nothing has to be answered. */
    UnprovenEcho(final long nowNs) {
        dueNs = nowNs;
    }

    /** The neighbour is a new incarnation. */
    void restart() {
        unproven = NONE;
    }

    /** A status frame that proves nothing has come. */
    void onUnproven(final int sequence, final int onLink) {
        unproven = sequence;
        link = onLink;
    }

    /** True if an answer is due at {@link #dueNs}. */
    boolean isWaiting() {
        return unproven != NONE;
    }

    long dueNs() {
        return dueNs;
    }

    /** True if an answer is due now. */
    boolean isDue(final long nowNs) {
        return isWaiting() && dueNs - nowNs <= 0;
    }

    /** The link on which an answer is due now, as a set; empty if none is. */
    long take(final long nowNs) {
        echo = NONE;
        if (!isDue(nowNs)) {
            return 0;
        }
        echo = unproven;
        unproven = NONE;
        dueNs = nowNs + ECHO_NS;
        return 1L << link;
    }

    /** What is acknowledged on a link: that number, or {@code otherwise}. */
    int acknowledgement(final int onLink, final int otherwise) {
        return echo != NONE && onLink == link ? echo : otherwise;
    }
}
