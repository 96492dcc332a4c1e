package io.hxb.stress;

import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Native memory for the states of a test, which jcstress makes by the million and uses some ten
 * thousand of at a time: pieces of one block, in turn. Any thread.
 */
public final class StateMemory {
    /** More than twice the states that are in use at a time, so that none shares a piece. */
    private static final int PIECES = 1 << 15;

    private static final int ALIGNMENT_BYTES = 128;

    private final long address;
    private final int pieceBytes;
    private final AtomicInteger pieces = new AtomicInteger();

    /**
     * Allocates the block, which is never freed.
     *
     * @param pieceBytes what one state needs, a multiple of 128.
     */
    public StateMemory(final int pieceBytes) {
        if (pieceBytes <= 0 || pieceBytes % ALIGNMENT_BYTES != 0) {
            throw new IllegalArgumentException(
                    "pieceBytes must be a multiple of 128: " + pieceBytes);
        }
        this.pieceBytes = pieceBytes;
        address = Arena.global().allocate((long) PIECES * pieceBytes, ALIGNMENT_BYTES).address();
    }

    /** The address of a piece that no other state uses, zeroed. */
    public long next() {
        final long piece = address + (long) (pieces.getAndIncrement() & (PIECES - 1)) * pieceBytes;
        for (int offset = 0; offset < pieceBytes; offset += Long.BYTES) {
            Memory.putLong(piece + offset, 0);
        }
        return piece;
    }
}
