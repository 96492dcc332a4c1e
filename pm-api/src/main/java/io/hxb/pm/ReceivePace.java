package io.hxb.pm;

import io.hxb.pm.idle.AdaptivePause;
import io.hxb.pm.idle.IdleParameters;

/**
 * When a context that receives by direct rings lets some messages come before it looks again. One
 * that looks for each message as soon as it is written takes the cache line from the sender, which
 * has to get it back for the next: both then wait for the line most of the time. So while messages
 * come in one direction, a ring that has become empty is left alone for a while, the longer the
 * faster they come. A context that sends in between may wait for an answer, and never pauses. Owned
 * by the context's thread.
 */
final class ReceivePace {
    private final AdaptivePause pause =
            new AdaptivePause(
                    IdleParameters.MIN_RING_PAUSES,
                    IdleParameters.MAX_RING_PAUSES,
                    IdleParameters.RING_PAUSES_PER_MESSAGE,
                    Integer.MAX_VALUE);
    private int oneWay;
    private int sincePause;

    /** Messages were received. */
    void onMessages(final int count) {
        oneWay = Math.min(oneWay + count, IdleParameters.ONE_WAY_MESSAGES);
        sincePause = Math.min(sincePause + count, IdleParameters.MAX_RING_PAUSES);
    }

    /** The context sends something. */
    void onSend() {
        oneWay = 0;
    }

    /** True if messages come in one direction. */
    boolean isOneWay() {
        return oneWay >= IdleParameters.ONE_WAY_MESSAGES;
    }

    /** True if there is reason to pause, once for some messages. */
    boolean mayPause() {
        return isOneWay() && sincePause > 0;
    }

    /** How long the last pause was, in pauses of the CPU; 0 if messages come slowly. */
    long pauses() {
        return pause.length();
    }

    /** Pauses, for as long as the messages since the last time suggest. */
    void pause() {
        if (pause.length() == 0) {
            pause.begin();
        } else {
            pause.onPaused(sincePause);
        }
        sincePause = 0;
        for (long i = pause.length(); i > 0; i--) {
            Thread.onSpinWait();
        }
    }
}
