package io.hxb.tool.doctor;

import java.util.List;

/**
 * What was found about one thing: the machine, the cluster file or a node. Immutable.
 *
 * @param name what it is, such as {@code machine} or {@code node 1,0}.
 * @param node the node's id; -1 for other things.
 * @param findings what was found.
 */
public record FindingGroup(String name, int node, List<Finding> findings) {
    /** Copies the list. */
    public FindingGroup {
        findings = List.copyOf(findings);
    }

    /** What was found about something that is not a node. */
    public static FindingGroup of(final String name, final List<Finding> findings) {
        return new FindingGroup(name, -1, findings);
    }
}
