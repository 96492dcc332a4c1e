package io.hxb.flow.order;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Sorts the frames of one flow, which several receiving loops put in as they arrive and one loop at
 * a time takes out in order. No thread ever waits for another.
 *
 * <p>A slot is 64 bits: sequence in the upper half, buffer id + 1 in the lower; 0 = never used. A
 * loop stores with one compare-and-set. A delivered frame leaves its sequence behind as a mark, so
 * the sequence in a slot only ever grows: a copy of the past finds its own sequence or a later one,
 * however late it is. The sender has at most as many frames on the way as there are slots, so no
 * two others can meet in one.
 *
 * <p>Taking out belongs to the thread that brings the work counter from 0 to 1; others only add to
 * it, and the one at work starts over. A slot is marked before the next sequence is published, and
 * only then may the frame that uses the slot next be stored.
 *
 * @param <F> what the sink knows the flow by.
 */
public final class OrderingArray<F> {
    /** The buffer is in the array. */
    public static final int STORED = 0;

    /** The sequence was there already or has been delivered; the caller keeps the buffer. */
    public static final int DUPLICATE = 1;

    /** The sequence lies ahead of the array; the caller keeps the buffer. */
    public static final int OUTSIDE = 2;

    /** Lower half of a slot whose frame was delivered. */
    private static final long DELIVERED = 0xFFFF_FFFFL;

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle NEXT;
    private static final VarHandle WORK;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            NEXT = lookup.findVarHandle(OrderingArray.class, "next", int.class);
            WORK = lookup.findVarHandle(OrderingArray.class, "work", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long[] slots;
    private final int mask;
    private int next;

    @SuppressWarnings("UnusedVariable") // written through WORK
    private int work;

    private volatile boolean isEnded;

    /**
     * Makes an empty array.
     *
     * @param slotCount a power of two.
     * @param firstSequence the sequence to be delivered first.
     */
    public OrderingArray(final int slotCount, final int firstSequence) {
        if (Integer.bitCount(slotCount) != 1) {
            throw new IllegalArgumentException("slotCount must be a power of two: " + slotCount);
        }
        slots = new long[slotCount];
        mask = slotCount - 1;
        NEXT.setRelease(this, firstSequence);
    }

    /** The sequence to be delivered next. Any thread. */
    public int next() {
        return (int) NEXT.getAcquire(this);
    }

    /**
     * Puts a frame in; {@link #drain} has to be called after {@link #STORED}. Any thread.
     *
     * @return {@link #STORED}, {@link #DUPLICATE} or {@link #OUTSIDE}.
     */
    public int store(final int sequence, final int bufferId) {
        final int ahead = sequence - next();
        if (ahead < 0) {
            return DUPLICATE;
        }
        if (ahead > mask) {
            return OUTSIDE;
        }
        final int index = sequence & mask;
        final long value = pack(sequence, bufferId);
        long seen;
        do {
            seen = (long) SLOT.getAcquire(slots, index);
            if (seen != 0 && sequence(seen) - sequence >= 0) {
                return DUPLICATE;
            }
            // What was in the slot is a window behind, so it was marked before next() passed it.
            assert !hasBuffer(seen) : "replaces " + sequence(seen) + ", which was not delivered";
        } while (!SLOT.compareAndSet(slots, index, seen, value));
        return STORED;
    }

    /** True if no undelivered frame is here. Exact only while nobody stores or drains. */
    public boolean isEmpty() {
        return storedFrames() == 0;
    }

    /** Undelivered frames in the array. Exact only while nobody stores or drains. */
    public int storedFrames() {
        int frames = 0;
        for (int index = 0; index < slots.length; index++) {
            frames += hasBuffer((long) SLOT.getAcquire(slots, index)) ? 1 : 0;
        }
        return frames;
    }

    /** The sequence after the last frame that is here or was delivered, as {@link #isEmpty}. */
    public int seenTo() {
        int to = next();
        for (int index = 0; index < slots.length; index++) {
            final long slot = (long) SLOT.getAcquire(slots, index);
            if (hasBuffer(slot) && sequence(slot) + 1 - to > 0) {
                to = sequence(slot) + 1;
            }
        }
        return to;
    }

    /**
     * Delivers what is next, unless another thread is doing so, which then continues for this one.
     * Any thread.
     *
     * @return frames delivered or discarded by this call.
     */
    public int drain(final Sink<F> sink, final F flow) {
        if ((int) WORK.getAndAdd(this, 1) != 0) {
            return 0;
        }
        int frames = 0;
        int missed = 1;
        do {
            frames += isEnded ? discardAll(sink, flow) : deliver(sink, flow);
            missed = (int) WORK.getAndAdd(this, -missed) - missed;
            assert missed >= 0 : "another thread was at work too: " + missed;
        } while (missed != 0);
        return frames;
    }

    /** Stops delivering: from the next {@link #drain} on everything stored is discarded. */
    public void end() {
        isEnded = true;
    }

    /** True after {@link #end}. */
    public boolean isEnded() {
        return isEnded;
    }

    /**
     * Which frames are here and undelivered. Any thread; a frame delivered in the meantime may be
     * missing.
     *
     * @return bit i for sequence {@code from} + i.
     */
    public long held(final int from) {
        long bits = 0;
        for (int i = 0; i < Long.SIZE; i++) {
            final long slot = (long) SLOT.getAcquire(slots, (from + i) & mask);
            if (hasBuffer(slot) && sequence(slot) == from + i) {
                bits |= 1L << i;
            }
        }
        return bits;
    }

    private int deliver(final Sink<F> sink, final F flow) {
        int frames = 0;
        int sequence = next;
        while (!isEnded) {
            final int index = sequence & mask;
            final long slot = (long) SLOT.getAcquire(slots, index);
            final boolean isHere = hasBuffer(slot) && sequence(slot) == sequence;
            if (!isHere || !sink.deliver(flow, buffer(slot))) {
                break;
            }
            assert sequence == next : "another thread has delivered " + next;
            SLOT.setRelease(slots, index, slot | DELIVERED);
            sequence++;
            frames++;
            NEXT.setRelease(this, sequence);
        }
        return frames;
    }

    private int discardAll(final Sink<F> sink, final F flow) {
        int frames = 0;
        for (int index = 0; index < slots.length; index++) {
            final long slot = (long) SLOT.getAndSet(slots, index, 0L);
            if (hasBuffer(slot)) {
                sink.discard(flow, buffer(slot));
                frames++;
            }
        }
        sink.onEnded(flow);
        return frames;
    }

    private static long pack(final int sequence, final int bufferId) {
        return (long) sequence << 32 | (bufferId + 1);
    }

    private static boolean hasBuffer(final long slot) {
        return slot != 0 && (slot & DELIVERED) != DELIVERED;
    }

    private static int sequence(final long slot) {
        return (int) (slot >>> 32);
    }

    private static int buffer(final long slot) {
        return (int) slot - 1;
    }

    /**
     * Where frames go. Called by the thread that drains.
     *
     * @param <F> what the sink knows the flow by.
     */
    public interface Sink<F> {
        /** Takes the next frame's buffer; false when there is no room now. */
        boolean deliver(F flow, int bufferId);

        /** Takes the buffer of a frame nobody wants back. */
        void discard(F flow, int bufferId);

        /** The flow was ended and nothing is left in the array; may be called again. */
        void onEnded(F flow);
    }
}
