package io.hxb.pm;

/**
 * Sends that failed and were not reported to the application yet: only the newest ones, as many as
 * there are send slots. Owned by the context's thread.
 */
final class FailedSends {
    private final int[] slots;
    private final int[] status;
    private final int[] node;
    private final int[] context;
    private long head;
    private long tail;

    /** Makes an empty list of at most {@code capacity} sends. */
    FailedSends(final int capacity) {
        slots = new int[capacity];
        status = new int[capacity];
        node = new int[capacity];
        context = new int[capacity];
    }

    /** Adds a send; drops the oldest one when there are too many. */
    void add(
            final int slot,
            final int sendStatus,
            final int destinationNode,
            final int destinationContext) {
        if (tail - head == slots.length) {
            head++;
        }
        final int index = (int) (tail++ % slots.length);
        slots[index] = slot;
        status[index] = sendStatus;
        node[index] = destinationNode;
        context[index] = destinationContext;
    }

    /** True if there is none. */
    public boolean isEmpty() {
        return head == tail;
    }

    /**
     * Removes the oldest one; returns its index for the methods below, valid until one is added.
     */
    public int take() {
        return (int) (head++ % slots.length);
    }

    /** The slot it was sent from. */
    public int slot(final int index) {
        return slots[index];
    }

    /** Why it failed: a PmStatus. */
    public int status(final int index) {
        return status[index];
    }

    /** Node it was sent to. */
    public int node(final int index) {
        return node[index];
    }

    /** Context it was sent to. */
    public int context(final int index) {
        return context[index];
    }
}
