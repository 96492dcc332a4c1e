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
    /** Bytes of a sequence number; a shorter message carries its lowest bytes only. */
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
     * @param lengthBytes 1 or more.
     * @param sequence number of the message in its stream; 32 bits of it are carried.
     */
    public static void write(final long address, final int lengthBytes, final long sequence) {
        write(address, 0, lengthBytes, sequence);
    }

    /**
     * Writes a range of a message.
     *
     * @param address where the range is written.
     * @param offset of the range in the message: 0, or {@link #MIN_BYTES} or more.
     * @param lengthBytes of the range, 1 or more.
     * @param sequence as for the whole.
     */
    public static void write(
            final long address, final int offset, final int lengthBytes, final long sequence) {
        int done = 0;
        if (offset == 0) {
            number(address, lengthBytes, sequence);
            done = Math.min(MIN_BYTES, lengthBytes);
        }
        while (done < lengthBytes) {
            final int place = (offset + done - MIN_BYTES) % LONGEST_PIECE;
            final int piece = Math.min(LONGEST_PIECE - place, lengthBytes - done);
            Memory.copy(source(sequence) + place, address + done, piece);
            done += piece;
        }
    }

    /**
     * Writes the sequence number of a message and leaves the bytes after it as they are.
     *
     * @param lengthBytes of the message: one shorter than a number has its lowest bytes.
     */
    public static void number(final long address, final int lengthBytes, final long sequence) {
        if (lengthBytes >= MIN_BYTES) {
            Memory.putInt(address, (int) sequence);
            return;
        }
        for (int i = 0; i < lengthBytes; i++) {
            Memory.putByte(address + i, (int) (sequence >>> (i * Byte.SIZE)));
        }
    }

    /** The sequence number that a message carries; its length is {@link #MIN_BYTES} or more. */
    public static int sequence(final long address) {
        return Memory.getInt(address);
    }

    /**
     * What a message of any length carries of its sequence number, for {@link StreamCheck}.
     *
     * @param lengthBytes 1 or more.
     */
    public static int sequence(final long address, final int lengthBytes) {
        if (lengthBytes >= MIN_BYTES) {
            return Memory.getInt(address);
        }
        int sequence = 0;
        for (int i = 0; i < lengthBytes; i++) {
            sequence |= (Memory.getByte(address + i) & 0xFF) << (i * Byte.SIZE);
        }
        return sequence;
    }

    /** True if the bytes after the sequence number are those that belong to it. */
    public static boolean isIntact(final long address, final int lengthBytes) {
        return lengthBytes <= MIN_BYTES
                || isIntact(address, 0, lengthBytes, Memory.getInt(address));
    }

    /**
     * True if a range of a message has the bytes that belong there.
     *
     * @param offset of the range in the message.
     * @param sequence of the message; the bytes of the number itself are not compared.
     */
    public static boolean isIntact(
            final long address, final int offset, final int lengthBytes, final int sequence) {
        final long expected = source(sequence);
        int done = Math.clamp(MIN_BYTES - offset, 0, lengthBytes);
        while (done < lengthBytes) {
            final int place = (offset + done - MIN_BYTES) % LONGEST_PIECE;
            final int piece = Math.min(LONGEST_PIECE - place, lengthBytes - done);
            final long at = address + done;
            final long wanted = expected + place;
            if (MemorySegment.mismatch(
                            Memory.ALL, at, at + piece, Memory.ALL, wanted, wanted + piece)
                    != -1) {
                return false;
            }
            done += piece;
        }
        return true;
    }

    private static long source(final long sequence) {
        return NOISE + (sequence * STEP & PERIOD - 1);
    }
}
