package io.hxb.node.collective;

import java.util.ArrayList;
import java.util.List;

/**
 * The other nodes with which a node exchanges what its group has, by the steps in which it does.
 * Owned by the thread of the node's own context.
 */
final class GroupPeers {
    private static final GroupPeer[] NO_PEERS = {};

    private final GroupSteps steps;
    private final GroupPeer[] peers;

    /** Index of the first peer of each step, and that after the last one. */
    private final int[] first;

    private int ready;

    /** Makes the peers, of which none is known to be ready. */
    GroupPeers(final GroupSteps steps) {
        this.steps = steps;
        first = new int[steps.count() + 1];
        final List<GroupPeer> made = new ArrayList<>();
        for (int step = 0; step < steps.count(); step++) {
            first[step] = made.size();
            for (int position = 0; position < steps.width(step); position++) {
                if (position != steps.ownPosition(step)) {
                    made.add(new GroupPeer(steps.node(step, position)));
                }
            }
        }
        first[steps.count()] = made.size();
        peers = made.toArray(NO_PEERS);
    }

    /** Number of steps. */
    int steps() {
        return steps.count();
    }

    int count() {
        return peers.length;
    }

    GroupPeer get(final int index) {
        return peers[index];
    }

    /** Index of the first peer of a step; of the number of steps, {@link #count()}. */
    int first(final int step) {
        return first[step];
    }

    /** The peer that a node is; null if it is none. */
    GroupPeer find(final int node) {
        for (final GroupPeer peer : peers) {
            if (peer.node() == node) {
                return peer;
            }
        }
        return null;
    }

    /** A peer, which was not known to be, is ready. */
    void onReady() {
        ready++;
    }

    /** True if all have all their members. */
    boolean areReady() {
        return ready == peers.length;
    }

    /** True if all of a step have sent the whole of their part of an operation. */
    boolean areComplete(final int step, final int operation) {
        for (int i = first[step]; i < first[step + 1]; i++) {
            if (!peers[i].part(operation).isComplete(operation)) {
                return false;
            }
        }
        return true;
    }

    /** Schedules a request to those of a step that have not. */
    void askMissing(final int step, final int operation) {
        for (int i = first[step]; i < first[step + 1]; i++) {
            if (!peers[i].part(operation).isComplete(operation)) {
                peers[i].schedule(GroupPeer.ASK);
            }
        }
    }

    /**
     * The first peer of a step that has not all of this node's part; the step's end if all have.
     */
    int firstUnsent(final int step, final int operation, final int totalBytes) {
        int index = first[step];
        while (index < first[step + 1] && peers[index].isSent(operation, totalBytes)) {
            index++;
        }
        return index;
    }

    /**
     * Combines the parts of a step in the order of the coordinates, so that all nodes get the same
     * bits. Empties them.
     *
     * @param own what this node has.
     * @param combined becomes what all have together.
     */
    void combine(
            final int step,
            final int operation,
            final CollectiveState own,
            final CollectiveState combined) {
        final int ownPosition = steps.ownPosition(step);
        int peer = first[step];
        for (int position = 0; position < steps.width(step); position++) {
            final CollectiveState part =
                    position == ownPosition ? own : peers[peer++].part(operation);
            if (position == 0) {
                combined.set(part);
            } else {
                combined.combine(part);
            }
            part.clear();
        }
    }
}
