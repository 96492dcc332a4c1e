package io.hxb.frame;

import io.hxb.linux.Memory;

import java.util.random.RandomGenerator;

/**
 * 128 random bits that never occur again; 16 bytes in a frame, little-endian. Immutable.
 *
 * @param low first half.
 * @param high second half.
 */
public record Nonce(long low, long high) {
    /** Stands for none. */
    public static final Nonce NONE = new Nonce(0, 0);

    /** Bytes in a frame. */
    static final int LENGTH = 2 * Long.BYTES;

    /** A new one. */
    public static Nonce random(final RandomGenerator random) {
        final Nonce nonce = new Nonce(random.nextLong(), random.nextLong());
        return nonce.equals(NONE) ? random(random) : nonce;
    }

    /** True for {@link #NONE}. */
    public boolean isNone() {
        return (low | high) == 0;
    }

    /** The one at an address. */
    static Nonce at(final long address) {
        return new Nonce(Memory.getLong(address), Memory.getLong(address + Long.BYTES));
    }

    /** Writes it to an address. */
    void putAt(final long address) {
        Memory.putLong(address, low);
        Memory.putLong(address + Long.BYTES, high);
    }
}
