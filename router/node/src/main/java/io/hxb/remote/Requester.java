package io.hxb.remote;

/**
 * A context whose requests wait to be answered, in their order. Reused; owned by the loop of the
 * context whose memory they are about.
 */
final class Requester {
    private long peer;
    private Request first;
    private Request last;

    /** Makes it stand for another context, from which nothing waits. */
    Requester of(final long newPeer) {
        assert first == null : "requests are left";
        peer = newPeer;
        return this;
    }

    long peer() {
        return peer;
    }

    boolean isEmpty() {
        return first == null;
    }

    Request first() {
        return first;
    }

    void add(final Request request) {
        if (first == null) {
            first = request;
        } else {
            last.chain(request);
        }
        last = request;
    }

    Request removeFirst() {
        final Request removed = first;
        first = removed.behind();
        return removed;
    }
}
