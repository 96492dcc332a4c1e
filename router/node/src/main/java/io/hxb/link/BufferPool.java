package io.hxb.link;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The node's receive buffers: fixed-size, numbered from 0, in one piece of shared memory. Each loop
 * acquires and releases through its own {@link Share}, without an atomic operation: a buffer whose
 * frame is relayed or dropped goes back to the share of the loop that received it. A share that
 * runs empty or full exchanges batches with the common stack, each by one compare-and-set; the
 * stack is lock-free and may be used by any thread.
 *
 * <p>A frame lies in a buffer with its HXB header at {@link #HEADER_OFFSET_BYTES}. The pool keeps
 * books of which buffers are out, so that a double release is detected.
 */
public final class BufferPool implements FrameOwner {
    /** Returned by {@link Share#acquire()} when no buffer is free. */
    public static final int NONE = -1;

    /** Where the HXB header of a received frame lies in its buffer; the headroom is before it. */
    public static final int HEADER_OFFSET_BYTES = 64;

    private static final int BATCH = 32;
    private static final VarHandle TOP = MethodHandles.arrayElementVarHandle(long[].class);

    /** Elements before the top, and after it: fields that all loops read share no line with it. */
    private static final int PADDING = 16;

    private static final VarHandle OUT = MethodHandles.arrayElementVarHandle(byte[].class);

    private final long baseAddress;
    private final int bufferBytes;
    private final int bufferCount;
    private final int[] next;
    private final byte[] out;
    private final long[] top = new long[2 * PADDING + 1];

    /**
     * Makes a pool over memory that stays mapped as long as the pool is used.
     *
     * @param baseAddress first byte, 64-byte aligned.
     * @param bufferCount buffers, 1 to 2^24.
     * @param bufferBytes bytes each, a multiple of 64, more than {@link #HEADER_OFFSET_BYTES}.
     */
    public BufferPool(final long baseAddress, final int bufferCount, final int bufferBytes) {
        if ((baseAddress & 63) != 0) {
            throw new IllegalArgumentException(
                    "baseAddress must be 64-byte aligned: " + baseAddress);
        }
        if (bufferCount < 1 || bufferCount > 1 << 24) {
            throw new IllegalArgumentException("bufferCount must be 1..2^24: " + bufferCount);
        }
        if (bufferBytes <= HEADER_OFFSET_BYTES || (bufferBytes & 63) != 0) {
            throw new IllegalArgumentException(
                    "bufferBytes must be a multiple of 64 above 64: " + bufferBytes);
        }
        this.baseAddress = baseAddress;
        this.bufferCount = bufferCount;
        this.bufferBytes = bufferBytes;
        next = new int[bufferCount];
        out = new byte[bufferCount];
        for (int id = 0; id < bufferCount; id++) {
            next[id] = id + 1 < bufferCount ? id + 1 : NONE;
        }
        TOP.setVolatile(top, PADDING, pack(0, 0));
    }

    /** Address of buffer {@code id}'s first byte. */
    public long address(final int id) {
        return baseAddress + (long) id * bufferBytes;
    }

    /** Address where a frame's HXB header lies in buffer {@code id}. */
    public long headerAddress(final int id) {
        return address(id) + HEADER_OFFSET_BYTES;
    }

    /** Address of the pool's first byte. */
    public long baseAddress() {
        return baseAddress;
    }

    /** Number of buffers. */
    public int bufferCount() {
        return bufferCount;
    }

    /** Bytes of one buffer. */
    public int bufferBytes() {
        return bufferBytes;
    }

    /** Bytes of HXB header and body that one buffer holds. */
    public int frameBytes() {
        return bufferBytes - HEADER_OFFSET_BYTES;
    }

    /** Makes the share of one loop. */
    public Share newShare() {
        return new Share(this);
    }

    /** Takes a buffer from the common stack: its id, or {@link #NONE}; any thread. */
    public int acquire() {
        final int id = pop();
        if (id != NONE) {
            out[id] = 1;
        }
        return id;
    }

    /** Puts buffer {@code token} back on the common stack; any thread. */
    @Override
    public void release(final long token) {
        final int id = (int) token;
        markFree(id);
        push(id, id);
    }

    /**
     * Buffers that are out of the pool, counted one by one: for tests and reports.
     *
     * @return 0 to {@link #bufferCount()}; exact only while no thread acquires or releases.
     */
    public int outstanding() {
        int count = 0;
        for (int id = 0; id < bufferCount; id++) {
            count += out[id];
        }
        return count;
    }

    /** How often buffers came from the common stack or went to it, modulo 2^32; for tests. */
    int exchanges() {
        return tag(top());
    }

    private long top() {
        return (long) TOP.getVolatile(top, PADDING);
    }

    // Of any thread: of two that give back the same buffer, one fails.
    private void markFree(final int id) {
        if (id < 0 || id >= bufferCount || !OUT.compareAndSet(out, id, (byte) 1, (byte) 0)) {
            throw notOut(id);
        }
    }

    // A buffer has one owner, and passes from loop to loop by queues, so the owner sees the value.
    private void markFreeByOwner(final int id) {
        if (id < 0 || id >= bufferCount || out[id] == 0) {
            throw notOut(id);
        }
        out[id] = 0;
    }

    private static IllegalStateException notOut(final int id) {
        return new IllegalStateException("buffer given back that is not out: " + id);
    }

    private void push(final int first, final int last) {
        long seen;
        do {
            seen = top();
            next[last] = index(seen);
        } while (!TOP.compareAndSet(top, PADDING, seen, pack(first, tag(seen) + 1)));
    }

    private int pop() {
        while (true) {
            final long seen = top();
            final int first = index(seen);
            if (first == NONE) {
                return NONE;
            }
            if (TOP.compareAndSet(top, PADDING, seen, pack(next[first], tag(seen) + 1))) {
                return first;
            }
        }
    }

    // Takes several by one exchange. The chain that was read is that of the stack if its top is
    // still the same: what follows a buffer changes only once the buffer has been removed.
    private int pop(final int[] target, final int limit) {
        while (true) {
            final long seen = top();
            int id = index(seen);
            int count = 0;
            while (id != NONE && count < limit) {
                target[count++] = id;
                id = next[id];
            }
            if (count == 0 || TOP.compareAndSet(top, PADDING, seen, pack(id, tag(seen) + 1))) {
                return count;
            }
        }
    }

    // The tag changes with every exchange, so that a top that was removed and added again is
    // noticed.
    private static long pack(final int index, final int tag) {
        return (long) tag << 32 | (index & 0xFFFF_FFFFL);
    }

    private static int index(final long packed) {
        return (int) packed;
    }

    private static int tag(final long packed) {
        return (int) (packed >>> 32);
    }

    /** One loop's share of the free buffers; last in, first out, so that they stay in the cache. */
    public static final class Share implements FrameOwner {
        private final BufferPool pool;
        private final int[] free = new int[4 * BATCH];
        private int count;

        private Share(final BufferPool pool) {
            this.pool = pool;
            Arrays.fill(free, NONE);
        }

        /** The pool that it is a share of. */
        public BufferPool pool() {
            return pool;
        }

        /** Takes a buffer: its id, or {@link BufferPool#NONE} when all are out. */
        public int acquire() {
            if (count == 0 && !refill()) {
                return NONE;
            }
            final int id = free[--count];
            pool.out[id] = 1;
            return id;
        }

        /** Gives buffer {@code token} back; its owner does, on this loop. */
        @Override
        public void release(final long token) {
            final int id = (int) token;
            pool.markFreeByOwner(id);
            if (count == free.length) {
                spill(2 * BATCH);
            }
            free[count++] = id;
        }

        /** Gives all free buffers of this share back to the common stack. */
        public void close() {
            if (count > 0) {
                spill(count);
            }
        }

        private boolean refill() {
            count = pool.pop(free, BATCH);
            return count > 0;
        }

        // Those that were given back first, which are the last in the cache.
        private void spill(final int buffers) {
            for (int i = 0; i < buffers - 1; i++) {
                pool.next[free[i]] = free[i + 1];
            }
            pool.push(free[0], free[buffers - 1]);
            count -= buffers;
            System.arraycopy(free, buffers, free, 0, count);
        }
    }
}
