package io.hxb.flow.order;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Flows by key. Any thread looks up without a lock; changes, which happen when a flow is made or
 * goes, take the map's lock. Open addressing; a removed flow leaves a tombstone, so that a
 * concurrent search does not stop there too early.
 *
 * @param <F> kind of flow.
 */
public final class FlowMap<F extends FlowMap.Entry> {
    private final int limit;
    private volatile AtomicReferenceArray<Object> slots;
    private int flowCount;
    private int usedSlots;

    /** Makes a map of at most {@code limit} flows. */
    public FlowMap(final int limit) {
        this.limit = limit;
        slots = new AtomicReferenceArray<>(64);
    }

    /** The flow, or null. Any thread. */
    @SuppressWarnings("unchecked")
    public F get(final long key) {
        final AtomicReferenceArray<Object> seen = slots;
        final int mask = seen.length() - 1;
        int index = hash(key) & mask;
        while (true) {
            final Object entry = seen.getAcquire(index);
            if (entry == null) {
                return null;
            }
            if (entry instanceof Entry flow && flow.key == key) {
                return (F) flow;
            }
            index = (index + 1) & mask;
        }
    }

    /** Adds a flow, replacing one with the same key; false when there are too many. */
    public synchronized boolean put(final F flow) {
        final int known = find(flow.key);
        if (known >= 0) {
            slots.setRelease(known, flow);
            return true;
        }
        if (flowCount >= limit) {
            return false;
        }
        if (usedSlots * 2 >= slots.length()) {
            rebuild();
        }
        insert(slots, flow);
        flowCount++;
        usedSlots++;
        assert usedSlots < slots.length() : "no slot is left at which a search could end";
        return true;
    }

    /** Removes the flow, if it is the one under its key. */
    @SuppressWarnings("ReferenceEquality")
    public synchronized void remove(final F flow) {
        final int index = find(flow.key);
        if (index >= 0 && slots.get(index) == flow) {
            slots.setRelease(index, Gravestone.ONE);
            flowCount--;
        }
    }

    /** Flows in the map. Any thread. */
    public synchronized int size() {
        return flowCount;
    }

    private int find(final long key) {
        final int mask = slots.length() - 1;
        int index = hash(key) & mask;
        while (slots.get(index) != null) {
            if (slots.get(index) instanceof Entry flow && flow.key == key) {
                return index;
            }
            index = (index + 1) & mask;
        }
        return -1;
    }

    private void rebuild() {
        final AtomicReferenceArray<Object> old = slots;
        final int minSlots = Math.max(64, flowCount * 4);
        final AtomicReferenceArray<Object> fresh =
                new AtomicReferenceArray<>(Integer.highestOneBit(minSlots - 1) << 1);
        for (int index = 0; index < old.length(); index++) {
            if (old.get(index) instanceof Entry flow) {
                insert(fresh, flow);
            }
        }
        usedSlots = flowCount;
        slots = fresh;
    }

    private static void insert(final AtomicReferenceArray<Object> into, final Entry flow) {
        final int mask = into.length() - 1;
        int index = hash(flow.key) & mask;
        while (into.get(index) != null) {
            index = (index + 1) & mask;
        }
        into.setRelease(index, flow);
    }

    private static int hash(final long key) {
        return (int) ((key * 0x9E37_79B9_7F4A_7C15L) >>> 32);
    }

    /** What can be put in, and into a {@link WorkStack} as well. */
    @SuppressWarnings("checkstyle:VisibilityModifier")
    public abstract static class Entry extends WorkStack.Node {
        /** What it is found by. */
        public final long key;

        /** For subclasses. */
        protected Entry(final long key) {
            this.key = key;
        }
    }

    private enum Gravestone {
        ONE
    }
}
