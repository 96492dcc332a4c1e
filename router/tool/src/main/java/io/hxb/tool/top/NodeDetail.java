package io.hxb.tool.top;

import java.util.List;
import java.util.Map;

/**
 * What is known of one node besides its sample. Immutable.
 *
 * @param host name of its host; empty if it has none.
 * @param lines {@value #LINES} lines about it.
 * @param partners by the label of a link: the neighbour that is heard on it, or how many are.
 * @param findings what the node reports as wrong.
 */
record NodeDetail(
        String host, List<String> lines, Map<String, String> partners, List<String> findings) {
    /** How many lines about a node there are. */
    static final int LINES = 3;

    static final NodeDetail NONE = new NodeDetail("", List.of("", "", ""), Map.of(), List.of());

    /** Copies the collections. */
    NodeDetail {
        lines = List.copyOf(lines);
        partners = Map.copyOf(partners);
        findings = List.copyOf(findings);
    }

    /** That many seconds in words. */
    static String duration(final long seconds) {
        if (seconds < 120) {
            return seconds + " s";
        }
        final long minutes = seconds / 60;
        return minutes < 120 ? minutes + " min" : minutes / 60 + " h " + minutes % 60 + " min";
    }
}
