package io.hxb.pm.share;

/**
 * Slots with a buffer each that are free, single ones and whole groups of adjacent ones, for
 * messages that are longer than a buffer. A single slot is the one that was released last, of the
 * lower half of the groups if there is one. Owned by one thread.
 */
public final class FreeSlots {
    /** Returned by {@link #takeGroup} when no whole group is free. */
    public static final int NONE = -1;

    private final int groupSlots;
    private final int groupShift;

    /** Below it single slots are taken first; groups are looked for from the end. */
    private final int split;

    private final int[] low;
    private final int[] high;
    private int lowCount;
    private int highCount;

    /** Where a free slot is in {@link #low} or {@link #high}. */
    private final int[] place;

    /** By group: its slots that are free. */
    private final int[] freeOfGroup;

    private int lastGroup;

    /**
     * Makes slots that are all free.
     *
     * @param slots their number.
     * @param groupSlots slots of a group, a power of two; 1 where none are needed.
     */
    public FreeSlots(final int slots, final int groupSlots) {
        this.groupSlots = groupSlots;
        groupShift = Integer.numberOfTrailingZeros(groupSlots);
        final int groups = slots / groupSlots;
        split = groupSlots == 1 ? slots : groups / 2 * groupSlots;
        low = new int[split];
        high = new int[slots - split];
        place = new int[slots];
        freeOfGroup = new int[(slots + groupSlots - 1) / groupSlots];
        lastGroup = groups - 1;
        for (int slot = slots - 1; slot >= 0; slot--) {
            release(slot);
        }
    }

    /** {@return the slots of a group} */
    public int groupSlots() {
        return groupSlots;
    }

    /** {@return true if no slot is free} */
    public boolean isEmpty() {
        return lowCount + highCount == 0;
    }

    /** {@return the number of slots that are free} */
    public int count() {
        return lowCount + highCount;
    }

    /** {@return a slot, which is taken; there has to be one} */
    public int take() {
        final int slot = lowCount > 0 ? low[--lowCount] : high[--highCount];
        freeOfGroup[slot >> groupShift]--;
        return slot;
    }

    /**
     * Gives a slot back.
     *
     * @param slot that was taken.
     */
    public void release(final int slot) {
        if (slot < split) {
            place[slot] = lowCount;
            low[lowCount++] = slot;
        } else {
            place[slot] = highCount;
            high[highCount++] = slot;
        }
        freeOfGroup[slot >> groupShift]++;
    }

    /** Takes a whole group: its first slot, or {@link SendSlots#NONE} if none is free. */
    public int takeGroup() {
        final int group = findGroup();
        if (group < 0) {
            return NONE;
        }
        final int first = group << groupShift;
        for (int slot = first; slot < first + groupSlots; slot++) {
            remove(slot);
        }
        freeOfGroup[group] = 0;
        return first;
    }

    // The one that was released last, whose memory is in the cache, or the last one.
    private int findGroup() {
        if (lowCount + highCount < groupSlots) {
            return NONE;
        }
        if (lastGroup >= 0 && freeOfGroup[lastGroup] == groupSlots) {
            return lastGroup;
        }
        for (int group = freeOfGroup.length - 1; group >= 0; group--) {
            if (freeOfGroup[group] == groupSlots) {
                return group;
            }
        }
        return NONE;
    }

    private void remove(final int slot) {
        if (slot < split) {
            final int moved = low[--lowCount];
            low[place[slot]] = moved;
            place[moved] = place[slot];
        } else {
            final int moved = high[--highCount];
            high[place[slot]] = moved;
            place[moved] = place[slot];
        }
    }

    /**
     * Gives a group back.
     *
     * @param first its first slot.
     */
    public void releaseGroup(final int first) {
        for (int slot = first + groupSlots - 1; slot >= first; slot--) {
            release(slot);
        }
        lastGroup = first >> groupShift;
    }

    /** Lets nothing be taken any more. */
    public void close() {
        lowCount = 0;
        highCount = 0;
    }
}
