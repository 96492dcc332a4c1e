package io.hxb.bench.lab;

import io.hxb.bench.harness.BenchNetwork;
import io.hxb.tool.lab.LabWire;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Two hosts joined by several shaped veth pairs; or three in a row, of which the one in the middle
 * relays, and a fourth that makes them a square. Used by one thread.
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

    private final BenchNetwork network;
    private final int links;
    private final int mtu;
    private final boolean hasRelay;

    /**
     * Makes the network.
     *
     * @param mbit rate of each link; 0 if they are not shaped.
     * @param hasRelay whether a relay is between the hosts, so that only HXB over raw links can
     *     cross it.
     */
    BulkNetwork(
            final LabWire wire,
            final int links,
            final int mtu,
            final int mbit,
            final boolean hasRelay)
            throws Exception {
        this.links = links;
        this.mtu = mtu;
        this.hasRelay = hasRelay;
        network =
                hasRelay
                        ? BenchNetwork.of("bulk", LEFT, RIGHT, RELAY, OTHER_RELAY)
                        : BenchNetwork.of("bulk", LEFT, RIGHT);
        for (int i = 0; i < links; i++) {
            if (hasRelay) {
                joinByRelay(wire, i, mbit);
            } else {
                join(wire, i, mbit);
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

    private void join(final LabWire wire, final int link, final int mbit)
            throws IOException, InterruptedException {
        network.join(LEFT, nic(link), RIGHT, nic(link), mtu);
        for (final String host : List.of(LEFT, RIGHT)) {
            network.address(host, nic(link), address(host, link) + "/24");
            shape(wire, host, nic(link), mbit);
        }
    }

    // The other relay has nothing to do, as the ends correct x before y.
    private void joinByRelay(final LabWire wire, final int link, final int mbit)
            throws IOException, InterruptedException {
        final String y = "y" + link;
        network.join(LEFT, nic(link), RELAY, nic(link), mtu);
        network.join(RELAY, y, RIGHT, y, mtu);
        network.join(LEFT, y, OTHER_RELAY, y, mtu);
        network.join(RIGHT, nic(link), OTHER_RELAY, nic(link), mtu);
        shape(wire, LEFT, nic(link), mbit);
        shape(wire, RELAY, nic(link), mbit);
        shape(wire, RELAY, y, mbit);
        shape(wire, RIGHT, y, mbit);
    }

    private void shape(final LabWire wire, final String host, final String nic, final int mbit)
            throws IOException, InterruptedException {
        if (mbit > 0 && !BenchNetwork.isLoopback()) {
            network.shape(host, nic, wire.shaper(mbit * 1_000_000L, mtu));
        }
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
        network.close();
    }
}
