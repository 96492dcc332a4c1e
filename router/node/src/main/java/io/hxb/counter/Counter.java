package io.hxb.counter;

import io.hxb.linux.Memory;

/**
 * One counter as one thread writes it: a 64-bit word of the node's {@link Counters}. Only the loop
 * it was made for writes it; any thread may read it.
 */
public final class Counter {
    private final long address;

    /** Keeps the memory as long as the counter is in use. */
    @SuppressWarnings("unused")
    private final Object owner;

    Counter(final long address, final Object owner) {
        this.address = address;
        this.owner = owner;
    }

    /** Adds 1. Never blocks, never allocates. */
    public void increment() {
        Memory.putLongRelease(address, Memory.getLong(address) + 1);
    }

    /** Adds {@code delta}, 0 or more (of a level, anything). Never blocks, never allocates. */
    public void add(final long delta) {
        Memory.putLongRelease(address, Memory.getLong(address) + delta);
    }

    /** Sets a level, or a count that is kept elsewhere. */
    public void set(final long value) {
        Memory.putLongRelease(address, value);
    }

    /** The value that this writer has counted. */
    public long get() {
        return Memory.getLongAcquire(address);
    }
}
