package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LoopConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.counter.CounterType;
import io.hxb.linux.Memory;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/** Two nodes on wires that pass less than a cable does. */
@Tag("system")
class WireKindsSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int CONTEXT = 5;
    private static final int MTU = 1_500;
    private static final int[] LENGTHS = {1, 1_400, 1_437, 9_000, 65_536};
    private static final int ROUNDS = 8;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<Node> nodes = new ArrayList<>();
    private final List<String> namespaces = new ArrayList<>();
    private final PmMessage message = new PmMessage();
    private TestNamespaces made;
    private String middle;

    /** How long frames arrive. Segments go to a MAC of their own. */
    enum Arrival {
        SEGMENTS,
        FRAGMENTS,
        /** Depending on what the bridge has learnt. */
        EITHER
    }

    /** What lies between the NICs called x0. */
    enum Wire {
        /**
         * A device that shares the NIC of the host with others: the kernel gives it frames to its
         * own MAC, whatever others it has asked for.
         */
        MACVLAN(Arrival.FRAGMENTS),
        /** The same where the NIC is its own. */
        MACVLAN_PASSTHRU(Arrival.SEGMENTS),
        /** A switch, or a virtual function, that lets a NIC send and receive by one MAC. */
        ONE_MAC(Arrival.FRAGMENTS),
        /** A bridge that drops frames to MACs that it has not learnt. */
        NO_UNKNOWN_UNICAST(Arrival.EITHER),
        /** A bridge that learns nothing, and so floods everything. */
        NO_LEARNING(Arrival.SEGMENTS),
        /** A tunnel of Ethernet frames. */
        VXLAN(Arrival.SEGMENTS);

        private final Arrival arrival;

        Wire(final Arrival arrival) {
            this.arrival = arrival;
        }
    }

    @AfterEach
    void removeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private <T extends AutoCloseable> T keep(final T resource) {
        open.push(resource);
        return resource;
    }

    private void make(final Wire wire) {
        TestNamespaces.assumeRoot();
        made = keep(new TestNamespaces());
        namespaces.add(made.add("0"));
        namespaces.add(made.add("1"));
        switch (wire) {
            case MACVLAN -> overHostNic("link add x0 link host0 mtu 1500 type macvlan mode bridge");
            case MACVLAN_PASSTHRU ->
                    overHostNic("link add x0 link host0 mtu 1500 type macvlan mode passthru");
            case VXLAN -> tunnel();
            default -> bridge(wire);
        }
    }

    private void overHostNic(final String command) {
        made.veth(namespaces.get(0), "host0", namespaces.get(1), "host0", MTU);
        for (final String namespace : namespaces) {
            TestNamespaces.ipIn(namespace, command, "link set x0 up");
            TestNamespaces.awaitCarrier(namespace, "x0");
        }
    }

    private void tunnel() {
        made.veth(namespaces.get(0), "host0", namespaces.get(1), "host0", MTU + 50);
        for (int i = 0; i < 2; i++) {
            TestNamespaces.ipIn(
                    namespaces.get(i),
                    "address add 192.0.2." + (1 + i) + "/24 dev host0",
                    "link add x0 mtu 1500 type vxlan id 7 dstport 4789 remote 192.0.2." + (2 - i),
                    "link set x0 up");
            TestNamespaces.awaitCarrier(namespaces.get(i), "x0");
        }
    }

    private void bridge(final Wire wire) {
        middle = made.add("m");
        TestNamespaces.ipIn(
                middle,
                "link add bridge type bridge",
                "link set bridge up",
                "link add sink type veth peer name unused");
        for (int i = 0; i < 2; i++) {
            final String port = "port" + i;
            made.veth(namespaces.get(i), "x0", middle, port, MTU);
            TestNamespaces.ipIn(middle, "link set " + port + " master bridge");
            switch (wire) {
                case ONE_MAC -> confine(port, mac(namespaces.get(i)));
                case NO_UNKNOWN_UNICAST -> switchOff(port, "flood");
                case NO_LEARNING -> switchOff(port, "learning");
                default -> throw new IllegalArgumentException(wire.name());
            }
        }
    }

    private static String mac(final String namespace) {
        return String.format(Locale.ROOT, "%012x", TestNamespaces.info(namespace, "x0").mac());
    }

    private void switchOff(final String port, final String what) {
        TestNamespaces.exec(middle, "bridge", "link", "set", "dev", port, what, "off");
    }

    // What no filter takes before goes to a NIC that is down.
    private void confine(final String port, final String mac) {
        TestNamespaces.exec(middle, "tc", "qdisc", "add", "dev", port, "clsact");
        filter(port, "ingress", 1, macAt(mac, -8));
        filter(port, "egress", 1, macAt(mac, -14));
        filter(port, "egress", 2, "match u8 0x01 0x01 at -14 flowid 1:1");
        for (final String direction : List.of("ingress", "egress")) {
            filter(port, direction, 3, "match u8 0 0 at 0 action mirred egress redirect dev sink");
        }
    }

    private static String macAt(final String mac, final int offset) {
        return "match u16 0x"
                + mac.substring(0, 4)
                + " 0xffff at "
                + offset
                + " match u16 0x"
                + mac.substring(4, 8)
                + " 0xffff at "
                + (offset + 2)
                + " match u16 0x"
                + mac.substring(8)
                + " 0xffff at "
                + (offset + 4)
                + " flowid 1:1";
    }

    private void filter(
            final String port, final String direction, final int order, final String match) {
        final List<String> command =
                new ArrayList<>(List.of("tc", "filter", "add", "dev", port, direction));
        command.addAll(List.of("protocol", "all", "pref", Integer.toString(order), "u32"));
        command.addAll(List.of(match.split(" ")));
        TestNamespaces.exec(middle, command.toArray(String[]::new));
    }

    private void start() throws IOException {
        final String prefix =
                namespaces.getFirst().substring(0, namespaces.getFirst().length() - 1);
        final ClusterConfig config =
                ClusterConfigYaml.parse(
                        "shape: 2\nlinks: {x: [x0]}\nbackend: raw\nnetns: '"
                                + prefix
                                + "{node}'\nframe: {encapsulation: auto}\n",
                        "wires.yaml");
        final NodeThreads threads = keep(NodeThreads.start(LoopConfig.DEFAULT));
        for (int id = 0; id < 2; id++) {
            nodes.add(keep(Node.start(NodeOptions.embedded(config, id, threads))));
        }
        for (final Node node : nodes) {
            assertTrue(node.awaitNeighbours(20 * SECOND), () -> node.silentNeighbours().toString());
        }
    }

    private long sum(final CounterType type) {
        return nodes.stream().mapToLong(node -> node.counters().sum(type)).sum();
    }

    @ParameterizedTest
    @EnumSource
    void shouldCarryMessagesOfAllLengthsBothWays(final Wire wire) throws Exception {
        // given
        make(wire);
        start();
        final PmContext first = keep(keep(nodes.get(0).device()).openContext(CONTEXT));
        final PmContext second = keep(keep(nodes.get(1).device()).openContext(CONTEXT));
        exchange(first, 1, second);
        // when
        TestNamespaces.awaitNone(
                "links left out",
                () -> sum(CounterType.LINK_EXCLUDED_EVENTS),
                () -> {
                    exchange(first, 1, second);
                    exchange(second, 0, first);
                });
        // then
        if (wire.arrival == Arrival.SEGMENTS) {
            TestNamespaces.await(
                    "long frames arrive as segments",
                    () -> {
                        exchange(first, 1, second);
                        return sum(CounterType.LINK_RECEIVED_LONG_FRAMES) > 0;
                    });
        } else if (wire.arrival == Arrival.FRAGMENTS) {
            TestNamespaces.await(
                    "long frames arrive as fragments",
                    () -> sum(CounterType.FORWARD_FRAGMENTS_FRAMES) > 0);
            assertEquals(0, sum(CounterType.LINK_RECEIVED_LONG_FRAMES));
        }
        assertEquals(0, sum(CounterType.LINK_SEND_ERROR_FRAMES));
    }

    private void exchange(final PmContext from, final int node, final PmContext to) {
        final long deadlineNs = System.nanoTime() + 60 * SECOND;
        final int messages = ROUNDS * LENGTHS.length;
        int sent = 0;
        int received = 0;
        while (received < messages) {
            assertTrue(System.nanoTime() < deadlineNs, "received " + received);
            final int length = LENGTHS[sent % LENGTHS.length];
            final int slot = sent < messages ? from.claim(node, CONTEXT, length) : -1;
            if (slot >= 0) {
                for (int i = 0; i < length; i++) {
                    Memory.putByte(from.sendAddress(slot) + i, byteOf(sent, i));
                }
                assertEquals(PmStatus.OK, from.send(slot, length, sent++));
            }
            while (to.receive(message) == PmStatus.OK) {
                check(received++);
                to.release(message);
            }
        }
    }

    private void check(final int index) {
        assertEquals(LENGTHS[index % LENGTHS.length], message.lengthBytes());
        for (int i = 0; i < message.lengthBytes(); i++) {
            if (Memory.getUnsignedByte(message.address() + i) != (byteOf(index, i) & 0xFF)) {
                assertEquals(
                        byteOf(index, i) & 0xFF,
                        Memory.getUnsignedByte(message.address() + i),
                        "byte " + i + " of message " + index);
            }
        }
    }

    private static int byteOf(final int index, final int offset) {
        return ((offset + offset / 251 * 17 + index * 31) * 13) >> 1;
    }
}
