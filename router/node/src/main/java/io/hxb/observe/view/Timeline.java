package io.hxb.observe.view;

import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.NodeState;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The last faults and repairs, the oldest first. Owned by {@link LiveNetwork}. */
final class Timeline {
    /** Entries that are kept. */
    static final int MAX_ENTRIES = 500;

    private final Deque<Entry> entries = new ArrayDeque<>();
    private long lastId;

    /** What a change means for the network. */
    enum Kind {
        /** Something carries less than before. */
        FAULT,
        /** Something carries more than before. */
        REPAIR,
        /** Somebody has started or stopped a node in order. */
        CHANGE
    }

    /**
     * One change. Immutable.
     *
     * @param id grows by 1 with each.
     * @param timeMs when it was seen, ms since 1970.
     * @param node id of the node.
     * @param link label of the link; empty for the node itself.
     * @param kind what it means.
     * @param from state before.
     * @param to state after.
     * @param reason why, in words; may be empty.
     */
    record Entry(
            long id,
            long timeMs,
            int node,
            String link,
            Kind kind,
            String from,
            String to,
            String reason) {}

    List<Entry> entries() {
        return List.copyOf(entries);
    }

    /** Begins with the entries of an earlier process, the oldest first. */
    void restore(final List<Entry> earlier) {
        assert entries.isEmpty();
        entries.addAll(earlier);
        lastId = earlier.isEmpty() ? 0 : earlier.getLast().id();
        limit();
    }

    private void limit() {
        while (entries.size() > MAX_ENTRIES) {
            entries.removeFirst();
        }
    }

    /** Adds what has changed, and returns the new entries. */
    List<Entry> add(
            final NetworkState.Changes changes, final NetworkState state, final long nowMs) {
        final List<Entry> added = new ArrayList<>();
        for (final NetworkState.NodeChange change : changes.nodes()) {
            final NodeReading node = state.nodes().get(change.index());
            final Kind kind = kind(change.from(), node.state());
            added.add(
                    new Entry(
                            ++lastId,
                            nowMs,
                            node.node(),
                            "",
                            kind,
                            node.word(change.from()),
                            node.stateWord(),
                            ""));
        }
        int index = 0;
        for (final NetworkState.LinkChange change : changes.links()) {
            // Both are in the order of the links.
            while (index + 1 < state.nodes().size()
                    && state.firstLink(index + 1) <= change.link()) {
                index++;
            }
            final LinkReading link = state.links().get(change.link());
            // That its node has gone or come is an entry already.
            final boolean isKnown =
                    change.from() != LinkCondition.UNKNOWN
                            && link.health().condition() != LinkCondition.UNKNOWN;
            if (isKnown && link.health().condition() != change.from()) {
                added.add(entry(++lastId, nowMs, state.nodes().get(index), link, change.from()));
            }
        }
        entries.addAll(added);
        limit();
        return added;
    }

    private static Entry entry(
            final long id,
            final long nowMs,
            final NodeReading node,
            final LinkReading link,
            final LinkCondition from) {
        final LinkCondition to = link.health().condition();
        return new Entry(
                id,
                nowMs,
                node.node(),
                link.place().label(),
                to.compareTo(from) > 0 ? Kind.FAULT : Kind.REPAIR,
                from.word(),
                to.word(),
                link.health().lastReason());
    }

    private static Kind kind(final NodeState from, final NodeState to) {
        if (to == NodeState.DEAD) {
            return Kind.FAULT;
        }
        return from == NodeState.DEAD && to == NodeState.RUNNING ? Kind.REPAIR : Kind.CHANGE;
    }
}
