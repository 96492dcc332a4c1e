package io.hxb.pm.stream;

import io.hxb.pm.stream.wire.Bytes;

import java.nio.ByteBuffer;

/**
 * Some received bytes of a stream, in a message or copied, and the piece that follows. Guarded by
 * the engine's lock.
 */
final class ReceiveSegment {
    /** Null when the bytes lie in a message. */
    private final byte[] bytes;

    private final long handle;
    private final long address;
    private int start;
    private int end;
    private ReceiveSegment next;

    private ReceiveSegment(
            final byte[] bytes, final long handle, final long address, final int lengthBytes) {
        this.bytes = bytes;
        this.handle = handle;
        this.address = address;
        end = lengthBytes;
    }

    /** The bytes of a message, which stay in place. */
    static ReceiveSegment held(final long handle, final long address, final int lengthBytes) {
        return new ReceiveSegment(null, handle, address, lengthBytes);
    }

    /** Room for copies of {@code capacityBytes}. */
    static ReceiveSegment empty(final int capacityBytes) {
        return new ReceiveSegment(new byte[capacityBytes], 0, 0, 0);
    }

    /** True if the bytes lie in a message, which is released with the piece. */
    boolean isHeld() {
        return bytes == null;
    }

    /** The message that the bytes lie in. */
    long handle() {
        return handle;
    }

    /** Bytes that a copy has room for, used or not. */
    int capacityBytes() {
        return bytes.length;
    }

    /** Bytes that may still be appended to a copy. */
    int roomBytes() {
        return bytes.length - end;
    }

    /** Copies bytes to the end; at most {@link #roomBytes()}. */
    void append(final long from, final int lengthBytes) {
        Bytes.get(from, lengthBytes, bytes, end);
        end += lengthBytes;
    }

    /** Takes as many bytes as there are and the target has room for; returns how many. */
    int take(final ByteBuffer target) {
        final int count = Math.min(target.remaining(), end - start);
        if (bytes == null) {
            Bytes.get(address + start, count, target);
        } else {
            target.put(bytes, start, count);
        }
        start += count;
        return count;
    }

    /** Bytes that have not been taken. */
    int lengthBytes() {
        return end - start;
    }

    /** Appends the bytes that have not been taken, which lie in a message, to a copy. */
    void copyTo(final ReceiveSegment copy) {
        copy.append(address + start, end - start);
    }

    /** True if all bytes have been taken. */
    boolean isTaken() {
        return start == end;
    }

    /** Makes a copy empty. */
    void clear() {
        start = 0;
        end = 0;
    }

    /** Sets the piece that follows. */
    void link(final ReceiveSegment piece) {
        next = piece;
    }

    /** Separates it from the piece that follows; returns that piece, or null. */
    ReceiveSegment unlink() {
        final ReceiveSegment following = next;
        next = null;
        return following;
    }
}
