package io.hxb.flow.order;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Sorts the frames of one flow, which several receiving loops put in as they arrive and one loop at
 * a time takes out in order. No thread ever waits for another.
 *
 * <p>A slot is 64 bits: sequence in the upper half, buffer id + 1 in the lower, 0 = empty. A loop
 * stores with one compare-and-set. The sender has at most as many frames on the way as there are
 * slots, so only copies of one frame, or of a frame of the past, can meet in a slot.
 *
 * <p>Taking out belongs to whoever brings the work counter from 0 to 1; others only add to it, and
 * the one at work goes round again. The next sequence is published before its slot is emptied:
 * whoever puts a late copy into the emptied slot therefore sees that it is late, and takes it out
 * again.
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
     * @param owner gets the buffer of a frame of the past back, if one lies in the slot.
     * @return {@link #STORED}, {@link #DUPLICATE} or {@link #OUTSIDE}.
     */
    public int store(final int sequence, final int bufferId, final Sink<F> owner, final F flow) {
        final int ahead = sequence - next();
        if (ahead < 0) {
            return DUPLICATE;
        }
        if (ahead > mask) {
            return OUTSIDE;
        }
        final int index = sequence & mask;
        final long value = pack(sequence, bufferId);
        while (true) {
            final long seen = (long) SLOT.getAcquire(slots, index);
            if (seen != 0 && sequence(seen) - sequence >= 0) {
                return DUPLICATE;
            }
            if (SLOT.compareAndSet(slots, index, seen, value)) {
                if (seen != 0) {
                    owner.discard(flow, buffer(seen));
                }
                break;
            }
        }
        final boolean isLate = sequence - next() < 0;
        return isLate && SLOT.compareAndSet(slots, index, value, 0L) ? DUPLICATE : STORED;
    }

    /** True if no frame is here, undelivered. Exact only while nobody stores or drains. */
    public boolean isEmpty() {
        for (int index = 0; index < slots.length; index++) {
            if ((long) SLOT.getAcquire(slots, index) != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Delivers what is next, unless another thread is at it, which then goes on for us. Any thread.
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
        } while (missed != 0);
        return frames;
    }

    /** Delivers no more: from the next {@link #drain} on everything stored is discarded. */
    public void end() {
        isEnded = true;
    }

    /** True after {@link #end}. */
    public boolean isEnded() {
        return isEnded;
    }

    /**
     * Which frames are here, undelivered. Any thread; a frame delivered meanwhile may be missing.
     *
     * @return bit i for sequence {@code from} + i.
     */
    public long held(final int from) {
        long bits = 0;
        for (int i = 0; i < Long.SIZE; i++) {
            final long slot = (long) SLOT.getAcquire(slots, (from + i) & mask);
            if (slot != 0 && sequence(slot) == from + i) {
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
            if (slot == 0 || sequence(slot) != sequence || !sink.deliver(flow, buffer(slot))) {
                break;
            }
            sequence++;
            frames++;
            NEXT.setRelease(this, sequence);
            SLOT.setRelease(slots, index, 0L);
        }
        return frames;
    }

    private int discardAll(final Sink<F> sink, final F flow) {
        int frames = 0;
        for (int index = 0; index < slots.length; index++) {
            final long slot = (long) SLOT.getAndSet(slots, index, 0L);
            if (slot != 0) {
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

    private static int sequence(final long slot) {
        return (int) (slot >>> 32);
    }

    private static int buffer(final long slot) {
        return (int) slot - 1;
    }

    /**
     * Where frames go. Called by the thread that drains or stores.
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
