package io.hxb.flow;

/**
 * A keyed hash of four words: without the key, the result cannot be distinguished from a random
 * number. Stateless. Source: Aumasson and Bernstein, SipHash: a fast short-input PRF, 2012;
 * SipHash-2-4 of 32 bytes.
 */
final class SipHash {
    private static final long LENGTH_WORD = 32L << 56;

    private SipHash() {}

    /** The hash of the words {@code a} to {@code d} with the key {@code key0}, {@code key1}. */
    static long hash(
            final long key0,
            final long key1,
            final long a,
            final long b,
            final long c,
            final long d) {
        long v0 = key0 ^ 0x736F_6D65_7073_6575L;
        long v1 = key1 ^ 0x646F_7261_6E64_6F6DL;
        long v2 = key0 ^ 0x6C79_6765_6E65_7261L;
        long v3 = key1 ^ 0x7465_6462_7974_6573L;
        for (int step = 0; step < 6; step++) {
            final long word =
                    switch (step) {
                        case 0 -> a;
                        case 1 -> b;
                        case 2 -> c;
                        case 3 -> d;
                        case 4 -> LENGTH_WORD;
                        default -> 0;
                    };
            final boolean isLast = step == 5;
            v2 ^= isLast ? 0xFF : 0;
            v3 ^= word;
            for (int round = isLast ? 4 : 2; round > 0; round--) {
                v0 += v1;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v3;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 += v3;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 += v1;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= word;
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }
}
