package io.hxb.node.loop;

import io.hxb.linux.LinuxException;
import io.hxb.os.TimerFd;
import io.hxb.time.Deadline;

import java.io.UncheckedIOException;

/**
 * Ends a loop's sleep when its earliest deadline has come: a timerfd that is set when that deadline
 * comes closer, and postponed only occasionally when it moves away, so that a loop that is kept
 * awake by frames neither sets it each time it sleeps nor is interrupted by it often. Owned by that
 * loop.
 */
final class DeadlineTimer implements AutoCloseable {
    /** Time by which the timer may expire too early, which costs an unnecessary interrupt. */
    private static final long EARLY_NS = 500_000;

    private final TimerFd timer;
    private long armedNs = Deadline.NEVER;
    private boolean isRegistered;

    DeadlineTimer() {
        try {
            timer = new TimerFd();
        } catch (final LinuxException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes the sleep of {@code loop} end at {@code deadlineNs}, which is after {@code nowNs}. */
    void arm(final Loop loop, final long deadlineNs, final long nowNs) {
        if (!isRegistered) {
            isRegistered = true;
            loop.register(timer.descriptor(), Interest.READABLE, this::onReady);
        }
        final boolean isCovered =
                deadlineNs == Deadline.NEVER
                        || (armedNs != Deadline.NEVER
                                && armedNs - deadlineNs <= 0
                                && deadlineNs - armedNs < EARLY_NS);
        if (!isCovered) {
            armedNs = deadlineNs;
            timer.set(deadlineNs - nowNs);
        }
    }

    // Nothing has to be done except to look at the tasks again.
    private void onReady(final boolean isReadable, final boolean isWritable) {
        timer.clear();
        armedNs = Deadline.NEVER;
    }

    @Override
    public void close() {
        timer.close();
    }
}
