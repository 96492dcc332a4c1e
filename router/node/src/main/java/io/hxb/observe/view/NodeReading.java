package io.hxb.observe.view;

import io.hxb.counter.NodeFinding;
import io.hxb.gossip.HeardNode;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeState;

import java.util.List;
import java.util.Optional;

/**
 * One node as its counters, or other nodes, describe it at one moment. Immutable.
 *
 * @param node its id.
 * @param state whether it runs.
 * @param counts what it has done since its start.
 * @param links its links, in the order of their index.
 * @param findings what it reports as wrong.
 * @param heard what other nodes told of it; empty if its counters are on this machine.
 */
public record NodeReading(
        int node,
        NodeState state,
        Counts counts,
        List<LinkReading> links,
        List<NodeFinding> findings,
        Optional<HeardNode> heard) {
    /** One whose counters are on this machine. */
    public NodeReading(
            final int node,
            final NodeState state,
            final Counts counts,
            final List<LinkReading> links,
            final List<NodeFinding> findings) {
        this(node, state, counts, links, findings, Optional.empty());
    }

    /** Copies the lists. */
    public NodeReading {
        links = List.copyOf(links);
        findings = List.copyOf(findings);
    }

    /** Word for its state: a node of another machine is not dead, but unheard. */
    public String stateWord() {
        return word(state);
    }

    /** Word for another state of it. */
    String word(final NodeState other) {
        return heard.isPresent() && other == NodeState.DEAD ? NodeSample.UNHEARD : other.toString();
    }

    /**
     * Totals since the start of the node. Immutable.
     *
     * @param sentMessages messages that its applications sent.
     * @param deliveredMessages messages that were delivered to them.
     * @param relayedFrames frames sent on for others.
     * @param resentFrames frames sent again.
     */
    public record Counts(
            long sentMessages, long deliveredMessages, long relayedFrames, long resentFrames) {}
}
