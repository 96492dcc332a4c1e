package io.hxb.remote;

import io.hxb.frame.RemoteRecordFlyweight;
import io.hxb.linux.Memory;
import io.hxb.pm.shm.OperationRing;

/**
 * What an application asks for by an operation on remote memory, and how much of that has been
 * requested of the other node. Part of a {@link RemoteOperation} and owned as that.
 */
final class OperationRequest {
    private int kind;
    private long localAddress;
    private long key;
    private long offset;
    private long lengthBytes;
    private long first;
    private long second;
    private long sentBytes;
    private boolean isSent;

    /**
     * Begins.
     *
     * @param entries at the entry that the application has written.
     * @param address where the data lies in the application's region; 0 if it needs none.
     * @param length of the data.
     */
    void begin(final OperationRing entries, final long address, final long length) {
        kind = entries.kind();
        localAddress = address;
        key = entries.key();
        offset = entries.offset();
        lengthBytes = length;
        first = entries.first();
        second = entries.second();
        sentBytes = 0;
        isSent = false;
    }

    boolean isFence() {
        return kind == OperationRing.FENCE;
    }

    boolean isGet() {
        return kind == OperationRing.GET;
    }

    /** Bytes of the data. */
    long lengthBytes() {
        return lengthBytes;
    }

    /** Bytes of data that were not sent. */
    long leftBytes() {
        return kind == OperationRing.PUT || kind == OperationRing.PUT_NOTIFY
                ? lengthBytes - sentBytes
                : 0;
    }

    /** True once all requests have been sent. */
    boolean isSent() {
        return isSent;
    }

    /**
     * Writes the next request.
     *
     * @param number of the operation.
     * @param isRefused true if the other node has refused it: it is ended without the rest, and
     *     nobody is notified of it.
     * @param maxDataBytes data that fits after the record.
     * @return bytes of data after the record.
     */
    int write(
            final RemoteRecordFlyweight record,
            final long number,
            final boolean isRefused,
            final int maxDataBytes) {
        final boolean isPut = kind == OperationRing.PUT || kind == OperationRing.PUT_NOTIFY;
        final int bytes =
                isPut && !isRefused ? (int) Math.min(maxDataBytes, lengthBytes - sentBytes) : 0;
        isSent = !isPut || isRefused || sentBytes + bytes == lengthBytes;
        record.begin(isRefused ? OperationRing.PUT : kind, isSent ? RemoteRecordFlyweight.LAST : 0)
                .operation(number)
                .key(key)
                .range(offset + sentBytes, isPut ? bytes : lengthBytes)
                .operands(first, isPut ? lengthBytes : second);
        if (bytes > 0) {
            Memory.copy(localAddress + sentBytes, record.dataAddress(), bytes);
            sentBytes += bytes;
        }
        return bytes;
    }

    /**
     * Puts bytes that were read into the region, if they can be of it.
     *
     * @return false if they cannot be.
     */
    boolean place(final long record) {
        final long at = RemoteRecordFlyweight.offset(record);
        final long bytes = RemoteRecordFlyweight.lengthBytes(record);
        final boolean isMine = isGet() && at >= 0 && bytes >= 0 && at <= lengthBytes - bytes;
        if (isMine) {
            Memory.copy(RemoteRecordFlyweight.dataAddress(record), localAddress + at, bytes);
        }
        return isMine;
    }
}
