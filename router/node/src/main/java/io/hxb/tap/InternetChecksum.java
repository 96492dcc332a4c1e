package io.hxb.tap;

import io.hxb.linux.Memory;

/** The checksum of IP, ICMP, UDP and TCP. Stateless. Source: RFC 1071, 1. */
public final class InternetChecksum {
    private InternetChecksum() {}

    /**
     * Adds words of 16 bits; an odd byte at the end is the first of one.
     *
     * @param lengthBytes up to 65,536, so that the sum of some such ranges fits.
     */
    public static int sum(final long address, final int lengthBytes) {
        int sum = 0;
        for (int offset = 0; offset + 1 < lengthBytes; offset += Short.BYTES) {
            sum += Memory.getUnsignedShortBigEndian(address + offset);
        }
        return (lengthBytes & 1) == 0
                ? sum
                : sum + (Memory.getUnsignedByte(address + lengthBytes - 1) << Byte.SIZE);
    }

    /** A sum with its carries added in, as a pseudo-header has it. */
    public static int folded(final int sum) {
        final int once = (sum & 0xFFFF) + (sum >>> Short.SIZE);
        return (once & 0xFFFF) + (once >>> Short.SIZE);
    }

    /** The checksum for a sum. */
    public static int of(final int sum) {
        return ~folded(sum) & 0xFFFF;
    }
}
