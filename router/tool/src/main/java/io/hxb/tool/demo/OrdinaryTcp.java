package io.hxb.tool.demo;

import io.hxb.config.ClusterConfig;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.nic.NicAddress;
import io.hxb.os.nic.NicInfo;
import io.hxb.tap.IpPrefix;
import io.hxb.tool.lab.LabCabling;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.measure.Pair;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What an ordinary TCP connection gets over the virtual NICs of two neighbours, and over one of
 * their links without HXB. Immutable.
 *
 * @param missing what keeps the nodes from having virtual NICs; empty if nothing does.
 * @param nicMegabytes MB a second over the virtual NICs.
 * @param linkMegabytes MB a second over one link.
 * @param isLimited whether the links have a rate of their own.
 */
record OrdinaryTcp(String missing, double nicMegabytes, double linkMegabytes, boolean isLimited) {
    private static final long MAX_WARM_UP_NS = 500_000_000L;
    private static final String WORDS = "an ordinary TCP connection over the virtual NIC";

    // A range for documentation, which nothing else in a lab uses. Source: RFC 5737, 3.
    private static final IpPrefix LINK = IpPrefix.parse("192.0.2.0/24");

    static OrdinaryTcp unmeasured(final String missing) {
        return new OrdinaryTcp(missing, 0, 0, false);
    }

    /**
     * Measures both, one after the other, from node 0 to its first neighbour; the nodes are in
     * namespaces of their own.
     *
     * @param lab that the nodes are those of.
     * @param sendNs how long to measure each.
     * @throws IOException if a link cannot be given an address.
     * @throws io.hxb.tool.report.ToolException if no connection was made, or it carried nothing.
     */
    static OrdinaryTcp measure(final ClusterConfig config, final LabSpec lab, final long sendNs)
            throws IOException {
        final List<Nic> link = firstLink(config, lab);
        final int receiver = link.getLast().node;
        final long warmUpNs = Math.min(sendNs, MAX_WARM_UP_NS);
        final String from = config.netns(link.getFirst().node);
        final String to = config.netns(receiver);
        final String address = config.ip().prefixes().getFirst().address(receiver);
        final double overNic;
        try (TcpStream stream = new TcpStream(from, to, address)) {
            overNic = stream.megabytesPerSecond(warmUpNs, sendNs);
        }
        addAddress(config, link.getFirst(), 0);
        addAddress(config, link.getLast(), 1);
        try (TcpStream stream = new TcpStream(from, to, LINK.address(1))) {
            return new OrdinaryTcp(
                    "", overNic, stream.megabytesPerSecond(warmUpNs, sendNs), lab.rateBps() > 0);
        }
    }

    /** A NIC of a node. */
    private record Nic(int node, String name) {}

    /** The NICs at both ends of a link from node 0 to a neighbour. */
    private static List<Nic> firstLink(final ClusterConfig config, final LabSpec lab) {
        if (lab.cabling().isPresent()) {
            final LabCabling.End far = lab.cabling().get().neighbours(0).getFirst();
            return List.of(
                    new Nic(0, LabNames.nic(0, 0)),
                    new Nic(far.node(), LabNames.nic(0, far.link())));
        }
        final Pair pair = Pair.oneOfEachDistance(config.shape(), 0).getFirst();
        final long first = config.shape().coordinates(pair.from());
        final long second = config.shape().coordinates(pair.to());
        final String nic =
                config.links(pair.from()).stream()
                        .filter(
                                link ->
                                        Shape.coordinate(first, link.dimension())
                                                != Shape.coordinate(second, link.dimension()))
                        .findFirst()
                        .orElseThrow()
                        .nic();
        return List.of(new Nic(pair.from(), nic), new Nic(pair.to(), nic));
    }

    // It goes with the namespace.
    private static void addAddress(final ClusterConfig config, final Nic nic, final int number)
            throws IOException {
        NetworkNamespace.run(
                config.netns(nic.node),
                () -> {
                    new NicAddress(
                                    NicInfo.read(nic.name).ifindex(),
                                    LINK.bytes(number),
                                    LINK.lengthBits())
                            .add();
                    return null;
                });
    }

    /** The line that people read. */
    String text() {
        if (!missing.isEmpty()) {
            return WORDS + ": not measured, because it needs " + missing;
        }
        return String.format(
                Locale.ROOT,
                WORDS + ": %.1f MB/s over one hop; over one link without HXB: %.1f MB/s%s",
                nicMegabytes,
                linkMegabytes,
                isLimited ? "" : " (without --rate a link is as fast as the machine)");
    }

    /** The same for programs. */
    Map<String, Object> fields() {
        final Map<String, Object> fields = new LinkedHashMap<>();
        if (!missing.isEmpty()) {
            fields.put("tcp_missing", missing);
        } else {
            fields.put("tcp_MBps", rounded(nicMegabytes));
            fields.put("tcp_one_link_MBps", rounded(linkMegabytes));
        }
        return fields;
    }

    private static double rounded(final double value) {
        return Math.round(value * 10) / 10.0;
    }
}
