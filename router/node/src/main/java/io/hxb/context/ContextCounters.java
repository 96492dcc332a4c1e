package io.hxb.context;

import io.hxb.pm.shm.CloseReason;

/**
 * What the contexts of one loop have done. Written by that loop; other threads may read slightly
 * old values.
 */
public final class ContextCounters {
    private long messagesSent;
    private long sendsDone;
    private long sendsFailed;
    private long messagesReleased;
    private long framesReleased;
    private long contextsOpened;
    private long contextsClosed;
    private final long[] closed = new long[CloseReason.count()];

    ContextCounters() {}

    void onSent(final int messages) {
        messagesSent += messages;
    }

    void onSendsDone(final int messages) {
        sendsDone += messages;
    }

    void onSendsFailed(final int messages) {
        sendsFailed += messages;
    }

    void onReleased(final int messages, final int frames) {
        messagesReleased += messages;
        framesReleased += frames;
    }

    void onOpened() {
        contextsOpened++;
    }

    /** A context begins to close. */
    void onClosing(final CloseReason reason) {
        closed[reason.code()]++;
    }

    /** A context that was closing is gone completely. */
    void onClosed() {
        contextsClosed++;
    }

    /** Messages taken from submission rings and handed to flows. */
    public long messagesSent() {
        return messagesSent;
    }

    /** Messages acknowledged by the peer. */
    public long sendsDone() {
        return sendsDone;
    }

    /** Messages that failed because their flow ended. */
    public long sendsFailed() {
        return sendsFailed;
    }

    /** Delivered messages that applications have released. */
    public long messagesReleased() {
        return messagesReleased;
    }

    /** Receive buffers given back, by release or because the context was closed. */
    public long framesReleased() {
        return framesReleased;
    }

    /** Contexts opened. */
    public long contextsOpened() {
        return contextsOpened;
    }

    /** Contexts closed, for whatever reason. */
    public long contextsClosed() {
        return contextsClosed;
    }

    /** Contexts closed for this reason. */
    public long closed(final CloseReason reason) {
        return closed[reason.code()];
    }

    /** Contexts closed because the application broke the rules in any way. */
    public long violations() {
        long sum = 0;
        for (final CloseReason reason : CloseReason.values()) {
            sum += reason.isViolation() ? closed[reason.code()] : 0;
        }
        return sum;
    }
}
