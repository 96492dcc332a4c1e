package io.hxb.bench.lab;

import io.hxb.bench.harness.BenchNetwork;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.bpf.FrameFilter;
import io.hxb.os.nic.NicInfo;
import io.hxb.tool.lab.LabWire;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Two hosts joined by several shaped veth pairs, also with a switch in each; or three in a row, of
 * which the one in the middle relays, and a fourth that makes them a square. Used by one thread.
 */
final class BulkNetwork implements AutoCloseable {
    static final String LEFT = "left";
    static final String RIGHT = "right";
    static final String RELAY = "relay";
    static final String OTHER_RELAY = "other";

    /** Headers of IPv4 and UDP. */
    static final int DATAGRAM_HEADER_BYTES = 28;

    /** Headers of IPv4 and TCP. */
    static final int SEGMENT_HEADER_BYTES = 40;

    private static final String SWITCH = "switch";
    private static final String BOX = "box";
    private static final double ALL = 1;

    private final BenchNetwork network;
    private final LabWire wire;
    private final int links;
    private final int mtu;
    private final boolean hasRelay;
    private final List<FrameFilter> filters = new ArrayList<>();
    private final List<DelayBox> boxes = new ArrayList<>();

    /** What is between the hosts. */
    enum Between {
        /** A cable for each link. */
        CABLES,

        /** A switch for each link, at whose ports frames can be lost. */
        SWITCHES,

        /** A cable for each link, and a box in the first one that makes it longer. */
        LONG_CABLE,

        /** A cable for each link, and a box in each that makes it longer. */
        LONG_CABLES,

        /** A relay, so that only HXB over raw links can cross it. */
        RELAY
    }

    /**
     * Makes the network.
     *
     * @param mbit rate of each link; 0 if they are not shaped.
     */
    BulkNetwork(
            final LabWire wire,
            final int links,
            final int mtu,
            final int mbit,
            final Between between)
            throws Exception {
        this.wire = wire;
        this.links = links;
        this.mtu = mtu;
        hasRelay = between == Between.RELAY;
        network =
                switch (between) {
                    case CABLES -> BenchNetwork.of("bulk", LEFT, RIGHT);
                    case SWITCHES -> BenchNetwork.of("bulk", LEFT, RIGHT, SWITCH);
                    case LONG_CABLE, LONG_CABLES -> BenchNetwork.of("bulk", LEFT, RIGHT, BOX);
                    case RELAY -> BenchNetwork.of("bulk", LEFT, RIGHT, RELAY, OTHER_RELAY);
                };
        for (int i = 0; i < links; i++) {
            if (hasRelay) {
                joinByRelay(i, mbit);
            } else {
                join(i, mbit, between);
            }
        }
        if (BenchNetwork.isLoopback()) {
            return;
        }
        if (hasRelay) {
            wire.prepare(network.name(LEFT), nics());
            wire.prepare(network.name(RELAY), both());
            wire.prepare(network.name(RIGHT), nicsOfY());
        } else {
            wire.prepare(network.name(LEFT), nics());
            wire.prepare(network.name(RIGHT), nics());
        }
    }

    private void join(final int link, final int mbit, final Between between)
            throws IOException, InterruptedException {
        final String nic = nic(link);
        if (between == Between.SWITCHES) {
            network.joinByBridge(LEFT, nic, RIGHT, nic, SWITCH, bridge(link), mtu);
        } else if (between == Between.LONG_CABLES || (between == Between.LONG_CABLE && link == 0)) {
            network.join(LEFT, nic, BOX, LEFT + link, mtu);
            network.join(RIGHT, nic, BOX, RIGHT + link, mtu);
        } else {
            network.join(LEFT, nic, RIGHT, nic, mtu);
        }
        for (final String host : List.of(LEFT, RIGHT)) {
            network.address(host, nic, address(host, link) + "/24");
            shape(host, nic, mbit);
        }
    }

    // The other relay has nothing to do, as the ends correct x before y.
    private void joinByRelay(final int link, final int mbit)
            throws IOException, InterruptedException {
        final String y = "y" + link;
        network.join(LEFT, nic(link), RELAY, nic(link), mtu);
        network.join(RELAY, y, RIGHT, y, mtu);
        network.join(LEFT, y, OTHER_RELAY, y, mtu);
        network.join(RIGHT, nic(link), OTHER_RELAY, nic(link), mtu);
        shape(LEFT, nic(link), mbit);
        shape(RELAY, nic(link), mbit);
        shape(RELAY, y, mbit);
        shape(RIGHT, y, mbit);
    }

    private void shape(final String host, final String nic, final int mbit)
            throws IOException, InterruptedException {
        if (mbit > 0 && !BenchNetwork.isLoopback()) {
            network.shape(host, nic, wire.shaper(mbit * 1_000_000L, mtu));
        }
    }

    private static String bridge(final int link) {
        return "b" + link;
    }

    // What a host sends on a link comes in here.
    private static String port(final int link, final String host) {
        return bridge(link) + (host.equals(LEFT) ? "a" : "b");
    }

    /**
     * Loses frames on a link that has a switch, in both directions, from now on; neither sender nor
     * receiver is told.
     *
     * @param share of the frames, 0 to 1; of pieces, where the wire does not cut them.
     */
    void lose(final int link, final double share) throws IOException {
        filters.addAll(filter(link, share));
    }

