package io.hxb.pm;

import io.hxb.linux.PollSet;
import io.hxb.linux.SignalSocket;
import io.hxb.pm.shm.ControlMemory;

/**
 * How an application sleeps until the node, or another context there, signals its context. Owned by
 * the context's thread.
 *
 * <p>To sleep: {@link #start}, look once more whether there is something to do, {@link #await} if
 * not, {@link #end}.
 */
final class ContextSleep {
    private final ControlMemory control;
    private final DirectRings rings;
    private final int signalSocket;
    private final PollSet pollSet = new PollSet(2);
    private boolean isWaiting;
    private int expectedSignals;

    /**
     * Makes one for a context.
     *
     * @param rings whose other ends are asked for signals too.
     * @param signalSocket the application's end of its SignalSocket.
     * @param nodeDescriptor becomes readable when the node dies; -1 for none.
     */
    public ContextSleep(
            final ControlMemory control,
            final DirectRings rings,
            final int signalSocket,
            final int nodeDescriptor) {
        this.control = control;
        this.rings = rings;
        this.signalSocket = signalSocket;
        pollSet.add(signalSocket);
        pollSet.add(nodeDescriptor);
    }

    /** Asks the node for a signal when something of {@code interest} happens, or to its links. */
    void start(final int interest) {
        isWaiting = true;
        rings.sleep(interest);
        control.waiting(interest | ControlMemory.LINKS);
    }

    /**
     * Blocks until the node signals or dies.
     *
     * @return true if the node may have died.
     */
    boolean await(final long timeoutNs) {
        pollSet.await(timeoutNs);
        return pollSet.ready(1) != 0;
    }

    /** Ends what {@link #start} began. */
    // There is a signal for each wait that the node or another context has ended, perhaps after the
    // wait: only then is
    // there something to read, and most waits of a busy application end without one.
    void end() {
        if (isWaiting) {
            isWaiting = false;
            expectedSignals += (control.endWaiting() ? 1 : 0) + rings.awake();
        }
        if (expectedSignals > 0) {
            expectedSignals -= SignalSocket.drain(signalSocket);
        }
    }

    /** Closes it; it must not be used any more. */
    void close() {
        pollSet.close();
    }
}
