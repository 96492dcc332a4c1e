package io.hxb.pm.stream;

import java.nio.ByteBuffer;

/**
 * The incoming bytes of one stream: what was received and not yet read, what the peer may send, and
 * whether its end has come. Positions count bytes from the stream's start. Guarded by the engine's
 * lock.
 */
final class StreamInput {
    private final ReceiveQueue queue;
    private final int windowBytes;
    private long received;
    private long consumed;
    private long granted;
    private boolean isEndReceived;
    private boolean isTakenSent;
    private boolean isShut;

    /** Makes the input of a stream whose peer may send {@code windowBytes} ahead of its reader. */
    StreamInput(final ReceivePool pool, final int windowBytes) {
        queue = new ReceiveQueue(pool);
        this.windowBytes = windowBytes;
        granted = windowBytes;
    }

    /** True if these bytes follow those received and were granted. */
    boolean isNext(final long position, final int lengthBytes) {
        return !isEndReceived && position == received && lengthBytes <= granted - received;
    }

    /** Notes bytes that are next, and whether they are the last. */
    void onReceived(final int lengthBytes, final boolean isEnd) {
        received += lengthBytes;
        isEndReceived = isEnd;
    }

    /** Position of the next byte that will arrive. */
    long received() {
        return received;
    }

    /** Position up to which the peer may send. */
    long granted() {
        return granted;
    }

    /**
     * Keeps bytes until they are read.
     *
     * @return true if they stay in their message, which is released when they have been read.
     */
    boolean keep(final long handle, final long address, final int lengthBytes) {
        return queue.add(handle, address, lengthBytes);
    }

    /** Bytes that wait to be read. */
    int available() {
        return queue.lengthBytes();
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Reads what waits; returns how many bytes. */
    int read(final ByteBuffer target) {
        return queue.take(target);
    }

    /** Drops what waits; returns how many bytes. */
    int clear() {
        return queue.clear();
    }

    /** Nothing is read any more, whatever arrives. */
    void shut() {
        isShut = true;
    }

    boolean isShut() {
        return isShut;
    }

    /** True if nothing follows what waits. */
    boolean isEnded() {
        return isEndReceived || isShut;
    }

    /** Bytes were read, or dropped. */
    void onConsumed(final int lengthBytes) {
        consumed += lengthBytes;
        assert consumed <= received : "nothing is read that has not been received";
    }

    /**
     * Grants the peer a full window again when half of one is used up; true if the grant has to be
     * sent.
     */
    boolean grant() {
        if (isEndReceived || consumed + windowBytes - granted < windowBytes / 2) {
            return false;
        }
        granted = consumed + windowBytes;
        return true;
    }

    /** True, once, when the peer has to be notified that everything up to its end was taken. */
    boolean takeTaken() {
        if (!isEndReceived || isTakenSent) {
            return false;
        }
        isTakenSent = true;
        return true;
    }
}
