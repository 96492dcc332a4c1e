package io.hxb.fabric.vlan;

import io.hxb.fabric.GraphException;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** The VLAN numbers that a plan may use, and those that switches keep for themselves. Immutable. */
public final class VlanIds {
    /** The largest VID; 4,095 and 0 are reserved by IEEE 802.1Q-2018, 9.6. */
    public static final int MAX_VID = 4094;

    /** The first VID used when none are given: 1 is what switches put all ports in at first. */
    public static final int FIRST_VID = 2;

    private final List<Integer> allowed;
    private final boolean isChosen;

    private VlanIds(final List<Integer> allowed, final boolean isChosen) {
        this.allowed = allowed;
        this.isChosen = isChosen;
    }

    /** All from 2 to 4,094. */
    public static VlanIds all() {
        final List<Integer> vids = new ArrayList<>();
        for (int vid = FIRST_VID; vid <= MAX_VID; vid++) {
            vids.add(vid);
        }
        return new VlanIds(vids, false);
    }

    /**
     * Reads {@code 10-20,100,7}; the order is kept.
     *
     * @throws GraphException if it is not numbers and ranges of 1 to 4,094, or one is given twice.
     */
    public static VlanIds parse(final String text) {
        final List<Integer> vids = new ArrayList<>();
        final BitSet seen = new BitSet();
        for (final String part : text.split(",", -1)) {
            if (!part.matches("\\d{1,5}(-\\d{1,5})?")) {
                throw new GraphException("VIDs are written like 10-20,100, not '" + text + "'");
            }
            final String[] ends = part.split("-", -1);
            final int first = Integer.parseInt(ends[0]);
            final int last = Integer.parseInt(ends[ends.length - 1]);
            if (first < 1 || last > MAX_VID || last < first) {
                throw new GraphException(
                        "'"
                                + part
                                + "' in the VIDs '"
                                + text
                                + "' is not within 1-4094: 0 and 4095 are reserved by IEEE 802.1Q");
            }
            for (int vid = first; vid <= last; vid++) {
                if (seen.get(vid)) {
                    throw new GraphException("VID " + vid + " is twice in '" + text + "'");
                }
                seen.set(vid);
                vids.add(vid);
            }
        }
        return new VlanIds(vids, true);
    }

    /**
     * Takes VIDs in order.
     *
     * @param count how many.
     * @param reserved VIDs that the switches keep for themselves.
     * @param owner whose they are, for the message.
     * @throws GraphException if the user chose a reserved one, or there are too few.
     */
    public int[] take(final int count, final BitSet reserved, final String owner) {
        final int[] vids = new int[count];
        int taken = 0;
        for (int i = 0; i < allowed.size() && taken < count; i++) {
            if (!reserved.get(allowed.get(i))) {
                vids[taken++] = allowed.get(i);
            } else if (isChosen) {
                throw new GraphException(
                        "VID "
                                + allowed.get(i)
                                + " is reserved on "
                                + owner
                                + " (it keeps "
                                + ranges(reserved)
                                + "); leave it out of --vids");
            }
        }
        if (taken < count) {
            throw new GraphException(
                    "the plan needs "
                            + count
                            + " VLANs, but there are only "
                            + taken
                            + " VIDs for it; allow more (--vids)");
        }
        return vids;
    }

    /** VIDs as ranges: {@code 2-5,7}. */
    public static String ranges(final BitSet vids) {
        final StringBuilder text = new StringBuilder();
        for (int first = vids.nextSetBit(0); first >= 0; ) {
            final int last = vids.nextClearBit(first) - 1;
            text.append(text.isEmpty() ? "" : ",").append(first);
            text.append(last > first ? "-" + last : "");
            first = vids.nextSetBit(last + 1);
        }
        return text.toString();
    }
}
