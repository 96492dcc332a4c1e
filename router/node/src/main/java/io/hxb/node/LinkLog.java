package io.hxb.node;

import org.slf4j.Logger;

import java.util.function.LongSupplier;

/**
 * Writes failures and recoveries of links to the log: those of all nodes in this process together,
 * a number at once and a number per second, the rest as a count. Any thread may call it.
 */
public final class LinkLog {
    private static final int BURST_LINES = 20;
    private static final long LINE_NS = 2_000_000_000L;
    private static final long SUMMARY_NS = 5_000_000_000L;
    private static final LinkLog OF_THIS_PROCESS = new LinkLog(System::nanoTime);

    private final LongSupplier clockNs;
    private long lastNs;
    private long budgetNs = BURST_LINES * LINE_NS;
    private int failures;
    private int recoveries;
    private long sinceNs;
    private String last = "";
    private int mutes;
    private volatile boolean isHolding;

    /**
     * Makes a log.
     *
     * @param clockNs a clock that only grows.
     */
    LinkLog(final LongSupplier clockNs) {
        this.clockNs = clockNs;
        lastNs = clockNs.getAsLong();
    }

    /** The log of this process. */
    public static LinkLog ofThisProcess() {
        return OF_THIS_PROCESS;
    }

    /**
     * Logs nothing until {@link #unmute}, because this process takes its nodes down itself, and
     * their links fail one after the other.
     */
    public synchronized void mute() {
        mutes++;
    }

    /** Logs again, once called as often as {@link #mute}. */
    public synchronized void unmute() {
        mutes--;
    }

    /** A link is not used any more: warns, or counts if there were too many. */
    public synchronized void failed(final Logger logger, final String line) {
        if (mutes == 0 && take(line)) {
            logger.warn("{}", line);
        } else if (mutes == 0) {
            failures++;
        }
    }

    /** A link is used again: logs it, or counts it if there was too much. */
    public synchronized void recovered(final Logger logger, final String line) {
        if (mutes > 0) {
            return;
        }
        if (!logger.isInfoEnabled()) {
            // Must not take the place of a failure.
            recoveries += isHolding ? 1 : 0;
        } else if (take(line)) {
            logger.info("{}", line);
        } else {
            recoveries++;
        }
    }

    private boolean take(final String line) {
        final long nowNs = clockNs.getAsLong();
        budgetNs = Math.min(BURST_LINES * LINE_NS, budgetNs + (nowNs - lastNs));
        lastNs = nowNs;
        if (budgetNs >= LINE_NS && !isHolding) {
            budgetNs -= LINE_NS;
            return true;
        }
        if (!isHolding) {
            isHolding = true;
            sinceNs = nowNs;
        }
        last = line;
        return false;
    }

    /** Writes what was only counted, if it is due; called often. */
    public void doWork(final Logger logger) {
        if (isHolding) {
            summarize(logger, false);
        }
    }

    /** Writes what was only counted; when a node stops. */
    public void flush(final Logger logger) {
        if (isHolding) {
            summarize(logger, true);
        }
    }

    private synchronized void summarize(final Logger logger, final boolean isLast) {
        final long elapsedNs = clockNs.getAsLong() - sinceNs;
        if (!isHolding || (!isLast && elapsedNs < SUMMARY_NS)) {
            return;
        }
        if (failures + recoveries > 0) {
            logger.warn(
                    "links failed {} more times and recovered {} times within {} s; the last:"
                            + " {}",
                    failures,
                    recoveries,
                    Math.max(1, Math.round(elapsedNs / 1e9)),
                    last);
        }
        isHolding = false;
        failures = 0;
        recoveries = 0;
    }
}
