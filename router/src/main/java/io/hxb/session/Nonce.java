package io.hxb.session;

import java.util.random.RandomGenerator;

/**
 * 128 random bits that never occur again. Immutable.
 *
 * @param low first half.
 * @param high second half.
 */
record Nonce(long low, long high) {
    /** Stands for none. */
    static final Nonce NONE = new Nonce(0, 0);

    static Nonce random(final RandomGenerator random) {
        final Nonce nonce = new Nonce(random.nextLong(), random.nextLong());
        return nonce.equals(NONE) ? random(random) : nonce;
    }

    boolean isNone() {
        return (low | high) == 0;
    }
}
