package io.hxb.pm;

import io.hxb.linux.Futex;
import io.hxb.linux.FutexWords;
import io.hxb.linux.Memory;
import io.hxb.linux.SignalSocket;
import io.hxb.pm.attach.DirectMemory;
import io.hxb.pm.shm.DirectPage;

import java.lang.invoke.VarHandle;

/**
 * The word by which one end of a direct ring announces that it sleeps and how, and the other wakes
 * it. An instance is that of the sleeping end, and owned by its thread.
 */
final class DirectSleep {
    private final long word;
    private int sleep;

    /**
     * Makes one that is awake.
     *
     * @param word its address, of {@link DirectPage}.
     */
    DirectSleep(final long word) {
        this.word = word;
    }

    /**
     * Wakes the other end if it sleeps.
     *
     * @param word of that end.
     */
    static void wake(final DirectMemory memory, final long word) {
        // What was published is written before this is read, also where the other end executes the
        // fence for both: the compiler must not exchange the two.
        VarHandle.releaseFence();
        final int sleep = Memory.getIntVolatile(word);
        if (sleep != 0 && Memory.compareAndSetInt(word, sleep, 0)) {
            if (sleep == DirectPage.ON_WORD) {
                Futex.wake(word);
            } else {
                SignalSocket.signal(memory.peerSignal());
            }
        }
    }

    boolean isSleeping() {
        return sleep != 0;
    }

    /**
     * Asks the other end to wake this thread.
     *
     * @param words that the thread will sleep on, to which this one is added; null if it sleeps at
     *     its SignalSocket.
     */
    void start(final FutexWords words) {
        sleep = words == null ? DirectPage.AT_SOCKET : DirectPage.ON_WORD;
        Memory.putIntVolatile(word, sleep);
        if (words != null) {
            words.add(word, sleep);
        }
    }

    /** Ends what {@link #start} began; returns the signals that have come for it or will. */
    int end() {
        final int was = sleep;
        sleep = 0;
        return was != 0 && Memory.getAndSetInt(word, 0) == 0 && was == DirectPage.AT_SOCKET ? 1 : 0;
    }
}
