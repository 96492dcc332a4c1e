package io.hxb.node.ip;

/** Packets in the order in which they came; a slot is in one list at a time. Owned by one loop. */
final class SlotList {
    private final PacketSlots slots;
    private int first = PacketSlots.NONE;
    private int last = PacketSlots.NONE;

    SlotList(final PacketSlots slots) {
        this.slots = slots;
    }

    boolean isEmpty() {
        return first == PacketSlots.NONE;
    }

    /** The slot that is in the list longest, or {@link PacketSlots#NONE}. */
    int first() {
        return first;
    }

    /** Puts a slot at the end, with the time. */
    void add(final int slot, final long nowNs) {
        slots.timeNs(slot, nowNs);
        slots.next(slot, PacketSlots.NONE);
        slots.previous(slot, last);
        if (last == PacketSlots.NONE) {
            first = slot;
        } else {
            slots.next(last, slot);
        }
        last = slot;
    }

    /** Takes the first slot out; {@link PacketSlots#NONE} if there is none. */
    int poll() {
        final int slot = first;
        if (slot != PacketSlots.NONE) {
            remove(slot);
        }
        return slot;
    }

    /** Takes a slot out that is in the list. */
    void remove(final int slot) {
        final int before = slots.previous(slot);
        final int following = slots.next(slot);
        if (before == PacketSlots.NONE) {
            first = following;
        } else {
            slots.next(before, following);
        }
        if (following == PacketSlots.NONE) {
            last = before;
        } else {
            slots.previous(following, before);
        }
    }
}
