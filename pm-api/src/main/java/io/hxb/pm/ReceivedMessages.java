package io.hxb.pm;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The messages that an application has received and not released, and their handles. A handle
 * consists of a number that grows with each message and of the place where the message is noted; in
 * place of that, the highest numbers name the rings by which other contexts of the node send
 * directly. A handle is therefore never taken for that of another message, also when several lie in
 * one buffer. Owned by the context's thread.
 */
final class ReceivedMessages {
    private static final int PLACE_BITS = 24;
    private static final int PLACE_MASK = (1 << PLACE_BITS) - 1;
    private static final long POSITION_MASK = Long.MAX_VALUE >>> PLACE_BITS;
    private static final long NOT_HELD = -1;
    private static final long FAR = 0x9E3779B97F4A7C15L;
    private static final AtomicLong BASES = new AtomicLong();

    /** Of the message noted at each place, or NOT_HELD. */
    private final long[] positions;

    private final int[] bufferIds;
    private final int[] free;
    private final long base = newBase();
    private int freeCount;
    private int total;

    /**
     * Makes empty books.
     *
     * @param max messages that the node delivers before one is released, 1 to 2^20.
     */
    ReceivedMessages(final int max) {
        positions = new long[max];
        bufferIds = new int[max];
        free = new int[max];
        Arrays.fill(positions, NOT_HELD);
        for (int place = max - 1; place >= 0; place--) {
            free[freeCount++] = place;
        }
    }

    /**
     * Notes a message received.
     *
     * @param position of its entry in the delivery ring.
     * @return its handle, 0 or more.
     * @throws IllegalStateException if as many are held as the node may have delivered.
     */
    long hold(final long position, final int bufferId) {
        if (freeCount == 0) {
            throw new IllegalStateException("the delivery ring was overwritten at " + position);
        }
        final int place = free[--freeCount];
        final long number = (base + position) & POSITION_MASK;
        positions[place] = number;
        bufferIds[place] = bufferId;
        total++;
        return handle(number, place);
    }

    /**
     * A number for the first message of a context or ring: far from those of others, so that a
     * handle of one is not that of a message of another.
     */
    static long newBase() {
        return (BASES.incrementAndGet() * FAR) & POSITION_MASK;
    }

    /** Handle of a message with this number that is noted at a place, or in a ring. */
    static long handle(final long position, final int place) {
        return ((position << PLACE_BITS) | place) & Long.MAX_VALUE;
    }

    /** What is instead of a place in handles of messages in the ring with this index. */
    static int ringBits(final int ring) {
        return PLACE_MASK - ring;
    }

    /** Index of the ring that a handle names, if there is one with it; else at least that. */
    static int ring(final long handle) {
        return handle < 0 ? Integer.MAX_VALUE : PLACE_MASK - ((int) handle & PLACE_MASK);
    }

    /** Number of a message, as far as its handle has it. */
    static long position(final long handle) {
        return handle >>> PLACE_BITS;
    }

    /** How far after {@code first} the number of a handle is. */
    static long positionsBetween(final long first, final long position) {
        return (position - first) & POSITION_MASK;
    }

    /** Notes that a message in a ring is held, or with -1 that it no longer is. */
    void onDirect(final int messages) {
        total += messages;
    }

    /**
     * Notes that a message is no longer held.
     *
     * @return the buffer in which it lies.
     * @throws IllegalStateException if no message with that handle is held.
     */
    public int release(final long handle) {
        final int place = (int) handle & PLACE_MASK;
        if (handle < 0 || place >= positions.length || positions[place] != position(handle)) {
            throw new IllegalStateException("no message with this handle is held: " + handle);
        }
        positions[place] = NOT_HELD;
        free[freeCount++] = place;
        total--;
        return bufferIds[place];
    }

    /** Number of messages held. */
    public int count() {
        return total;
    }
}
