package io.hxb.bench.message;

import io.hxb.linux.Memory;

import java.lang.foreign.Arena;

/**
 * What an end does with the bytes of a message after its sequence. Owned by one thread.
 *
 * <p>Nothing, so that figures are those of the way alone; or it copies each message from memory of
 * its own and into it, as a program does that has its data elsewhere.
 */
final class Contents {
    private static final int CACHE_LINE = 64;

    private final long own;
    private final int lengthBytes;

    private Contents(final long own, final int lengthBytes) {
        this.own = own;
        this.lengthBytes = lengthBytes;
    }

    /** Leaves them as they lie in the buffer. */
    static Contents untouched() {
        return new Contents(0, 0);
    }

    /**
     * Copies all of them.
     *
     * @param lengthBytes of each message, 4 or more.
     */
    static Contents whole(final int lengthBytes) {
        return new Contents(
                Arena.global().allocate(lengthBytes, CACHE_LINE).address(), lengthBytes);
    }

    /** Writes a message that goes to {@code address}, up to its end and with its first bytes. */
    void write(final long address) {
        if (lengthBytes > 0) {
            Memory.copy(own, address, lengthBytes);
        }
    }

    /** Reads a message that lies at {@code address}. */
    void read(final long address) {
        if (lengthBytes > 0) {
            Memory.copy(address, own, lengthBytes);
        }
    }
}
