package io.hxb.tool.measure;

/** Notified of round trips as they happen, by the thread that measures. */
public interface PingListener {
    /** Wants to know nothing. */
    PingListener NONE =
            new PingListener() {
                @Override
                public void onAnswer(final Pair pair, final long number, final long tripNs) {
                    // Nobody wants to know.
                }

                @Override
                public void onLoss(final Pair pair, final long number, final String problem) {
                    // Nobody wants to know.
                }
            };

    /**
     * An answer has come.
     *
     * @param number of the message, from 1 on.
     * @param tripNs how long it took.
     */
    void onAnswer(Pair pair, long number, long tripNs);

    /**
     * No answer has come.
     *
     * @param number of the message, from 1 on.
     * @param problem why, as far as that is known, without a full stop.
     */
    void onLoss(Pair pair, long number, String problem);
}
