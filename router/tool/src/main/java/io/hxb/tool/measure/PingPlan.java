package io.hxb.tool.measure;

/**
 * How round trips are made. Immutable.
 *
 * @param lengthBytes payload of a message, 4 or more.
 * @param count round trips to each node, 0 until the user stops them.
 * @param intervalNs from the start of one to the start of the next, 0 for back to back.
 * @param timeoutNs an answer that takes longer counts as lost.
 */
public record PingPlan(int lengthBytes, long count, long intervalNs, long timeoutNs) {
    /** True if each round trip is reported as it happens. */
    public boolean isPaced() {
        return intervalNs > 0;
    }
}
