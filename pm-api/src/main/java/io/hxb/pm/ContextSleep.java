package io.hxb.pm;

import io.hxb.linux.FutexWords;
import io.hxb.linux.PollSet;
import io.hxb.linux.SignalSocket;
import io.hxb.pm.attach.Attachment.WakeUps;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.DirectPage;

/**
 * How an application sleeps until the node, or another context there, signals its context. Owned by
 * the context's thread.
 *
 * <p>To sleep: {@link #start}, look once more whether there is something to do, {@link #await} if
 * not, {@link #end}. Where the system can, it sleeps on the words by which the node announces work;
 * a program that wants to be woken at a descriptor calls {@link #arm} instead of {@link #start}.
 */
final class ContextSleep {
    private final ControlMemory control;
    private final DirectRings rings;
    private final int signalSocket;
    private final PollSet pollSet = new PollSet(2);
    private final FutexWords words;
    // DirectPage.AT_SOCKET or ON_WORD while others are asked to wake this thread; else 0.
    private int sleep;
    private int expectedSignals;

    /**
     * Makes one for a context.
     *
     * @param rings whose other ends are asked for signals too.
     * @param wakeUps has the application's end of its SignalSocket.
     * @param nodeDescriptor becomes readable when the node dies; -1 for none.
     */
    public ContextSleep(
            final ControlMemory control,
            final DirectRings rings,
            final WakeUps wakeUps,
            final int nodeDescriptor) {
        this.control = control;
        this.rings = rings;
        signalSocket = wakeUps.application();
        words = wakeUps.hasWords() && FutexWords.areSupported() ? new FutexWords() : null;
        pollSet.add(signalSocket);
        pollSet.add(nodeDescriptor);
    }

    /** Asks to be woken when something of {@code interest} happens, or to the node's links. */
    void start(final int interest) {
        end();
        if (words == null) {
            arm(interest);
            return;
        }
        final int waiting = interest | ControlMemory.LINKS | ControlMemory.ON_WORD;
        sleep = DirectPage.ON_WORD;
        words.clear();
        rings.sleep(interest, words);
        control.waiting(waiting);
        words.add(control.waitingWord(), waiting);
    }

    /** The same, at the descriptor. */
    void arm(final int interest) {
        sleep = DirectPage.AT_SOCKET;
        rings.sleep(interest, null);
        control.waiting(interest | ControlMemory.LINKS);
    }

    /**
     * Blocks until it is woken.
     *
     * @return true if the node may have died.
     */
    // A thread on words does not see at once that the node has died: it looks when nothing has
    // woken it.
    boolean await(final long timeoutNs) {
        final boolean isOnWord = sleep == DirectPage.ON_WORD;
        if (isOnWord && words.await(timeoutNs)) {
            return false;
        }
        pollSet.await(isOnWord ? 0 : timeoutNs);
        return pollSet.ready(1) != 0;
    }

    /** Ends what {@link #start} began. */
    // There is a signal for each wait at the descriptor that the node or another context has ended,
    // perhaps after the wait: only then is there something to read.
    void end() {
        if (sleep != 0) {
            final boolean isAtSocket = sleep == DirectPage.AT_SOCKET;
            sleep = 0;
            expectedSignals += (control.endWaiting() && isAtSocket ? 1 : 0) + rings.awake();
        }
        if (expectedSignals > 0) {
            expectedSignals -= SignalSocket.drain(signalSocket);
        }
    }

    /**
     * Wakes the context's thread permanently; called by another thread, which closes the device.
     */
    void wakeForGood() {
        control.wakeSleeper();
        SignalSocket.shutDown(signalSocket);
    }

    /** Closes it; it must not be used any more. */
    void close() {
        pollSet.close();
        if (words != null) {
            words.close();
        }
    }
}
