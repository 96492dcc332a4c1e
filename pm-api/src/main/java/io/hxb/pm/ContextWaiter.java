package io.hxb.pm;

import io.hxb.pm.attach.NodeInvoker;
import io.hxb.pm.idle.IdlePolicy;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.EventRing;

import java.util.function.BooleanSupplier;

/**
 * Waits until there is something to do for the thread of a context, which owns it: spins, sleeps,
 * or runs the node's loop meanwhile.
 */
final class ContextWaiter {
    private static final int LOOKS_PER_CLOCK = 8;

    private final PmDevice device;
    private final NodeInvoker invoker;
    private final SendEnd sends;
    private final ReceiveEnd receives;
    private final EventRing events;
    private final ContextState state;
    private final NodeWatch watch;
    private final ContextSleep sleep;
    private final IdlePolicy spin;
    private final boolean maySpin;
    private boolean hasUntoldSends;
    private BooleanSupplier remote = () -> false;

    /**
     * Makes the waiter of a context.
     *
     * @param device its device, whose link events are reported during a wait and whose node's loop
     *     is run if this thread has to run it.
     * @param spinNs longest time before it sleeps, in ns.
     */
    public ContextWaiter(
            final PmDevice device,
            final ContextState state,
            final SendEnd sends,
            final ReceiveEnd receives,
            final EventRing events,
            final ContextSleep sleep,
            final long spinNs) {
        this.device = device;
        invoker = device.invoker();
        this.sends = sends;
        this.receives = receives;
        this.events = events;
        this.state = state;
        watch = state.watch();
        this.sleep = sleep;
        maySpin = spinNs > 0;
        spin = new IdlePolicy(spinNs);
    }

    /** Sets the check for results of remote memory. */
    public void remote(final BooleanSupplier isReady) {
        remote = isReady;
    }

    /** Takes back the send slots that are done; the next wait for sends ends if there are any. */
    public void takeDoneSends() {
        if (!state.isClosed() && sends.takeAllDone() > 0) {
            hasUntoldSends = true;
        }
    }

    /**
     * Waits.
     *
     * @param interest one or more of MESSAGES, SENDS and REMOTE of {@link ControlMemory}.
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return a {@link PmStatus}: OK if what is waited for is there, EVENT if only an event is,
     *     TIMED_OUT, CONTEXT_CLOSED, NODE_GONE, NODE_SILENT or INTERRUPTED.
     */
    public int await(final int interest, final long timeoutNs) {
        if (timeoutNs < 0) {
            throw new IllegalArgumentException("timeoutNs must be 0 or more: " + timeoutNs);
        }
        if (state.isClosed()) {
            return PmStatus.CONTEXT_CLOSED;
        }
        int status = look(interest);
        if (status == PmStatus.EMPTY
                && (interest & ControlMemory.MESSAGES) != 0
                && maySpin
                && receives.comesSoon()) {
            status = PmStatus.OK;
        }
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
     * Arms the descriptor of the context for the next event.
     *
     * @return false if there is something to do already, or the context is closed.
     */
    public boolean arm(final int interest) {
        if (state.isClosed()) {
            return false;
        }
        sleep.arm(interest);
        device.pollLinkEvents();
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

    /** Ends a wait; called by another thread, after {@link ContextState#detach}. */
    public void wakeForGood() {
        sleep.wakeForGood();
    }

    private int awaitReady(final int interest, final long timeoutNs) {
        final long startNs = System.nanoTime();
        long nowNs = startNs;
        while (true) {
            device.pollLinkEvents();
            final long leftNs = timeoutNs - (nowNs - startNs);
            final boolean isSpinning = spin.isSpinning(nowNs);
            if (invoker != null) {
                invoker.run(isSpinning ? 0 : Math.max(leftNs, 0));
            } else if (isSpinning || leftNs <= 0) {
                lookOften(interest);
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
            if (Thread.currentThread().isInterrupted()) {
                return PmStatus.INTERRUPTED;
            }
            nowNs = System.nanoTime();
        }
    }

    /** Looks a few times: reading the clock takes longer than a message between two CPUs. */
    private void lookOften(final int interest) {
        for (int i = 0; i < LOOKS_PER_CLOCK && look(interest) == PmStatus.EMPTY; i++) {
            Thread.onSpinWait();
        }
    }

    private void sleep(final int interest, final long timeoutNs) {
        sleep.start(interest);
        if (look(interest) == PmStatus.EMPTY
                && !device.hasLinkEvents()
                && state.isOpenAtNode()
                && sleep.await(timeoutNs)) {
            watch.check();
        }
        sleep.end();
    }

    // A send that failed is an event, so a wait for messages alone has to look for it.
    private int look(final int interest) {
        final int ready = ready(interest);
        if (ready == PmStatus.EMPTY && (interest & ControlMemory.SENDS) == 0 && sends.hasDone()) {
            takeDoneSends();
            return ready(interest);
        }
        return ready;
    }

    private int ready(final int interest) {
        final boolean isForMessages = (interest & ControlMemory.MESSAGES) != 0;
        final boolean isForSends = (interest & ControlMemory.SENDS) != 0;
        // Reported once, as sends that are done.
        hasUntoldSends |= isForSends && sends.takeRoomAgain();
        if ((isForMessages && receives.isReady())
                || (isForSends && (hasUntoldSends || sends.hasDone()))) {
            return PmStatus.OK;
        }
        if ((interest & ControlMemory.REMOTE) != 0 && remote.getAsBoolean()) {
            return PmStatus.OK;
        }
        return !sends.failed().isEmpty() || (isForMessages && events.isReady())
                ? PmStatus.EVENT
                : PmStatus.EMPTY;
    }
}
