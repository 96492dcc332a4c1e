package io.hxb.sim.flit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds lanes whose flits will never move again. A lane drains if its packet has a place to go to,
 * or waits for a lane that drains; what does not drain in the end waits in a cycle. Used by one
 * thread.
 */
final class DeadlockFinder {
    private static final int MAX_NAMED = 32;

    private final FlitNetwork net;
    private final LaneAllocator allocator;
    private final boolean[] isDraining;
    private final int[] candidates;

    DeadlockFinder(final FlitNetwork net, final LaneAllocator allocator) {
        this.net = net;
        this.allocator = allocator;
        this.isDraining = new boolean[net.laneCount];
        this.candidates = new int[allocator.maxCandidates()];
    }

    /** Describes the cycle, or null. */
    String find() {
        Arrays.fill(isDraining, net.bufferedLanes, net.laneCount, true);
        boolean isChanged = true;
        while (isChanged) {
            isChanged = false;
            for (int lane = 0; lane < net.bufferedLanes; lane++) {
                if (!isDraining[lane] && drains(lane)) {
                    isDraining[lane] = true;
                    isChanged = true;
                }
            }
        }
        for (int lane = 0; lane < net.bufferedLanes; lane++) {
            if (!isDraining[lane]) {
                return cycleFrom(lane);
            }
        }
        return null;
    }

    private boolean isWaiting(final int lane) {
        return net.heads[lane] > 0 && net.output[lane] == FlitNetwork.NONE;
    }

    private boolean drains(final int lane) {
        if (isWaiting(lane)) {
            final int count = allocator.candidates(lane, candidates);
            for (int i = 0; i < count; i++) {
                if (becomesFree(candidates[i], net.left[lane])) {
                    return true;
                }
            }
            return false;
        }
        final int to = net.output[lane];
        // Without a flit to send, the lane waits for what is behind it, not for what is ahead.
        return to < 0 || net.ready[lane] == 0 || net.credits[to] > 0 || isDraining[to];
    }

    private boolean becomesFree(final int lane, final int flits) {
        final int owner = net.owner[lane];
        final boolean isLeaving =
                owner == FlitNetwork.NONE || owner >= net.laneCount || isDraining[owner];
        return isLeaving
                && (isDraining[lane] || (owner == FlitNetwork.NONE && net.canTake(lane, flits)));
    }

    private String cycleFrom(final int start) {
        final List<Integer> path = new ArrayList<>();
        final int[] position = new int[net.laneCount];
        Arrays.fill(position, -1);
        int lane = start;
        while (position[lane] < 0) {
            position[lane] = path.size();
            path.add(lane);
            lane = blocker(lane);
        }
        final List<Integer> cycle = path.subList(position[lane], path.size());
        final StringBuilder text = new StringBuilder("cycle of " + cycle.size() + " channels: ");
        for (int i = 0; i < Math.min(MAX_NAMED, cycle.size()); i++) {
            text.append('[').append(net.name(cycle.get(i))).append("] waits for ");
        }
        if (cycle.size() > MAX_NAMED) {
            text.append("... (").append(cycle.size() - MAX_NAMED).append(" more) waits for ");
        }
        return text.append('[').append(net.name(cycle.getFirst())).append(']').toString();
    }

    /** A lane that does not drain and for which this one waits. */
    private int blocker(final int lane) {
        if (!isWaiting(lane)) {
            return net.output[lane];
        }
        allocator.candidates(lane, candidates);
        final int wanted = candidates[0];
        return isDraining[wanted] ? net.owner[wanted] : wanted;
    }
}