    /** Frames that were lost so, or pieces. */
    long lost() {
        return filters.stream().mapToLong(FrameFilter::dropped).sum();
    }

    /** Loses all frames of such a link, until it is closed. */
    AutoCloseable pull(final int link) throws IOException {
        final List<FrameFilter> both = filter(link, ALL);
        return () -> both.forEach(FrameFilter::close);
    }

    private List<FrameFilter> filter(final int link, final double share) throws IOException {
        return NetworkNamespace.run(
                network.name(SWITCH),
                () -> {
                    final List<FrameFilter> both = new ArrayList<>();
                    for (final String host : List.of(LEFT, RIGHT)) {
                        final int port = NicInfo.read(port(link, host)).ifindex();
                        both.add(FrameFilter.attach(port, true, share, 0));
                    }
                    return both;
                });
    }

    /**
     * Makes a link with a box longer, until the network is closed; nothing passes it before.
     *
     * @param ms what that adds in each direction.
     * @param jitterMs by how much more a frame may be delayed.
     */
    DelayBox delay(final int link, final double ms, final double jitterMs)
            throws IOException, InterruptedException {
        final DelayBox box =
                DelayBox.start(network.name(BOX), LEFT + link, RIGHT + link, ms, jitterMs);
        boxes.add(box);
        return box;
    }

    /** Takes the carrier of such a link away, until it is closed. */
    AutoCloseable unplug(final int link) throws IOException, InterruptedException {
        carrier(link, "down");
        return () -> carrier(link, "up");
    }

    private void carrier(final int link, final String state)
            throws IOException, InterruptedException {
        network.exec(
                SWITCH,
                "sh",
                "-c",
                "ip link set %s %s; ip link set %s %s"
                        .formatted(port(link, LEFT), state, port(link, RIGHT), state));
    }

    /** Gives a shaped link another rate, in both directions. */
    void slow(final int link, final int mbit) throws IOException, InterruptedException {
        for (final String host : List.of(LEFT, RIGHT)) {
            network.exec(
                    host,
                    ("tc qdisc change dev "
                                    + nic(link)
                                    + " root "
                                    + wire.shaper(mbit * 1_000_000L, mtu))
                            .split(" "));
        }
    }

    /** Lets MPTCP use all links: the right host announces its addresses, and the left one joins. */
    void prepareMptcp() throws IOException, InterruptedException {
        for (final String host : List.of(LEFT, RIGHT)) {
            exec(host, "ip mptcp limits set subflows 8 add_addr_accepted 8".split(" "));
        }
        for (int i = 0; i < links; i++) {
            final String endpoint =
                    "ip mptcp endpoint add " + address(RIGHT, i) + " dev " + nic(i) + " signal";
            exec(RIGHT, endpoint.split(" "));
        }
    }

    /** The two hosts, for programs that use TCP. */
    TcpHosts hosts() {
        return new TcpHosts(network.name(LEFT), network.name(RIGHT));
    }

    /** NIC of a host on a link, in the first dimension. */
    static String nic(final int link) {
        return "x" + link;
    }

    boolean hasRelay() {
        return hasRelay;
    }

    int mtu() {
        return mtu;
    }

    int links() {
        return links;
    }

    /** Name of a host's namespace. */
    String name(final String host) {
        return network.name(host);
    }

    /** Runs a command at a host. */
    void exec(final String host, final String... command) throws IOException, InterruptedException {
        network.exec(host, command);
    }

    /** Address of a host without a relay on a link. */
    static String address(final String host, final int link) {
        return BenchNetwork.host("10.96." + link + (host.equals(LEFT) ? ".1" : ".2"));
    }

    /** How long the kernel waits at each NIC for frames to join, in microseconds. */
    void flushTimeout(final int us) throws IOException, InterruptedException {
        assert !hasRelay : "its NICs have other names";
        if (BenchNetwork.isLoopback()) {
            return;
        }
        for (final String host : List.of(LEFT, RIGHT)) {
            for (final String nic : nics()) {
                final String file = "/sys/class/net/" + nic + "/gro_flush_timeout";
                exec(host, "sh", "-c", "echo " + us + "000 > " + file);
            }
        }
    }

    /** Addresses of a host, by link. */
    List<String> addresses(final String host) {
        final List<String> all = new ArrayList<>();
        for (int i = 0; i < links; i++) {
            all.add(address(host, i));
        }
        return all;
    }

    /** NICs of the dimension by which the hosts are joined, or the first one of two. */
    List<String> nics() {
        final List<String> all = new ArrayList<>();
        for (int i = 0; i < links; i++) {
            all.add(nic(i));
        }
        return all;
    }

    /** NICs of the second dimension. */
    List<String> nicsOfY() {
        return nics().stream().map(nic -> nic.replace('x', 'y')).toList();
    }

    private List<String> both() {
        return Stream.concat(nics().stream(), nicsOfY().stream()).toList();
    }

    /** Number of the node of a host. */
    // Nodes of a square: its corners are 0 and 3, and the relay at x = 1 is the first hop.
    int number(final String host) {
        return switch (host) {
            case LEFT -> 0;
            case RELAY -> 1;
            case OTHER_RELAY -> 2;
            default -> hasRelay ? 3 : 1;
        };
    }

    @Override
    public void close() {
        boxes.forEach(DelayBox::close);
        filters.forEach(FrameFilter::close);
        network.close();
    }
}
