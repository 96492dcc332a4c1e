package io.hxb.vlan.health;

/**
 * Requests to one host on several of its paths at once, in rounds. Paths on which it replies are
 * alive; if it replies on some only, the others are dead. Owned by the thread of its {@link
 * PathHealth}. The name is that of RFC 9000, 8.2.
 */
final class PathValidation {
    /** Rounds before there is a verdict. */
    static final int ROUNDS = 3;

    /** Rounds after which the host itself counts as silent. */
    static final int MAX_ROUNDS = 8;

    /** Time between two rounds, in ns. */
    static final long ROUND_NS = 3_000_000;

    private static final long MIN_PAUSE_NS = 50_000_000;
    private static final long MAX_PAUSE_NS = 5_000_000_000L;
    private static final int ROUND_BITS = 4;
    private static final int ROUND_MASK = (1 << ROUND_BITS) - 1;

    private boolean isOpen;
    private int number;
    private int rounds;
    private long startNs;
    private long nextNs;
    private long pauseNs = MIN_PAUSE_NS;
    private boolean isPaused;

    boolean isOpen() {
        return isOpen;
    }

    /** Whether another may begin: one of a silent host begins less and less often. */
    boolean mayBegin(final long nowNs) {
        return !isOpen && (!isPaused || nowNs - nextNs >= 0);
    }

    void begin(final long nowNs) {
        isOpen = true;
        isPaused = false;
        number = number + 1 & ROUND_MASK;
        rounds = 0;
        startNs = nowNs;
        nextNs = nowNs;
    }

    long startNs() {
        return startNs;
    }

    boolean isDue(final long nowNs) {
        return isOpen && nowNs - nextNs >= 0;
    }

    /** Rounds that have been sent. */
    int rounds() {
        return rounds;
    }

    /** Begins the next round; the code that its requests carry. */
    int next(final long nowNs) {
        nextNs = nowNs + ROUND_NS;
        return number << ROUND_BITS | rounds++;
    }

    /** The round that a reply is about; -1 if it is not one of this validation. */
    int roundOf(final int code) {
        return isOpen && code >>> ROUND_BITS == number && (code & ROUND_MASK) < rounds
                ? code & ROUND_MASK
                : -1;
    }

    void end(final boolean hasReplies, final long nowNs) {
        isOpen = false;
        isPaused = !hasReplies;
        nextNs = nowNs + pauseNs;
        pauseNs = hasReplies ? MIN_PAUSE_NS : Math.min(MAX_PAUSE_NS, 2 * pauseNs);
    }

    /** The host is there. */
    void onHeard() {
        isPaused = false;
        pauseNs = MIN_PAUSE_NS;
    }
}
