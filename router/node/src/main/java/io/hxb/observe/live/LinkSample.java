package io.hxb.observe.live;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One link of a node at one moment. Immutable.
 *
 * @param label dimension and number, such as {@code x.0}.
 * @param nic NIC or address.
 * @param condition how it fares.
 * @param failedNeighbours neighbours towards which it is left out.
 * @param weightPercent share of its full load.
 * @param in what arrives.
 * @param out what is sent.
 * @param failures how often it failed since the node's start.
 * @param recoveries how often it recovered.
 * @param lastReason why it failed or recovered last; empty if it never did.
 */
public record LinkSample(
        String label,
        String nic,
        LinkCondition condition,
        long failedNeighbours,
        long weightPercent,
        Traffic in,
        Traffic out,
        long failures,
        long recoveries,
        String lastReason) {

    /**
     * What goes one way in a second. Immutable.
     *
     * @param frames frames a second.
     * @param megabytes MB a second.
     */
    public record Traffic(long frames, double megabytes) {}

    /** Its state in a word or three. */
    public String state() {
        return condition.text(failedNeighbours);
    }

    /** The link as JSON shows it. */
    public Map<String, Object> report() {
        final Map<String, Object> link = new LinkedHashMap<>();
        link.put("link", label);
        link.put("nic", nic);
        link.put("state", state());
        link.put("weight_percent", weightPercent);
        link.put("in_frames_per_s", in.frames());
        link.put("in_mb_per_s", in.megabytes());
        link.put("out_frames_per_s", out.frames());
        link.put("out_mb_per_s", out.megabytes());
        link.put("failures", failures);
        link.put("recoveries", recoveries);
        link.put("last_reason", lastReason);
        return link;
    }
}
