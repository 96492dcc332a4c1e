package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LoopConfig;
import io.hxb.config.SecurityConfig;
import io.hxb.config.SocketConfig;
import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Memory;
import io.hxb.node.loop.NodeThreads;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicInfo;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.session.KeyFile;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.Lab;
import io.hxb.tool.lab.LabCluster;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Real nodes with a key, for which the kernel relays, and somebody on the line before the relay who
 * sends what he sees again, changed and cut: (0,0) - x - (1,0) - y - (1,1).
 */
@Tag("system")
class SealedKernelRelaySystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Shape SHAPE = Shape.of(2, 2);
    private static final int SOURCE = 0;
    private static final int SINK = 3;
    private static final int CONTEXT = 5;
    private static final int MESSAGES = 200;
    private static final int MAX_BYTES = 8_000;
    private static final int ATTACKS = 2_000;
    private static final int ETHERNET_BYTES = 14;
    private static final int ROOM_BYTES = 16_384;

    @TempDir private Path folder;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final SplittableRandom random = new SplittableRandom(5);
    private final PmMessage message = new PmMessage();
    private final List<Node> nodes = new ArrayList<>();
    private Lab lab;
    private int sent;
    private int received;

    @BeforeEach
    void makeLab() {
        TestNamespaces.assumeRoot();
        final LabSpec spec =
                new LabSpec("seal" + ProcessHandle.current().pid(), SHAPE, 1, Backend.RAW, 0, 9_000)
                        .withKernelRelay(SocketConfig.KernelRelay.ON);
        lab = Lab.up(new LabRegistry(folder.resolve("run/labs")), spec);
    }

    @AfterEach
    void removeAll() throws Exception {
        closeNodes();
        if (lab != null) {
            lab.close();
        }
    }

    private void closeNodes() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
        nodes.clear();
    }

    private <T extends AutoCloseable> T keep(final T resource) {
        open.push(resource);
        return resource;
    }

    private void start(final SecurityConfig.Mode mode) throws IOException {
        final Path key = folder.resolve("key-" + mode);
        KeyFile.generate(key);
        final ClusterConfig config =
                LabCluster.config(lab)
                        .withSecurity(new SecurityConfig(mode, List.of(key.toString())));
        final NodeThreads threads = keep(NodeThreads.start(LoopConfig.DEFAULT));
        for (int id = 0; id < SHAPE.nodeCount(); id++) {
            nodes.add(keep(Node.start(NodeOptions.embedded(config, id, threads))));
        }
        for (final Node node : nodes) {
            assertTrue(node.awaitNeighbours(20 * SECOND), () -> node.silentNeighbours().toString());
        }
    }

    @Test
    void shouldRelayInTheKernelWhatIsSealedAndOpenNothingThatIsForged() throws Exception {
        for (final SecurityConfig.Mode mode :
                List.of(SecurityConfig.Mode.AUTHENTICATE, SecurityConfig.Mode.ENCRYPT)) {
            // given
            start(mode);
            awaitCounters();
            final long neighbours = neighbours();
            try (Arena arena = Arena.ofConfined();
                    PmDevice left = nodes.get(SOURCE).device();
                    PmDevice right = nodes.get(SINK).device();
                    PmContext from = left.openContext(CONTEXT);
                    PmContext to = right.openContext(CONTEXT)) {
                final Attacker attacker = keep(new Attacker(arena));
                // when
                final List<byte[]> frames = new ArrayList<>();
                for (int i = 0; i < MESSAGES; i += 10) {
                    exchange(from, to, 10);
                    frames.addAll(attacker.takeFrames());
                }
                // then
                assertTrue(frames.size() > 50, mode + ": seen " + frames.size());
                awaitSum(CounterType.FORWARD_KERNEL_RELAYED_FRAMES, MESSAGES / 2);
                awaitCounters();
                final List<Long> before = state();
                final long relayedBefore = kernelRelayed();
                // when
                TestNamespaces.awaitNone(
                        "links left out",
                        () -> sum(CounterType.LINK_EXCLUDED_EVENTS),
                        () -> attack(attacker, frames, from, to));
                // then
                assertEquals(PmStatus.EMPTY, to.receive(message), "nothing came twice");
                assertEquals(PmStatus.EMPTY, from.pollEvent(new PmEvent()), "nothing has ended");
                assertEquals(before, state(), mode + ": flows, sessions, errors");
                TestNamespaces.await(
                        () -> neighbours + " neighbours, not " + neighbours(),
                        () -> neighbours() == neighbours);
                awaitSum(CounterType.FORWARD_DROPPED_REPLAY_FRAMES, ATTACKS / 8);
                awaitSum(CounterType.FORWARD_DROPPED_SEAL_FRAMES, ATTACKS / 8);
                assertTrue(kernelRelayed() - relayedBefore > ATTACKS / 4, "through the relay");
            }
            closeNodes();
        }
    }

    private void exchange(final PmContext from, final PmContext to, final int count) {
        final int end = received + count;
        final int limit = sent + count;
        final long deadlineNs = System.nanoTime() + 60 * SECOND;
        while (received < end) {
            assertTrue(System.nanoTime() < deadlineNs, "received " + received + " of " + end);
            final int lengthBytes = 8 + (int) (sent * 7919L % MAX_BYTES);
            final int slot = sent < limit ? from.claim(SINK, CONTEXT, lengthBytes) : -1;
            if (slot >= 0) {
                for (int i = 0; i < lengthBytes; i++) {
                    Memory.putByte(from.sendAddress(slot) + i, sent + i);
                }
                assertEquals(PmStatus.OK, from.send(slot, lengthBytes, sent++));
            }
            while (to.receive(message) == PmStatus.OK) {
                assertEquals(8 + (int) (received * 7919L % MAX_BYTES), message.lengthBytes());
                for (int i = 0; i < message.lengthBytes(); i++) {
                    assertEquals((byte) (received + i), Memory.getByte(message.address() + i));
                }
                received++;
                to.release(message);
            }
        }
    }

    private void attack(
            final Attacker attacker,
            final List<byte[]> frames,
            final PmContext from,
            final PmContext to) {
        for (int i = 0; i < ATTACKS; i++) {
            attacker.send(frames.get(random.nextInt(frames.size())), i % 4);
            if (i % 50 == 0) {
                exchange(from, to, 1);
            }
        }
        exchange(from, to, MESSAGES);
        awaitCounters();
    }

    private long neighbours() {
        return sum(CounterType.LINK_NEIGHBOURS_NODES);
    }

    private long kernelRelayed() {
        return sum(CounterType.FORWARD_KERNEL_RELAYED_FRAMES);
    }

    /** What an attack must not change. */
    private List<Long> state() {
        return List.of(
                sum(CounterType.FLOW_SENDING_FLOWS),
                sum(CounterType.FLOW_RECEIVING_FLOWS),
                sum(CounterType.SESSION_BEGUN_EVENTS),
                sum(CounterType.NODE_ERRORS_EVENTS));
    }

    private long sum(final CounterType type) {
        return nodes.stream().mapToLong(node -> node.counters().sum(type)).sum();
    }

    // They are copied a few times a second, all at once.
    private void awaitCounters() {
        final long hellos = sum(CounterType.LINK_HELLO_SENT_FRAMES);
        awaitSum(CounterType.LINK_HELLO_SENT_FRAMES, hellos + 2L * 4 * nodes.size());
    }

    private void awaitSum(final CounterType type, final long min) {
        TestNamespaces.await(
                () -> type.exportName() + " " + sum(type) + ", not " + min, () -> sum(type) >= min);
    }

    /** A station on the line of x between source and relay. Used by the test's thread. */
    private final class Attacker implements AutoCloseable {
        private final long memory;
        private final int sniffer;
        private final int injector;

        Attacker(final Arena arena) throws IOException {
            memory = arena.allocate(ROOM_BYTES, 64).address();
            final String space = LabNames.switchNamespace(lab.spec().name());
            sniffer =
                    NetworkNamespace.run(
                            space,
                            () -> open(LabNames.port(0, 0, SOURCE), PacketSocket.ALL_ETHER_TYPES));
            injector = NetworkNamespace.run(space, () -> open(LabNames.bridge(0, 0, SOURCE), 0));
        }

        private static int open(final String nic, final int etherType) throws IOException {
            final int socket = PacketSocket.open();
            PacketSocket.bind(socket, etherType, NicInfo.read(nic).ifindex(), nic);
            return socket;
        }

        /** The frames for the sink that have passed and were not lost to it. */
        List<byte[]> takeFrames() {
            final List<byte[]> frames = new ArrayList<>();
            for (int bytes = receive(); bytes > 0; bytes = receive()) {
                final long destination =
                        memory + ETHERNET_BYTES + FrameHeaderFlyweight.DESTINATION_OFFSET;
                if (bytes >= ETHERNET_BYTES + FrameHeaderFlyweight.LENGTH
                        && Memory.getLong(destination) == SHAPE.coordinates(SINK)) {
                    final byte[] frame = new byte[bytes];
                    for (int i = 0; i < bytes; i++) {
                        frame[i] = Memory.getByte(memory + i);
                    }
                    frames.add(frame);
                }
            }
            return frames;
        }

        private int receive() {
            return Sockets.receive(sniffer, memory, ROOM_BYTES);
        }

        /** Sends a frame once more: as it was, or with another bit, cut, or under another name. */
        void send(final byte[] frame, final int how) {
            for (int i = 0; i < frame.length; i++) {
                Memory.putByte(memory + i, frame[i]);
            }
            int lengthBytes = frame.length;
            if (how == 1) {
                // Of what is end to end of the header, or of the seal.
                final int at =
                        random.nextBoolean()
                                ? ETHERNET_BYTES
                                        + FrameHeaderFlyweight.DESTINATION_INCARNATION_OFFSET
                                        + random.nextInt(20)
                                : frame.length - 1 - random.nextInt(16);
                Memory.putByte(memory + at, frame[at] ^ 1 << random.nextInt(8));
            } else if (how == 2) {
                lengthBytes -= 1 + random.nextInt(frame.length - ETHERNET_BYTES - 1);
            } else if (how == 3) {
                final long source = memory + ETHERNET_BYTES + FrameHeaderFlyweight.SOURCE_OFFSET;
                Memory.putLong(source, SHAPE.coordinates(2));
            }
            assertEquals(lengthBytes, Sockets.send(injector, memory, lengthBytes));
        }

        @Override
        public void close() {
            Descriptors.close(sniffer);
            Descriptors.close(injector);
        }
    }
}
