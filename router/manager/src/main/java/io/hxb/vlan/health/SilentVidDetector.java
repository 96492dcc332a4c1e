package io.hxb.vlan.health;

import org.agrona.collections.Int2IntHashMap;

import java.util.List;

/** Which VIDs of a plan are silent as a whole. Owned by the thread of its {@link PathHealth}. */
final class SilentVidDetector {
    private static final int EXPECTED_FRAMES = 5;
    private static final int NONE = -1;

    private final Int2IntHashMap indexOfVid = new Int2IntHashMap(NONE);
    private final long[] heardNs;
    private final int[] users;
    private final int[] lastUsers;

    SilentVidDetector(final List<Integer> vids, final long nowNs) {
        heardNs = new long[vids.size()];
        users = new int[vids.size()];
        lastUsers = new int[vids.size()];
        for (int i = 0; i < vids.size(); i++) {
            indexOfVid.put((int) vids.get(i), i);
            heardNs[i] = nowNs;
        }
    }

    void onFrame(final int vid, final long nowNs) {
        heardNs[indexOfVid.get(vid)] = nowNs;
    }

    /** Counts of hosts restart at 0. */
    void clearUsers() {
        System.arraycopy(users, 0, lastUsers, 0, users.length);
        java.util.Arrays.fill(users, 0);
    }

    /** Another host is reached in that VID now. */
    void onUser(final int vid, final long nowNs) {
        final int index = indexOfVid.get(vid);
        users[index]++;
        if (lastUsers[index] < users[index]) {
            // Those that have just begun need not have been heard.
            heardNs[index] = nowNs;
        }
    }

    /** True if nobody is heard in a VID where several frames should have come. */
    boolean isSilent(final int vid, final long intervalNs, final long silenceNs, final long nowNs) {
        final int index = indexOfVid.get(vid);
        final long limitNs =
                Math.max(silenceNs, EXPECTED_FRAMES * intervalNs / Math.max(1, users[index]));
        return nowNs - heardNs[index] > limitNs;
    }
}
