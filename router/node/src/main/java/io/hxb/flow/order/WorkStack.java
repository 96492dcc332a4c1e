package io.hxb.flow.order;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Things that need the attention of one thread: any thread adds them, each at most once; that
 * thread takes all. Lock-free; allocates nothing.
 */
public final class WorkStack {
    private static final VarHandle TOP;
    private static final VarHandle QUEUED;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            TOP = MethodHandles.arrayElementVarHandle(Node[].class);
            QUEUED = lookup.findVarHandle(Node.class, "isQueued", boolean.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Elements before the top, and after it: other fields share none of its cache lines. */
    private static final int PADDING = 32;

    private final Node[] top = new Node[2 * PADDING + 1];

    /** An empty stack. */
    public WorkStack() {}

    /**
     * Adds {@code node}, unless it is in already. Any thread, which has noted what the node needs
     * by a volatile write or an atomic update: one of another kind may still be invisible to the
     * taker when the node is found to be in, and the need would be forgotten.
     *
     * @return true if the stack was empty before, so that its thread may have to be woken.
     */
    public boolean push(final Node node) {
        if (node.isQueued || !QUEUED.compareAndSet(node, false, true)) {
            return false;
        }
        Node seen;
        do {
            seen = top();
            node.below = seen;
        } while (!TOP.compareAndSet(top, PADDING, seen, node));
        return seen == null;
    }

    /** True if the stack is empty. Any thread. */
    public boolean isEmpty() {
        return top() == null;
    }

    /**
     * Empties the stack; only that one thread.
     *
     * @return the node put in first, from which {@link Node#take} leads to the next; null if none.
     */
    public Node takeAll() {
        if (top() == null) {
            return null;
        }
        Node node = (Node) TOP.getAndSet(top, PADDING, null);
        Node first = null;
        while (node != null) {
            final Node below = node.below;
            node.below = first;
            first = node;
            node = below;
        }
        return first;
    }

    private Node top() {
        return (Node) TOP.getVolatile(top, PADDING);
    }

    /** What can be put in. */
    public abstract static class Node {
        private volatile boolean isQueued;
        private Node below;

        /** For subclasses. */
        protected Node() {}

        /**
         * Allows the node to be added again and returns the one after it; called before looking at
         * what the node needs.
         */
        public final Node take() {
            assert isQueued : "taken twice";
            final Node following = below;
            below = null;
            isQueued = false;
            return following;
        }
    }
}
