package io.hxb.link.pcap;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.os.HostName;

/**
 * How a capture calls a link: cluster and node are in the name, since programs that merge files
 * take interfaces of one name and description for one. Immutable.
 *
 * @param name such as {@code lab-3/x.0}; if_name of the interface.
 * @param description the same in words, with host and NIC; if_description.
 */
public record PcapName(String name, String description) {
    /** The name of a link of a node that is, or was, on this machine. */
    public static PcapName of(final ClusterConfig config, final int node, final LinkConfig link) {
        final String coordinates = config.shape().format(config.shape().coordinates(node));
        final String place =
                link.nic().isEmpty()
                        ? "UDP " + link.host() + ":" + link.port()
                        : "NIC " + link.nic();
        return new PcapName(
                config.name() + "-" + node + "/" + link.label(),
                "cluster "
                        + config.name()
                        + ", node "
                        + node
                        + " ("
                        + coordinates
                        + "), host "
                        + HostName.ofThisMachine()
                        + ", link "
                        + link.label()
                        + ", "
                        + place);
    }
}
