package io.hxb.bench.soak;

import io.hxb.linux.Memory;

/**
 * What a message of a long run holds: who sent it, its number, how many messages the sender knows
 * to have failed, and bytes that follow from the first two. Stateless.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      8 stream: names the sender and one opening of its context
 *      8      8 number of the message from that sender to this receiver, from 0
 *     16      8 messages of the stream before this one of which the sender was notified that they failed
 *     24      4 length of the message
 *     28      4 0
 *     32        bytes drawn from stream and number
 * </pre>
 */
final class Content {
    /** Bytes of the shortest message. */
    static final int MIN_BYTES = 32;

    private static final long STEP = 0x9E37_79B9_7F4A_7C15L;

    private Content() {}

    /** Writes a message of {@code lengthBytes}, {@link #MIN_BYTES} or more. */
    static void write(
            final long address,
            final int lengthBytes,
            final long stream,
            final long number,
            final long failed) {
        Memory.putLong(address, stream);
        Memory.putLong(address + 8, number);
        Memory.putLong(address + 16, failed);
        Memory.putLong(address + 24, lengthBytes);
        final long seed = seed(stream, number);
        int offset = MIN_BYTES;
        for (; offset + 8 <= lengthBytes; offset += 8) {
            Memory.putLong(address + offset, word(seed, offset));
        }
        for (; offset < lengthBytes; offset++) {
            Memory.putByte(address + offset, (int) word(seed, offset));
        }
    }

    /** True if a received message is as {@link #write} made it, to the last byte. */
    static boolean isIntact(final long address, final int lengthBytes) {
        if (lengthBytes < MIN_BYTES || Memory.getLong(address + 24) != lengthBytes) {
            return false;
        }
        final long seed = seed(stream(address), number(address));
        int offset = MIN_BYTES;
        for (; offset + 8 <= lengthBytes; offset += 8) {
            if (Memory.getLong(address + offset) != word(seed, offset)) {
                return false;
            }
        }
        for (; offset < lengthBytes; offset++) {
            if (Memory.getByte(address + offset) != (byte) word(seed, offset)) {
                return false;
            }
        }
        return true;
    }

    static long stream(final long address) {
        return Memory.getLong(address);
    }

    static long number(final long address) {
        return Memory.getLong(address + 8);
    }

    static long failed(final long address) {
        return Memory.getLong(address + 16);
    }

    private static long seed(final long stream, final long number) {
        return (stream ^ number * STEP) * STEP;
    }

    private static long word(final long seed, final int offset) {
        final long mixed = (seed + offset * STEP) * STEP;
        return mixed ^ mixed >>> 29;
    }
}
