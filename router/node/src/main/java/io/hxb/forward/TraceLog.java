package io.hxb.forward;

/**
 * Reports about frames that this node traces, until the node's service takes them. All loops of the
 * node add to it and one thread takes; nobody waits longer than for a copy of some words. What
 * nobody waits for, and what is more than {@value #ENTRIES}, is not kept.
 */
public final class TraceLog {
    private static final int ENTRIES = 256;
    private static final int WORDS = 5;

    private final long[] words = new long[ENTRIES * WORDS];
    private int first;
    private int count;
    private volatile boolean isWanted;

    /** Empty; nobody waits for reports yet. */
    public TraceLog() {}

    /** Whether somebody waits for reports; without, all that is kept is forgotten. */
    public synchronized void want(final boolean isNowWanted) {
        isWanted = isNowWanted;
        if (!isNowWanted) {
            count = 0;
        }
    }

    /** True while somebody waits. */
    boolean isWanted() {
        return isWanted;
    }

    /** Adds a report, if somebody waits for it and there is room. */
    synchronized void add(final TraceReport report) {
        if (!isWanted || count == ENTRIES) {
            return;
        }
        report.write(words, (first + count) % ENTRIES * WORDS);
        count++;
    }

    /**
     * Takes the oldest report.
     *
     * @param report gets it.
     * @return false if there is none.
     */
    public synchronized boolean take(final TraceReport report) {
        if (count == 0) {
            return false;
        }
        report.read(words, first * WORDS);
        first = (first + 1) % ENTRIES;
        count--;
        return true;
    }
}
