package io.hxb.tool.chaos.script;

import java.util.List;

/**
 * One thing that happens at one time. Immutable.
 *
 * @param atNs when, from the start of the run.
 * @param action what.
 * @param target to what, as text.
 * @param cables the cables that are meant; empty if nodes are.
 * @param nodes the nodes that are meant; empty if cables are.
 * @param detail how strong.
 * @param line its line in the script, from 1; 0 if there is none.
 */
public record Fault(
        long atNs,
        FaultAction action,
        String target,
        List<Cable> cables,
        List<Integer> nodes,
        FaultDetail detail,
        int line) {
    /** Copies the lists. */
    public Fault {
        cables = List.copyOf(cables);
        nodes = List.copyOf(nodes);
    }

    /** What ends this one, later. */
    Fault repairedAt(final long timeNs) {
        return new Fault(timeNs, action.repair(), target, cables, nodes, FaultDetail.NONE, line);
    }

    /** For people, such as {@code slow x.0 of (0,0) rate 100mbit}. */
    public String text() {
        return action.word() + " " + target + detail.text(action);
    }
}
