package io.hxb.remote;

/** Places for messages that are under way to other nodes. Owned by the context's loop. */
final class FragmentPool {
    private final long address;
    private final int fragmentBytes;
    private final int[] free;
    private int freeCount;

    FragmentPool(final long address, final int fragments, final int fragmentBytes) {
        this.address = address;
        this.fragmentBytes = fragmentBytes;
        free = new int[fragments];
        for (int slot = fragments - 1; slot >= 0; slot--) {
            free[freeCount++] = slot;
        }
    }

    int freeCount() {
        return freeCount;
    }

    int count() {
        return free.length;
    }

    /** Takes a place; there has to be one. */
    int take() {
        return free[--freeCount];
    }

    /** Gives a place back. */
    void giveBack(final int slot) {
        assert freeCount < free.length : "given back twice: " + slot;
        free[freeCount++] = slot;
    }

    long address(final int slot) {
        return address + (long) slot * fragmentBytes;
    }
}
