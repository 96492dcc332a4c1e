package io.hxb.counter;

import io.hxb.linux.Memory;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A text in the counters of a node that is replaced as a whole. Stateless; the text has one writer.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      8 sequence, odd while the text is written
 *      8      4 length
 *     12      4 0
 *     16        UTF-8
 * </pre>
 */
final class TextArea {
    static final int LENGTH_BYTES = 16 * 1024;

    private static final int TEXT_OFFSET = 16;

    /** Longest text that fits. */
    static final int MAX_TEXT_BYTES = LENGTH_BYTES - TEXT_OFFSET;

    private TextArea() {}

    /**
     * Replaces the text.
     *
     * @param text at most {@link #MAX_TEXT_BYTES} bytes.
     */
    static void write(final MemorySegment memory, final int at, final byte[] text) {
        final long address = memory.address() + at;
        final long sequence = Memory.getLong(address);
        Memory.putLongVolatile(address, sequence + 1);
        Memory.putInt(address + Long.BYTES, text.length);
        MemorySegment.copy(
                MemorySegment.ofArray(text), 0, memory, at + (long) TEXT_OFFSET, text.length);
        Memory.putLongVolatile(address, sequence + 2);
    }

    /** Copies the text, unless it is being replaced: then the copy stays as it was. */
    static void copy(
            final MemorySegment from,
            final MemorySegment to,
            final int at,
            final MemorySegment scratch) {
        final long address = from.address() + at;
        final long before = Memory.getLongVolatile(address);
        if ((before & 1) != 0) {
            return;
        }
        scratch.copyFrom(from.asSlice(at, LENGTH_BYTES));
        VarHandle.loadLoadFence();
        if (Memory.getLongVolatile(address) == before) {
            to.asSlice(at, LENGTH_BYTES).copyFrom(scratch);
        }
    }

    /** True if a file has the whole text, as far as the file alone can tell. */
    static boolean isWhole(final ByteBuffer image, final int at) {
        return (image.getLong(at) & 1) == 0;
    }

    /** Changes with the text. */
    static long sequence(final ByteBuffer image, final int at) {
        return image.getLong(at);
    }

    /** The text in a file; a length that does not fit is cut. */
    static String read(final ByteBuffer image, final int at) {
        final int length = Math.clamp(image.getInt(at + Long.BYTES), 0, MAX_TEXT_BYTES);
        final byte[] bytes = new byte[length];
        image.get(at + TEXT_OFFSET, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
