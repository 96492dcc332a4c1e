package io.hxb.remote;

import io.hxb.frame.RemoteRecordFlyweight;
import io.hxb.pm.PmStatus;
import io.hxb.pm.shm.OperationRing;

import java.util.concurrent.atomic.AtomicLong;

/**
 * An operation of this context on the memory of another, from when its application hands it over
 * until its outcome is put. Reused; owned by the loop of the context, but for {@link #place}, by
 * which any loop puts what it receives into the application's region.
 */
final class RemoteOperation {
    private static final long PLACING = Long.MIN_VALUE;

    /** Its number in use, or 0; with {@link #PLACING} while a loop writes to the region. */
    private final AtomicLong state = new AtomicLong();

    private final int slot;
    private final OperationRequest request = new OperationRequest();
    private long number;
    private RemoteOperation behind;
    private long peer;
    private LentRegion region;
    private long receivedBytes;
    private int status;
    private long value;

    RemoteOperation(final int slot) {
        this.slot = slot;
    }

    /**
     * Begins.
     *
     * @param newNumber not 0 and above 0, that of no other operation.
     * @param entries at the entry that the application has written.
     * @param newRegion in use for it; null if it needs none.
     */
    void begin(
            final long newNumber,
            final long newPeer,
            final OperationRing entries,
            final LentRegion newRegion,
            final long newLength) {
        assert state.get() == 0 : "in use: " + slot;
        number = newNumber;
        behind = null;
        peer = newPeer;
        region = newRegion;
        final long address = newRegion == null ? 0 : newRegion.address() + entries.regionOffset();
        request.begin(entries, address, newLength);
        receivedBytes = 0;
        status = PmStatus.OK;
        value = 0;
        state.setRelease(newNumber);
    }

    int slot() {
        return slot;
    }

    long number() {
        return number;
    }

    /** The context that it is directed to. */
    long peer() {
        return peer;
    }

    boolean isFence() {
        return request.isFence();
    }

    RemoteOperation behind() {
        return behind;
    }

    void chain(final RemoteOperation operation) {
        behind = operation;
    }

    /** True once all of its requests have been sent. */
    boolean isSent() {
        return request.isSent();
    }

    int status() {
        return status;
    }

    long value() {
        return value;
    }

    /** Bytes of data that its next requests carry, together. */
    long leftBytes() {
        return status == PmStatus.OK ? request.leftBytes() : 0;
    }

    /**
     * Writes its next request.
     *
     * @param maxDataBytes data that fits after the record.
     * @return bytes of data after the record.
     */
    int write(final RemoteRecordFlyweight record, final int maxDataBytes) {
        return request.write(record, number, status != PmStatus.OK, maxDataBytes);
    }

    /**
     * Puts received bytes into the region, if they belong to this operation; any loop.
     *
     * @param of number of the operation that they are for.
     * @param from the context that sent them.
     * @return false if they belong to no operation.
     */
    boolean place(final long of, final long from, final long record) {
        if (of <= 0
                || state.getAcquire() != of
                || peer != from
                || !state.compareAndSet(of, of | PLACING)) {
            return false;
        }
        final boolean isMine = request.place(record);
        state.setRelease(of);
        return isMine;
    }

    /** Notes an answer. */
    void onAnswer(final int answerStatus, final long answerValue, final long bytes) {
        receivedBytes += bytes;
        value = answerValue;
        if (status == PmStatus.OK) {
            status = answerStatus;
        }
    }

    /** True if all bytes that it reads have arrived. */
    boolean isComplete() {
        return !request.isGet() || receivedBytes == request.lengthBytes();
    }

    /** Ends as failed. */
    void fail(final int why) {
        status = status == PmStatus.OK ? why : status;
    }

    /**
     * Lets no loop place anything any more, and gives the region back.
     *
     * @return false if one is just placing something: try again later.
     */
    boolean end() {
        if (!state.compareAndSet(number, 0)) {
            return false;
        }
        if (region != null) {
            region.unuse();
            region = null;
        }
        return true;
    }

    boolean isOpen() {
        return state.getAcquire() != 0;
    }
}
