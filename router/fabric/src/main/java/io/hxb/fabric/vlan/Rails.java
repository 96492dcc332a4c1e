package io.hxb.fabric.vlan;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;

/** Several networks side by side, each host with a NIC in every one of them. Pure. */
public final class Rails {
    /** Maximum number of networks. */
    public static final int MAX = 8;

    private Rails() {}

    /**
     * Copies a network. The switches of the copies are called as in the original, followed by a, b
     * and so on. A host is a switch of its own name, with a link for each NIC.
     *
     * @param one network with hosts that have one NIC.
     * @param count how many there are to be, 1 to {@link #MAX}; 1 leaves it as it is.
     */
    public static SwitchGraph of(final SwitchGraph one, final int count) {
        if (count < 1 || count > MAX) {
            throw new GraphException("rails must be 1.." + MAX + ": " + count);
        }
        if (count == 1) {
            return one;
        }
        SwitchGraphBuilder.requireRoom(
                (double) count * one.switchCount() + one.hostCount(),
                (double) count * (one.linkCount() + one.hostCount()),
                one.hostCount());
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        for (int rail = 0; rail < count; rail++) {
            for (int node = 0; node < one.switchCount(); node++) {
                builder.addSwitch(one.switchName(node) + (char) ('a' + rail));
            }
        }
        for (int rail = 0; rail < count; rail++) {
            final int first = rail * one.switchCount();
            for (int link = 0; link < one.linkCount(); link++) {
                builder.addLink(
                        first + one.source(2 * link),
                        one.sourcePort(2 * link),
                        first + one.target(2 * link),
                        one.targetPort(2 * link),
                        one.linkRateBps(link));
            }
        }
        addHosts(one, count, builder);
        return builder.build();
    }

    private static void addHosts(
            final SwitchGraph one, final int count, final SwitchGraphBuilder builder) {
        for (int host = 0; host < one.hostCount(); host++) {
            final int node = builder.addSwitch(one.hostName(host));
            for (int rail = 0; rail < count; rail++) {
                builder.addLink(
                        node,
                        "nic" + rail,
                        rail * one.switchCount() + one.hostSwitch(host),
                        one.hostPort(host),
                        one.hostRateBps(host));
            }
            builder.addHost(
                    one.hostName(host),
                    node,
                    HostNics.PORT,
                    one.hostMac(host),
                    one.hostRateBps(host));
        }
    }
}
