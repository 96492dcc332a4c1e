package io.hxb.bench.message;

/**
 * One end of an ordered, reliable way for messages to one peer and from it. Owned by one thread. A
 * message starts with its sequence, 4 bytes; the rest is whatever lies in the buffer, for HXB and
 * its peer alike.
 */
interface Transport extends AutoCloseable {
    /** Takes the messages that arrived. */
    @FunctionalInterface
    interface Receiver {
        /** One message with its sequence and length. */
        void onMessage(int sequence, int lengthBytes);
    }

    /**
     * Sends one message without waiting.
     *
     * @param lengthBytes 4 to the transport's longest.
     * @return false when there is no room now: idle, then try again.
     */
    boolean offer(int sequence, int lengthBytes);

    /**
     * Hands over what has arrived, without waiting.
     *
     * @return messages handed over, 0 to {@code limit}.
     */
    int receive(Receiver receiver, int limit);

    /** Lets the transport do its work, and waits for something to do if it is to block. */
    void idle();

    /**
     * Messages sent and not yet known to have arrived; 0 where the transport does not report it.
     */
    int unfinished();

    @Override
    void close();
}
