package io.hxb.fabric.route;

import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;

/**
 * Which virtual channel may follow which, and on which packets may start. Channels back to the
 * switch just left never follow. Immutable.
 */
public final class TurnRelation {
    /** Decides on one turn or start. */
    @FunctionalInterface
    public interface Rule {
        /**
         * Whether virtual channel {@code to} may follow {@code from}, which ends where it starts.
         */
        boolean permits(int from, int to);
    }

    /** Decides on one virtual channel. */
    @FunctionalInterface
    public interface StartRule {
        /** Whether packets may start on {@code virtualChannel}. */
        boolean permits(int virtualChannel);
    }

    private final SwitchGraph graph;
    private final int virtualChannels;
    private final int[] nextStart;
    private final int[] next;
    private final boolean[] isStart;

    private TurnRelation(
            final SwitchGraph graph,
            final int virtualChannels,
            final int[] nextStart,
            final int[] next,
            final boolean[] isStart) {
        this.graph = graph;
        this.virtualChannels = virtualChannels;
        this.nextStart = nextStart;
        this.next = next;
        this.isStart = isStart;
    }

    /** Makes a relation by asking a rule for every turn; packets may start anywhere. */
    public static TurnRelation of(
            final SwitchGraph graph, final int virtualChannels, final Rule rule) {
        return of(graph, virtualChannels, rule, channel -> true);
    }

    /**
     * Makes a relation by asking a rule for every turn and one for every start.
     *
     * @param virtualChannels of each channel, at least 1.
     */
    public static TurnRelation of(
            final SwitchGraph graph,
            final int virtualChannels,
            final Rule rule,
            final StartRule startRule) {
        final int states = graph.channelCount() * virtualChannels;
        final int[] nextStart = new int[states + 1];
        final boolean[] isStart = new boolean[states];
        int[] next = new int[Math.max(16, states * 3)];
        int count = 0;
        for (int from = 0; from < states; from++) {
            isStart[from] = startRule.permits(from);
            final int channel = from / virtualChannels;
            final int at = graph.target(channel);
            final int back = graph.source(channel);
            for (int i = 0; i < graph.degree(at); i++) {
                final int out = graph.outgoing(at, i);
                if (graph.target(out) == back) {
                    continue;
                }
                if (count + virtualChannels > next.length) {
                    next = Arrays.copyOf(next, Math.max(next.length * 2, count + virtualChannels));
                }
                // The highest virtual channel first: descending layers keep the lower ones.
                for (int to = (out + 1) * virtualChannels - 1; to >= out * virtualChannels; to--) {
                    if (rule.permits(from, to)) {
                        next[count++] = to;
                    }
                }
            }
            nextStart[from + 1] = count;
        }
        return new TurnRelation(
                graph, virtualChannels, nextStart, Arrays.copyOf(next, count), isStart);
    }

    /** The graph. */
    public SwitchGraph graph() {
        return graph;
    }

    /** Virtual channels of each channel. */
    public int virtualChannels() {
        return virtualChannels;
    }

    /** Number of virtual channels of all channels. */
    public int stateCount() {
        return isStart.length;
    }

    /** Number of permitted turns. */
    public int turnCount() {
        return next.length;
    }

    /** Number of virtual channels that may follow. */
    public int nextCount(final int virtualChannel) {
        return nextStart[virtualChannel + 1] - nextStart[virtualChannel];
    }

    /**
     * A virtual channel that may follow.
     *
     * @param index 0 to {@link #nextCount} - 1, ascending by neighbour and link, descending by
     *     virtual channel.
     */
    public int next(final int virtualChannel, final int index) {
        return next[nextStart[virtualChannel] + index];
    }

    /** Where the followers of a virtual channel start in {@link #followers()}. */
    int nextStart(final int virtualChannel) {
        return nextStart[virtualChannel];
    }

    /** All followers; must not be changed. */
    int[] followers() {
        return next;
    }

    /** Whether {@code to} may follow {@code from}. */
    public boolean permits(final int from, final int to) {
        for (int i = nextStart[from]; i < nextStart[from + 1]; i++) {
            if (next[i] == to) {
                return true;
            }
        }
        return false;
    }

    /** Whether packets may start on a virtual channel. */
    public boolean isStart(final int virtualChannel) {
        return isStart[virtualChannel];
    }

    /** Turns between channels of different switches that no virtual channel may make. */
    public int prohibitedTurns() {
        int prohibited = 0;
        final boolean[] isMade = new boolean[graph.channelCount()];
        for (int channel = 0; channel < graph.channelCount(); channel++) {
            final int at = graph.target(channel);
            int turns = 0;
            for (int i = 0; i < graph.degree(at); i++) {
                turns += graph.target(graph.outgoing(at, i)) == graph.source(channel) ? 0 : 1;
            }
            int made = 0;
            final int first = nextStart[channel * virtualChannels];
            final int end = nextStart[(channel + 1) * virtualChannels];
            for (int i = first; i < end; i++) {
                made += isMade[next[i] / virtualChannels] ? 0 : 1;
                isMade[next[i] / virtualChannels] = true;
            }
            for (int i = first; i < end; i++) {
                isMade[next[i] / virtualChannels] = false;
            }
            prohibited += turns - made;
        }
        return prohibited;
    }

    /** The reverse: {@code to} may follow {@code from} where {@code from} may follow it here. */
    TurnRelation reversed() {
        final int[] start = new int[nextStart.length];
        for (final int to : next) {
            start[to + 1]++;
        }
        for (int state = 0; state < isStart.length; state++) {
            start[state + 1] += start[state];
        }
        final int[] fill = start.clone();
        final int[] before = new int[next.length];
        for (int from = 0; from < isStart.length; from++) {
            for (int i = nextStart[from]; i < nextStart[from + 1]; i++) {
                before[fill[next[i]]++] = from;
            }
        }
        return new TurnRelation(graph, virtualChannels, start, before, isStart);
    }
}
