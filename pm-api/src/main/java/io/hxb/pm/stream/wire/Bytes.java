package io.hxb.pm.stream.wire;

import io.hxb.linux.Memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** Copies between buffers and memory by address. Stateless. */
public final class Bytes {
    private Bytes() {}

    /** Copies to a buffer and advances it; it has room. */
    public static void get(final long address, final int lengthBytes, final ByteBuffer target) {
        final int position = target.position();
        if (target.hasArray()) {
            MemorySegment.copy(
                    Memory.ALL,
                    ValueLayout.JAVA_BYTE,
                    address,
                    target.array(),
                    target.arrayOffset() + position,
                    lengthBytes);
        } else {
            MemorySegment.copy(Memory.ALL, address, MemorySegment.ofBuffer(target), 0, lengthBytes);
        }
        target.position(position + lengthBytes);
    }

    /** Copies from a buffer and advances it; it has as much. */
    public static void put(final ByteBuffer source, final long address, final int lengthBytes) {
        final int position = source.position();
        if (source.hasArray()) {
            MemorySegment.copy(
                    source.array(),
                    source.arrayOffset() + position,
                    Memory.ALL,
                    ValueLayout.JAVA_BYTE,
                    address,
                    lengthBytes);
        } else {
            MemorySegment.copy(MemorySegment.ofBuffer(source), 0, Memory.ALL, address, lengthBytes);
        }
        source.position(position + lengthBytes);
    }

    /** Copies to an array. */
    public static void get(
            final long address, final int lengthBytes, final byte[] target, final int offset) {
        MemorySegment.copy(Memory.ALL, ValueLayout.JAVA_BYTE, address, target, offset, lengthBytes);
    }

    /** Bytes that remain in some of several buffers. */
    public static long remaining(final ByteBuffer[] buffers, final int offset, final int length) {
        long total = 0;
        for (int i = offset; i < offset + length; i++) {
            total += buffers[i].remaining();
        }
        return total;
    }
}
