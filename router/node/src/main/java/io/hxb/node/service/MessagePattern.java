package io.hxb.node.service;

import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * Content of measured messages: a sequence number, and after it bytes that follow from the number,
 * so that a receiver notices a lost, duplicated, misplaced or damaged message. Stateless; any
 * thread may call it; nothing is allocated.
 */
public final class MessagePattern {
    /** Bytes of the smallest message. */
    public static final int MIN_BYTES = Integer.BYTES;

    private static final int PERIOD = 4096;
    private static final int STEP = 64;
    private static final int LONGEST_PIECE = 64 * 1024;
    private static final long NOISE = noise();

    private MessagePattern() {}

    private static long noise() {
        final MemorySegment segment = Arena.global().allocate(PERIOD + LONGEST_PIECE, 64);
        final SplittableRandom random = new SplittableRandom(0x4858);
        for (long offset = 0; offset < segment.byteSize(); offset += Long.BYTES) {
            Memory.putLong(segment.address() + offset, random.nextLong());
        }
        return segment.address();
    }

    /**
     * Writes a message.
     *
     * @param address where it is written.
     * @param lengthBytes {@link #MIN_BYTES} or more.
     * @param sequence number of the message in its stream; 32 bits of it are carried.
     */
    public static void write(final long address, final int lengthBytes, final long sequence) {
        number(address, sequence);
        int offset = MIN_BYTES;
        while (offset < lengthBytes) {
            final int piece = Math.min(LONGEST_PIECE, lengthBytes - offset);
            Memory.copy(source(sequence), address + offset, piece);
            offset += piece;
        }
    }

    /** Writes the sequence number of a message and leaves the bytes behind it as they are. */
    public static void number(final long address, final long sequence) {
        Memory.putInt(address, (int) sequence);
    }

    /** The sequence number that a message carries; its length is {@link #MIN_BYTES} or more. */
    public static int sequence(final long address) {
        return Memory.getInt(address);
    }

    /** True if the bytes after the sequence number are those that belong to it. */
    public static boolean isIntact(final long address, final int lengthBytes) {
        final long expected = source(sequence(address));
        int offset = MIN_BYTES;
        while (offset < lengthBytes) {
            final int piece = Math.min(LONGEST_PIECE, lengthBytes - offset);
            final long at = address + offset;
            if (MemorySegment.mismatch(
                            Memory.ALL, at, at + piece, Memory.ALL, expected, expected + piece)
                    != -1) {
                return false;
            }
            offset += piece;
        }
        return true;
    }

    private static long source(final long sequence) {
        return NOISE + (sequence * STEP & PERIOD - 1);
    }
}
