package io.hxb.pm;

/**
 * When a context that receives by direct rings lets some messages come before it looks again. One
 * that looks for each message as soon as it is written takes the cache line from the sender, which
 * has to get it back for the next: both then wait for the line most of the time. So while messages
 * come in one direction, a ring that has become empty is left alone for a while, the longer the
 * faster they come. A context that sends in between may wait for an answer, and never pauses. Owned
 * by the context's thread.
 */
final class ReceivePace {
    /** Messages received without one being sent, from which on messages come in one direction. */
    private static final int ONE_WAY = 64;

    private static final int MIN_PAUSES = 16;

    /** Pauses of the CPU, of 10 to 40 ns each. */
    private static final int MAX_PAUSES = 512;

    /** As many pauses for each message are worth it, and twice as many are not. */
    private static final int PAUSES_FOR_A_MESSAGE = 16;

    private int oneWay;
    private int sincePause;
    private int pauses;

    /** Messages were received. */
    void onMessages(final int count) {
        oneWay = Math.min(oneWay + count, ONE_WAY);
        sincePause = Math.min(sincePause + count, MAX_PAUSES);
    }

    /** The context sends something. */
    void onSend() {
        oneWay = 0;
    }

    /** True if messages come in one direction. */
    boolean isOneWay() {
        return oneWay >= ONE_WAY;
    }

    /** True if there is reason to pause, once for some messages. */
    boolean mayPause() {
        return isOneWay() && sincePause > 0;
    }

    /** How long the last pause was, in pauses of the CPU. */
    int pauses() {
        return pauses;
    }

    /** Pauses, for as long as the messages since the last time suggest. */
    void pause() {
        final int worth = sincePause * PAUSES_FOR_A_MESSAGE;
        sincePause = 0;
        if (worth >= pauses) {
            pauses = Math.min(MAX_PAUSES, Math.max(MIN_PAUSES, 2 * pauses));
        } else if (2 * worth < pauses) {
            pauses /= 2;
        }
        for (int i = 0; i < pauses; i++) {
            Thread.onSpinWait();
        }
    }
}
