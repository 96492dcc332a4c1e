package io.hxb.flow.order;

import io.hxb.link.BufferPool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Pool buffers handed to one thread by any thread. Lock-free, bounded by the pool, allocates
 * nothing: a buffer is in one stack at most, so all stacks share one array of links.
 */
public final class BufferStack {
    private static final VarHandle TOP;

    static {
        try {
            TOP = MethodHandles.lookup().findVarHandle(BufferStack.class, "top", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int[] below;
    private volatile int top = BufferPool.NONE;

    /**
     * Makes an empty stack.
     *
     * @param below the links, [buffers of the pool], shared by all stacks of the pool's users.
     */
    public BufferStack(final int[] below) {
        this.below = below;
    }

    /** Adds a buffer; true if the stack was empty before. Any thread. */
    public boolean push(final int bufferId) {
        int seen;
        do {
            seen = top;
            below[bufferId] = seen;
        } while (!TOP.compareAndSet(this, seen, bufferId));
        return seen == BufferPool.NONE;
    }

    /** True if the stack is empty. Any thread. */
    public boolean isEmpty() {
        return top == BufferPool.NONE;
    }

    /**
     * Empties the stack: returns the buffer put in first, or {@link BufferPool#NONE}. One thread.
     */
    public int takeAll() {
        if (isEmpty()) {
            return BufferPool.NONE;
        }
        int id = (int) TOP.getAndSet(this, BufferPool.NONE);
        int first = BufferPool.NONE;
        while (id != BufferPool.NONE) {
            final int following = below[id];
            below[id] = first;
            first = id;
            id = following;
        }
        return first;
    }

    /** The buffer put in after {@code bufferId}, before that one is given away. */
    public int following(final int bufferId) {
        return below[bufferId];
    }
}
