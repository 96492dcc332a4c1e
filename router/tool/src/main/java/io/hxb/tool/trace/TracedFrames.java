package io.hxb.tool.trace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What became of traced frames, as far as it was reported. Owned by one thread. */
final class TracedFrames {
    private final Map<Long, Frame> frames = new LinkedHashMap<>();

    /**
     * What one node reports.
     *
     * @param node id of the node.
     * @param kind a constant of {@link io.hxb.frame.TracedFlyweight}.
     * @param hopLimit that the frame had when it arrived there.
     * @param arrivedOn index of the link on which it arrived.
     * @param leftOn index of the link on which it left, or NO_LINK.
     * @param stayNs how long it was there.
     * @param tripNs from sending until the report was back.
     */
    record Hop(
            int node,
            int kind,
            int hopLimit,
            int arrivedOn,
            int leftOn,
            long stayNs,
            long tripNs) {}

    /**
     * One frame.
     *
     * @param leftOn index of the link of the source that took it.
     * @param sentNs when.
     * @param hops reports about it, in the order of their arrival.
     */
    record Frame(int leftOn, long sentNs, List<Hop> hops) {}

    /** Notes a frame that a link took. */
    void sent(final long number, final int leftOn, final long sentNs) {
        frames.put(number, new Frame(leftOn, sentNs, new ArrayList<>()));
    }

    /** When a frame was sent; -1 if it was not. */
    long sentNs(final long number) {
        final Frame frame = frames.get(number);
        return frame == null ? -1 : frame.sentNs();
    }

    /** Notes a report about a frame that was sent; a second one of the same hop is ignored. */
    void reported(final long number, final Hop hop) {
        final Frame frame = frames.get(number);
        if (frame.hops().stream().noneMatch(known -> known.hopLimit() == hop.hopLimit())) {
            frame.hops().add(hop);
        }
    }

    /** All frames, in the order in which they were sent. */
    List<Frame> all() {
        return List.copyOf(frames.values());
    }
}
