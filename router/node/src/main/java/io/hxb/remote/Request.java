package io.hxb.remote;

/**
 * A request of another context that waits to be answered. Reused; owned by the loop of the context
 * whose memory it is about.
 */
final class Request {
    private Request behind;
    private long what;
    private long operation;
    private long key;
    private long offset;
    private long lengthBytes;
    private long tag;
    private long answeredBytes;

    /** Copies the entry that the queue is at. */
    Request take(final ArrivalQueue arrivals) {
        what = arrivals.what();
        operation = arrivals.operation();
        key = arrivals.key();
        offset = arrivals.offset();
        lengthBytes = arrivals.lengthBytes();
        tag = arrivals.tag();
        answeredBytes = 0;
        behind = null;
        return this;
    }

    Request behind() {
        return behind;
    }

    /** Chains another one after it. */
    void chain(final Request request) {
        behind = request;
    }

    int kind() {
        return ArrivalEntry.kind(what);
    }

    boolean isLast() {
        return ArrivalEntry.isLast(what);
    }

    int status() {
        return ArrivalEntry.status(what);
    }

    long operation() {
        return operation;
    }

    long key() {
        return key;
    }

    long offset() {
        return offset;
    }

    long lengthBytes() {
        return lengthBytes;
    }

    long tag() {
        return tag;
    }

    /** Bytes that were read for it so far. */
    long answeredBytes() {
        return answeredBytes;
    }

    void onAnswered(final int bytes) {
        answeredBytes += bytes;
    }
}
