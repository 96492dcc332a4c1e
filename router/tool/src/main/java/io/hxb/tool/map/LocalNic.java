package io.hxb.tool.map;

import io.hxb.linkstate.NodeLink;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.LinkSample;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A NIC of a node of this machine. Immutable.
 *
 * @param sample what the node's counters show of it.
 * @param link what the node's map shows of it.
 */
record LocalNic(LinkSample sample, NodeLink link) {
    /** Its name: {@code eth1}. */
    String name() {
        return sample.nic();
    }

    /** Nodes that it exchanges frames with. */
    List<Integer> partners() {
        return link.partners();
    }

    boolean isDown() {
        return sample.condition() == LinkCondition.DOWN;
    }

    /** Its name and who is there: {@code eth1: 3}. */
    String text() {
        final String there =
                partners().isEmpty()
                        ? isDown() ? "down" : "nobody"
                        : Sentences.list(partners(), "and");
        return name() + ": " + there;
    }

    /** The NIC as JSON shows it. */
    Map<String, Object> report() {
        final Map<String, Object> nic = new LinkedHashMap<>();
        nic.put("link", sample.label());
        nic.put("nic", name());
        nic.put("state", sample.state());
        nic.put("mtu_bytes", link.mtuBytes());
        nic.put("capacity_Mbps", link.capacityMbps());
        nic.put("partners", partners());
        return nic;
    }
}
