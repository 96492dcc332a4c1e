package io.hxb.fabric.algorithm;

import java.util.Arrays;

/**
 * A dependency graph of channels that stays acyclic: a path is added with all its dependencies or
 * not at all. Keeps a topological order, so that most additions cost nothing. Used by one thread.
 * Source: Pearce and Kelly 2006, dynamic topological sort.
 */
final class AcyclicLayer {
    private final int[][] next;
    private final int[][] before;
    private final int[] nextCounts;
    private final int[] beforeCounts;
    private final int[] position;
    private final int[] seen;
    private final int[] stack;
    private final int[] ahead;
    private final int[] behind;
    private int search;
    private int aheadCount;
    private int behindCount;
    private final int[] added;

    AcyclicLayer(final int channels) {
        this.next = new int[channels][4];
        this.before = new int[channels][4];
        this.nextCounts = new int[channels];
        this.beforeCounts = new int[channels];
        this.position = new int[channels];
        this.seen = new int[channels];
        this.stack = new int[channels];
        this.ahead = new int[channels];
        this.behind = new int[channels];
        this.added = new int[2 * channels];
        Arrays.setAll(position, i -> i);
    }

    /**
     * Adds the dependencies of a path of channels.
     *
     * @return false when they would close a cycle; then nothing was added.
     */
    boolean add(final int[] channels, final int length) {
        int count = 0;
        for (int i = 0; i + 1 < length; i++) {
            if (has(channels[i], channels[i + 1])) {
                continue;
            }
            if (!order(channels[i], channels[i + 1])) {
                takeBack(count);
                return false;
            }
            link(channels[i], channels[i + 1]);
            added[count++] = channels[i];
            added[count++] = channels[i + 1];
        }
        return true;
    }

    /** How many dependencies of a path are new. */
    int missing(final int[] channels, final int length) {
        int missing = 0;
        for (int i = 0; i + 1 < length; i++) {
            missing += has(channels[i], channels[i + 1]) ? 0 : 1;
        }
        return missing;
    }

    private boolean has(final int from, final int to) {
        for (int i = 0; i < nextCounts[from]; i++) {
            if (next[from][i] == to) {
                return true;
            }
        }
        return false;
    }

    private void link(final int from, final int to) {
        if (nextCounts[from] == next[from].length) {
            next[from] = Arrays.copyOf(next[from], 2 * nextCounts[from]);
        }
        next[from][nextCounts[from]++] = to;
        if (beforeCounts[to] == before[to].length) {
            before[to] = Arrays.copyOf(before[to], 2 * beforeCounts[to]);
        }
        before[to][beforeCounts[to]++] = from;
    }

    /** Removes the last {@code count / 2} dependencies: they are last in their lists. */
    private void takeBack(final int count) {
        for (int i = count - 2; i >= 0; i -= 2) {
            nextCounts[added[i]]--;
            beforeCounts[added[i + 1]]--;
        }
    }

    /** Moves {@code from} before {@code to}, or reports that {@code to} already leads to it. */
    private boolean order(final int from, final int to) {
        if (position[from] < position[to]) {
            return true;
        }
        search++;
        if (!searchAhead(to, from)) {
            return false;
        }
        searchBehind(from, position[to]);
        reorder();
        return true;
    }

    private boolean searchAhead(final int start, final int end) {
        final int last = position[end];
        aheadCount = 0;
        int depth = 0;
        stack[depth++] = start;
        seen[start] = search;
        while (depth > 0) {
            final int at = stack[--depth];
            ahead[aheadCount++] = at;
            for (int i = 0; i < nextCounts[at]; i++) {
                final int to = next[at][i];
                if (to == end) {
                    return false;
                }
                if (seen[to] != search && position[to] < last) {
                    seen[to] = search;
                    stack[depth++] = to;
                }
            }
        }
        return true;
    }

    private void searchBehind(final int start, final int first) {
        behindCount = 0;
        int depth = 0;
        stack[depth++] = start;
        seen[start] = search;
        while (depth > 0) {
            final int at = stack[--depth];
            behind[behindCount++] = at;
            for (int i = 0; i < beforeCounts[at]; i++) {
                final int from = before[at][i];
                if (seen[from] != search && position[from] > first) {
                    seen[from] = search;
                    stack[depth++] = from;
                }
            }
        }
    }

    /** Gives the places of both sets, in order, first to those behind and then to those ahead. */
    private void reorder() {
        final long[] nodes = new long[behindCount + aheadCount];
        final int[] places = new int[nodes.length];
        for (int i = 0; i < behindCount; i++) {
            nodes[i] = (long) position[behind[i]] << 32 | behind[i];
            places[i] = position[behind[i]];
        }
        for (int i = 0; i < aheadCount; i++) {
            nodes[behindCount + i] = (long) position[ahead[i]] << 32 | ahead[i];
            places[behindCount + i] = position[ahead[i]];
        }
        Arrays.sort(nodes, 0, behindCount);
        Arrays.sort(nodes, behindCount, nodes.length);
        Arrays.sort(places);
        for (int i = 0; i < nodes.length; i++) {
            position[(int) nodes[i]] = places[i];
        }
    }
}
