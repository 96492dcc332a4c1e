package io.hxb.pm.stream;

/**
 * The outgoing bytes of one stream: what was sent, what may be sent, and how they end. Positions
 * count bytes from the stream's start. Guarded by the engine's lock.
 */
final class StreamOutput {
    private long sent;
    private long limit;
    private int writers;
    private boolean isEnding;
    private boolean isEndSent;
    private boolean isTaken;

    /** Position of the next byte. */
    long sent() {
        return sent;
    }

    /** Bytes that the peer has room for. */
    long creditBytes() {
        return limit - sent;
    }

    void onSent(final int lengthBytes) {
        assert lengthBytes <= creditBytes() : "never more than the peer has granted";
        sent += lengthBytes;
    }

    /**
     * The peer grants bytes up to {@code newLimit}; less than before is ignored.
     *
     * @return true if there was no credit before, and there is now.
     */
    boolean onCredit(final long newLimit) {
        final boolean wasStopped = sent == limit;
        final boolean isMore = newLimit > limit;
        limit = Math.max(limit, newLimit);
        return isMore && wasStopped;
    }

    /** A write that waits has begun: until it has ended the output does not end in order. */
    void beginWrite() {
        writers++;
    }

    /** A write that waited has ended, whether all was written or not. */
    void endWrite() {
        writers--;
        assert writers >= 0 : "each write ends once";
    }

    /** True while a write waits. */
    boolean isWriting() {
        return writers > 0;
    }

    /** No more can be written from now on. */
    void beginEnd() {
        isEnding = true;
    }

    /** True if no more can be written: the end was sent, or is when a write has finished. */
    boolean isEnding() {
        return isEnding;
    }

    /** True, once, when the peer has to be notified of the end. */
    boolean takeEnd() {
        if (!isEnding || isEndSent || writers > 0) {
            return false;
        }
        isEndSent = true;
        return true;
    }

    /**
     * The peer acknowledges that it has taken everything up to {@code position}; false if that is
     * wrong.
     */
    boolean onTaken(final long position) {
        if (!isEndSent || position != sent) {
            return false;
        }
        isTaken = true;
        return true;
    }

    /** True if the peer has taken all that was written, up to the end. */
    boolean isDelivered() {
        return isTaken || (isEndSent && sent == 0);
    }
}
