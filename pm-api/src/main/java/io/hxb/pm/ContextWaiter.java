package io.hxb.pm;

import io.hxb.pm.idle.AdaptiveSpin;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.EventRing;

import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * Waits until there is something to do for the thread of a context, which owns it: spins, sleeps,
 * or runs the node's loop meanwhile.
 */
final class ContextWaiter {
    /** Longest spin while others wait for the CPU: that of contexts by default. */
    private static final long SHARED_SPIN_NS = 10_000;

    private final SendEnd sends;
    private final ReceiveEnd receives;
    private final EventRing events;
    private final ContextState state;
    private final NodeWatch watch;
    private final ContextSleep sleep;
    private final LongConsumer invoker;
    private final Runnable linkEvents;
    private final BooleanSupplier hasLinkEvents;
    private final Runnable doneSends;
    private final AdaptiveSpin spin;
    private boolean hasUntoldSends;

    /**
     * Makes the waiter of a context.
     *
     * @param invoker runs the node's loop for at most so many ns, when this thread has to; else
     *     null.
     * @param linkEvents tells listeners of links what has happened to them.
     * @param hasLinkEvents says whether there is something to tell them.
     * @param doneSends takes back the send slots that are done, and notes those that failed.
     * @param spinNs longest time before it sleeps; while others wait for the CPU at most 10 us.
     */
    public ContextWaiter(
            final SendEnd sends,
            final ReceiveEnd receives,
            final EventRing events,
            final ContextState state,
            final ContextSleep sleep,
            final LongConsumer invoker,
            final Runnable linkEvents,
            final BooleanSupplier hasLinkEvents,
            final Runnable doneSends,
            final long spinNs) {
        this.sends = sends;
        this.receives = receives;
        this.events = events;
        this.state = state;
        watch = state.watch();
        this.sleep = sleep;
        this.invoker = invoker;
        this.linkEvents = linkEvents;
        this.hasLinkEvents = hasLinkEvents;
        this.doneSends = doneSends;
        spin = new AdaptiveSpin(spinNs, SHARED_SPIN_NS);
    }

    /** Notes that sends are done of which whoever waits for sends next has not been told. */
    public void onUntoldSends() {
        hasUntoldSends = true;
    }

    /**
     * Waits.
     *
     * @param interest MESSAGES, SENDS or both of {@link ControlMemory}.
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return a {@link PmStatus}: OK if what is waited for is there, EVENT if only an event is,
     *     TIMED_OUT, CONTEXT_CLOSED, NODE_GONE or NODE_SILENT.
     */
    public int await(final int interest, final long timeoutNs) {
        if (timeoutNs < 0) {
            throw new IllegalArgumentException("timeoutNs must be 0 or more: " + timeoutNs);
        }
        if (state.isClosed()) {
            return PmStatus.CONTEXT_CLOSED;
        }
        int status = look(interest);
        if (status == PmStatus.EMPTY) {
            status = awaitReady(interest, timeoutNs);
        }
        hasUntoldSends &= (interest & ControlMemory.SENDS) == 0;
        if (status == PmStatus.OK || status == PmStatus.EVENT) {
            spin.onWork();
        }
        return status;
    }

    /**
     * Arms the descriptor of the context for what may happen next.
     *
     * @return false if there is something to do already, or the context is closed.
     */
    public boolean arm(final int interest) {
        if (state.isClosed()) {
            return false;
        }
        sleep.start(interest);
        linkEvents.run();
        if (ready(interest) != PmStatus.EMPTY || state.status() != PmStatus.OK) {
            hasUntoldSends &= (interest & ControlMemory.SENDS) == 0;
            sleep.end();
            return false;
        }
        return true;
    }

    /** Ends what {@link #arm} began. */
    public void disarm() {
        if (!state.isClosed()) {
            sleep.end();
        }
    }

    /** Ends it, after the context. */
    public void close() {
        sleep.close();
    }

    private int awaitReady(final int interest, final long timeoutNs) {
        final long startNs = System.nanoTime();
        long nowNs = startNs;
        while (true) {
            linkEvents.run();
            final long leftNs = timeoutNs - (nowNs - startNs);
            final boolean isSpinning = spin.isSpinning(nowNs);
            if (invoker != null) {
                invoker.accept(isSpinning ? 0 : Math.max(leftNs, 0));
            } else if (isSpinning || leftNs <= 0) {
                Thread.onSpinWait();
            } else {
                sleep(interest, Math.min(leftNs, NodeWatch.ALIVE_CHECK_NS));
            }
            final int ready = look(interest);
            if (ready != PmStatus.EMPTY) {
                return ready;
            }
            final boolean isSilent =
                    (!isSpinning || leftNs <= 0) && invoker == null && watch.isSilent(nowNs);
            if (leftNs <= 0) {
                return state.idle(isSilent ? PmStatus.NODE_SILENT : PmStatus.TIMED_OUT);
            }
            final int closed = state.status();
            if (closed != PmStatus.OK) {
                return closed;
            }
            if (isSilent) {
                return PmStatus.NODE_SILENT;
            }
            nowNs = System.nanoTime();
        }
    }

    private void sleep(final int interest, final long timeoutNs) {
        sleep.start(interest);
        if (look(interest) == PmStatus.EMPTY
                && !hasLinkEvents.getAsBoolean()
                && state.isOpenAtNode()
                && sleep.await(timeoutNs)) {
            watch.check();
        }
        sleep.end();
    }

    // A send that failed is an event: who waits for messages only has to look for it.
    private int look(final int interest) {
        final int ready = ready(interest);
        if (ready == PmStatus.EMPTY && (interest & ControlMemory.SENDS) == 0 && sends.hasDone()) {
            doneSends.run();
            return ready(interest);
        }
        return ready;
    }

    private int ready(final int interest) {
        final boolean isForMessages = (interest & ControlMemory.MESSAGES) != 0;
        if ((isForMessages && receives.isReady())
                || ((interest & ControlMemory.SENDS) != 0 && (hasUntoldSends || sends.hasDone()))) {
            return PmStatus.OK;
        }
        return !sends.failed().isEmpty() || (isForMessages && events.isReady())
                ? PmStatus.EVENT
                : PmStatus.EMPTY;
    }
}
