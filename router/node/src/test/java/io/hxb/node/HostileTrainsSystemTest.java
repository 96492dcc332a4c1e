package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.FrameConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.counter.CounterType;
import io.hxb.frame.DropReason;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.link.FrameSink;
import io.hxb.link.HostileTrain;
import io.hxb.link.Link;
import io.hxb.link.raw.HostileIp;
import io.hxb.link.udp.HostileUdp;
import io.hxb.linux.Memory;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.testing.TestNamespaces;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Two nodes whose frames travel in trains, and somebody who sends trains of all wrong kinds to one
 * of them, by IP as anybody at the cable can, over UDP from the address of the other node: honest
 * messages arrive with each byte, what was wrong is counted, and every buffer is where it belongs.
 * -Dhxb.trains.seeds=N runs more seeds, -Dhxb.trains.seed=S one.
 */
@Tag("system")
class HostileTrainsSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int SEEDS = Integer.getInteger("hxb.trains.seeds", 3);
    private static final long ONLY_SEED = Long.getLong("hxb.trains.seed", -1);
    private static final int CONTEXT = 1;
    private static final int MTU = 9_000;
    private static final int BASE_PORT = TestPorts.take(4);
    private static final int MESSAGES = 3_000;
    private static final int MAX_BYTES = 8_800;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final List<Node> nodes = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    private final PmMessage message = new PmMessage();
    private SplittableRandom random;
    private HostileTrain train;
    private PmDevice device;
    private PmContext from;
    private PmContext to;
    private boolean isLearning;
    private int hostileTrains;

    /** Sends one hostile train. */
    private interface Attack {
        void run() throws Exception;
    }

    /** One seed, on new nodes. */
    private interface Run {
        void run() throws Exception;
    }

    @AfterEach
    void closeAll() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
        nodes.clear();
        links.clear();
    }

    private <T extends AutoCloseable> T keep(final T resource) {
        open.push(resource);
        return resource;
    }

    @Test
    void shouldKeepHonestMessagesIntactBesideHostileTrainsByIp() throws Exception {
        TestNamespaces.assumeRoot();
        forEachSeed(this::attackByIp);
    }

    @Test
    void shouldKeepHonestMessagesIntactBesideHostileTrainsOverUdp() throws Exception {
        forEachSeed(this::attackOverUdp);
    }

    private void forEachSeed(final Run run) throws Exception {
        for (long seed = 0; seed < SEEDS; seed++) {
            if (ONLY_SEED < 0 || ONLY_SEED == seed) {
                random = new SplittableRandom(seed);
                train = new HostileTrain(random.split());
                try {
                    run.run();
                } catch (final AssertionError e) {
                    throw new AssertionError("replay by -Dhxb.trains.seed=" + seed, e);
                }
                closeAll();
            }
        }
        System.out.println(SEEDS + " seeds, " + hostileTrains + " hostile trains");
    }

    private void attackByIp() throws Exception {
        // given
        final TestNamespaces namespaces = keep(new TestNamespaces());
        final String left = namespaces.add("0");
        final String right = namespaces.add("1");
        namespaces.veth(left, "n0", right, "n0", MTU);
        start(
                ClusterConfig.of(
                        "hostile",
                        Shape.of(2),
                        Backend.RAW,
                        LinkPlan.raw(
                                List.of(List.of("n0")),
                                left.substring(0, left.length() - 1) + "{node}")),
                FrameConfig.Encapsulation.UDP);
        final HostileIp attacker =
                keep(
                        HostileIp.open(
                                left,
                                "n0",
                                links.get(0).localAddress(),
                                links.get(1).localAddress(),
                                train,
                                random.split()));
        // when
        exchange(attacker::attack);
        // then
        for (final HostileIp.Kind kind : HostileIp.Kind.values()) {
            assertTrue(attacker.sent(kind) > 0, kind + " were sent");
            hostileTrains += attacker.sent(kind);
        }
        check();
        TestNamespaces.await(
                "probes of strangers are counted",
                () -> counted(CounterType.LINK_UNKNOWN_SENDER_PROBES));
    }

    private void attackOverUdp() throws Exception {
        // given
        start(
                ClusterConfig.of(
                        "hostile", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, BASE_PORT)),
                FrameConfig.Encapsulation.ETHERNET);
        final HostileUdp attacker = keep(new HostileUdp(links.get(0), train));
        // when
        exchange(() -> attacker.attack(1));
        // then
        for (final HostileTrain.Kind kind : HostileTrain.Kind.values()) {
            assertTrue(attacker.sent(kind) > 0, kind + " were sent");
            hostileTrains += attacker.sent(kind);
        }
        check();
    }

    private void start(final ClusterConfig cluster, final FrameConfig.Encapsulation encapsulation)
            throws Exception {
        final LoopConfig loop =
                new LoopConfig(1, LoopConfig.Waiting.HYBRID, 50_000, 64, List.of(), 0);
        final FrameConfig frame =
                FrameConfig.DEFAULT.withCrc(true).withEncapsulation(encapsulation);
        final ClusterConfig config = cluster.withLoop(loop).withFrame(frame);
        final NodeThreads threads = keep(NodeThreads.invoker(loop));
        for (int id = 0; id < 2; id++) {
            nodes.add(
                    keep(
                            Node.start(
                                    NodeOptions.embedded(config, id, threads)
                                            .withWrapper(this::tapped))));
        }
        for (final Node node : nodes) {
            assertTrue(node.awaitNeighbours(20 * SECOND), () -> node.silentNeighbours().toString());
        }
        device = keep(nodes.get(0).device());
        from = keep(device.openContext(CONTEXT));
        to = keep(keep(nodes.get(1).device()).openContext(CONTEXT));
        isLearning = true;
        exchange(() -> {});
        isLearning = false;
    }

    // The second node's frames are what hostile trains are made of.
    private Link tapped(final Link link) {
        links.add(link);
        if (links.size() < 2) {
            return link;
        }
        return (Link)
                Proxy.newProxyInstance(
                        Link.class.getClassLoader(),
                        new Class<?>[] {Link.class},
                        (proxy, method, arguments) -> {
                            try {
                                if (method.getName().equals("receive")) {
                                    arguments[1] = tapped((FrameSink) arguments[1]);
                                }
                                return method.invoke(link, arguments);
                            } catch (final InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private FrameSink tapped(final FrameSink sink) {
        return new FrameSink() {
            @Override
            public void onBuffer(
                    final Link link,
                    final BufferPool.Share share,
                    final int bufferId,
                    final int lengthBytes,
                    final long sourceAddress,
                    final int vlanTci) {
                learn(share.pool().headerAddress(bufferId), lengthBytes);
                sink.onBuffer(link, share, bufferId, lengthBytes, sourceAddress, vlanTci);
            }

            @Override
            public void onFrame(
                    final Link link,
                    final FrameOwner owner,
                    final long token,
                    final long headerAddress,
                    final int lengthBytes,
                    final long sourceAddress,
                    final int vlanTci) {
                learn(headerAddress, lengthBytes);
                sink.onFrame(
                        link, owner, token, headerAddress, lengthBytes, sourceAddress, vlanTci);
            }
        };
    }

    private void learn(final long headerAddress, final int lengthBytes) {
        if (isLearning
                && lengthBytes > FrameHeaderFlyweight.LENGTH
                && Memory.getByte(headerAddress + FrameHeaderFlyweight.TYPE_OFFSET)
                        == FrameType.DATA) {
            train.learn(headerAddress, lengthBytes);
        }
    }

    private void exchange(final Attack attack) throws Exception {
        final int[] lengths = random.ints(MESSAGES, Long.BYTES, MAX_BYTES).toArray();
        for (int i = 1; i < MESSAGES; i++) {
            lengths[i] = i % 32 == 0 ? lengths[i] : lengths[i - 1];
        }
        final long deadlineNs = System.nanoTime() + 60 * SECOND;
        int sent = 0;
        int received = 0;
        while (received < MESSAGES) {
            assertTrue(System.nanoTime() - deadlineNs < 0, "received " + received);
            for (int burst = random.nextInt(16); burst > 0 && sent < MESSAGES; burst--) {
                final int slot = from.claim(1, CONTEXT, lengths[sent]);
                if (slot < 0) {
                    break;
                }
                fill(from.sendAddress(slot), lengths[sent], sent);
                assertEquals(PmStatus.OK, from.send(slot, lengths[sent], sent));
                sent++;
            }
            for (int attacks = random.nextInt(6); attacks > 0; attacks--) {
                attack.run();
            }
            device.poll();
            while (to.receive(message) == PmStatus.OK) {
                assertEquals(received, message.tag());
                assertEquals(lengths[received], message.lengthBytes());
                checkBytes(message.address(), lengths[received], received);
                received++;
                to.release(message);
            }
        }
        TestNamespaces.await(
                "all are acknowledged",
                () -> {
                    device.poll();
                    return nodes.stream().allMatch(node -> node.bufferBooks().onTheWay() == 0);
                });
        assertEquals(PmStatus.EMPTY, to.receive(message), "no message is delivered twice");
    }

    private static void fill(final long address, final int lengthBytes, final int seed) {
        for (int i = 0; i < lengthBytes; i++) {
            Memory.putByte(address + i, seed * 31 + i * 7);
        }
    }

    private static void checkBytes(final long address, final int lengthBytes, final int seed) {
        for (int i = 0; i < lengthBytes; i++) {
            if (Memory.getByte(address + i) != (byte) (seed * 31 + i * 7)) {
                throw new AssertionError("byte " + i + " of message " + seed);
            }
        }
    }

    private boolean counted(final CounterType type) {
        return nodes.get(1).counters().sum(type) > 0;
    }

    // Whatever arrived was delivered, or dropped for a reason; no buffer is missing.
    private void check() {
        for (final CounterType type :
                List.of(
                        CounterType.LINK_RECEIVED_TRAINS,
                        CounterType.LINK_RECEIVED_COPIED_FRAMES,
                        CounterType.FORWARD_DROPPED_TOO_SHORT_FRAMES,
                        CounterType.FORWARD_DROPPED_VERSION_FRAMES,
                        CounterType.FORWARD_DROPPED_LENGTH_FRAMES,
                        CounterType.FORWARD_DROPPED_CRC_FRAMES,
                        CounterType.FLOW_DUPLICATE_FRAMES)) {
            TestNamespaces.await(
                    type + " counts",
                    () -> {
                        device.poll();
                        return counted(type);
                    });
        }
        final Node node = nodes.get(1);
        TestNamespaces.await(
                "all frames are accounted for",
                () -> {
                    device.poll();
                    return sum(node, CounterType.FORWARD_RECEIVED_FRAMES)
                            == sum(node, CounterType.FORWARD_DELIVERED_FRAMES)
                                    + sum(node, CounterType.FORWARD_CONTROL_FRAMES)
                                    + sum(node, CounterType.FORWARD_FRAGMENTS_FRAMES)
                                    + sum(node, CounterType.FORWARD_RELAYED_FRAMES)
                                    + dropped(node);
                });
        assertTrue(sum(nodes.get(0), CounterType.LINK_SENT_TRAINS) > 0, "honest trains");
        assertEquals(0, sum(node, CounterType.NODE_ERRORS_EVENTS));
        TestNamespaces.await(
                () -> "every buffer is back: " + node.bufferBooks(),
                () -> {
                    device.poll();
                    return node.bufferBooks().onTheWay() == 0
                            && node.bufferBooks().inFlows() == 0
                            && node.bufferBooks().inContexts() == 0;
                });
    }

    private static long sum(final Node node, final CounterType type) {
        return node.counters().sum(type);
    }

    private static long dropped(final Node node) {
        long dropped = 0;
        for (int reason = -1; reason >= -DropReason.COUNT; reason--) {
            dropped += sum(node, CounterType.ofReason(reason));
        }
        return dropped;
    }
}
