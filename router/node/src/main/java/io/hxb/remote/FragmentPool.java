package io.hxb.remote;

import io.hxb.pm.attach.ContextRequest;
import io.hxb.pm.share.FreeSlots;

import java.util.BitSet;

/**
 * Places for messages that are under way to other nodes; a long one has several adjacent places.
 * Owned by the context's loop.
 */
final class FragmentPool {
    private final long address;
    private final int fragmentBytes;
    private final int maxBytes;
    private final FreeSlots free;
    private final BitSet isGroup;

    /**
     * Places that are all free.
     *
     * @param fragmentBytes bytes of a place.
     * @param maxBytes longest message.
     */
    FragmentPool(
            final long address, final int fragments, final int fragmentBytes, final int maxBytes) {
        this.address = address;
        this.fragmentBytes = fragmentBytes;
        this.maxBytes = maxBytes;
        free = new FreeSlots(fragments, ContextRequest.groupSlots(fragmentBytes, maxBytes));
        isGroup = new BitSet(fragments);
    }

    int freeCount() {
        return free.count();
    }

    /**
     * Takes a place; there has to be one.
     *
     * @param messageBytes of all that is to be sent: if it is more than a place holds, there may be
     *     room for more ({@link #roomBytes}).
     */
    int take(final long messageBytes) {
        if (messageBytes > fragmentBytes) {
            final int first = free.takeGroup();
            if (first != FreeSlots.NONE) {
                isGroup.set(first);
                return first;
            }
        }
        return free.take();
    }

    /** Longest message in a place that was taken. */
    int roomBytes(final int slot) {
        return isGroup.get(slot) ? maxBytes : Math.min(maxBytes, fragmentBytes);
    }

    /** Gives a place back. */
    void giveBack(final int slot) {
        if (isGroup.get(slot)) {
            isGroup.clear(slot);
            free.releaseGroup(slot);
        } else {
            free.release(slot);
        }
    }

    long address(final int slot) {
        return address + (long) slot * fragmentBytes;
    }
}
