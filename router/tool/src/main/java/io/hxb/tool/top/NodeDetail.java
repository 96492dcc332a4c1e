package io.hxb.tool.top;

import java.util.List;
import java.util.Map;

/**
 * What the counters of one node have besides its sample. Immutable.
 *
 * @param host name of its host in the cluster file; empty if it has none.
 * @param upSeconds seconds since its start.
 * @param sendingFlows flows that have state for sending.
 * @param receivingFlows flows that have state for receiving.
 * @param contexts contexts that are open.
 * @param roundTrips round trips of its frames in words.
 * @param partners by the label of a link: the neighbour that is heard on it, or how many are.
 * @param findings what the node reports as wrong.
 */
record NodeDetail(
        String host,
        long upSeconds,
        long sendingFlows,
        long receivingFlows,
        long contexts,
        String roundTrips,
        Map<String, String> partners,
        List<String> findings) {
    /** How many lines {@link #lines} has. */
    static final int LINES = 2;

    static final NodeDetail NONE = new NodeDetail("", 0, 0, 0, 0, "none yet", Map.of(), List.of());

    /** Copies the collections. */
    NodeDetail {
        partners = Map.copyOf(partners);
        findings = List.copyOf(findings);
    }

    /** Lines about the node. */
    List<String> lines() {
        return List.of(
                "up "
                        + duration(upSeconds)
                        + ", flows "
                        + sendingFlows
                        + " sending, "
                        + receivingFlows
                        + " receiving, contexts "
                        + contexts
                        + " open",
                "round trips " + roundTrips);
    }

    private static String duration(final long seconds) {
        if (seconds < 120) {
            return seconds + " s";
        }
        final long minutes = seconds / 60;
        return minutes < 120 ? minutes + " min" : minutes / 60 + " h " + minutes % 60 + " min";
    }
}
