package io.hxb.bench.soak;

import io.hxb.config.ClusterConfig;
import io.hxb.config.SecurityConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Memory;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicInfo;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabSpec;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Machines on the lines of a lab that belong to nobody: they send frames of our EtherTypes with
 * arbitrary bytes, of another cluster, or of this one with headers in which any field is wrong. In
 * a cluster with a key they forge frames of every type, too, hellos above all; without one, hellos
 * of this cluster are left out, because anybody may introduce himself. Owned by one thread.
 */
final class SoakStrangers implements AutoCloseable {
    private static final int ETHERNET_LENGTH = 14;
    private static final int MAX_BYTES = 1_500;
    private static final long STRANGER_MAC = 0x02_BA_D0_00_00_00L;
    private static final int MAX_TYPE = 16;
    private static final int FORGED_SHARE = 3;

    private final Arena arena = Arena.ofConfined();
    private final long buffer = arena.allocate(MAX_BYTES + 64, 64).address() + 2;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final SplittableRandom random;
    private final ClusterConfig config;
    private final Forgery forgery;
    private final boolean hasKey;
    private final List<Integer> sockets = new ArrayList<>();
    private long sent;

    /** Plugs a stranger into every switch of a lab. */
    SoakStrangers(final LabSpec spec, final ClusterConfig config, final SplittableRandom random)
            throws IOException {
        this.config = config;
        this.random = random;
        forgery = new Forgery(config, spec.linkCount(), random.split());
        hasKey = config.security().mode() != SecurityConfig.Mode.NONE;
        NetworkNamespace.run(
                LabNames.switchNamespace(spec.name()),
                () -> {
                    openAll(spec);
                    return null;
                });
    }

    private void openAll(final LabSpec spec) throws IOException {
        final Shape shape = spec.shape();
        for (int node = 0; node < shape.nodeCount(); node++) {
            for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
                if (LabNames.firstNodeOfLine(shape, node, dimension) == node) {
                    for (int link = 0; link < spec.linkCount(); link++) {
                        final String bridge = LabNames.bridge(dimension, link, node);
                        final int socket = PacketSocket.open();
                        sockets.add(socket);
                        PacketSocket.bind(socket, 0, NicInfo.read(bridge).ifindex(), bridge);
                    }
                }
            }
        }
    }

    /** Sends this number of frames. */
    void send(final int frames) {
        for (int i = 0; i < frames; i++) {
            final int socket = sockets.get(random.nextInt(sockets.size()));
            final int lengthBytes = write();
            if (Sockets.send(socket, buffer, ETHERNET_LENGTH + lengthBytes) > 0) {
                sent++;
            }
        }
    }

    private int write() {
        // To everybody.
        Memory.putLong(buffer, -1L);
        for (int i = 0; i < 6; i++) {
            Memory.putByte(buffer + 6 + i, (int) (STRANGER_MAC >>> (8 * (5 - i))));
        }
        final boolean isRelayed = random.nextInt(4) == 0;
        Memory.putShortBigEndian(
                buffer + 12,
                isRelayed ? config.frame().relayEtherType() : config.frame().etherType());
        final long address = buffer + ETHERNET_LENGTH;
        if (hasKey && random.nextInt(FORGED_SHARE) == 0) {
            final boolean isHello = random.nextBoolean();
            return forgery.write(
                    isHello ? FrameType.HELLO : 1 + random.nextInt(FrameType.COUNT - 1), address);
        }
        final int room = MAX_BYTES - ETHERNET_LENGTH;
        final int lengthBytes = random.nextInt(3) == 0 ? random.nextInt(room) : 64 + 40;
        for (int i = 0; i + 8 <= room; i += 8) {
            Memory.putLong(address + i, random.nextLong());
        }
        if (random.nextInt(4) != 0) {
            writeHeader(address, lengthBytes);
        }
        return lengthBytes;
    }

    private void writeHeader(final long address, final int lengthBytes) {
        final boolean isOurs = random.nextInt(3) != 0;
        int type = random.nextInt(MAX_TYPE);
        if (isOurs && type == FrameType.HELLO) {
            type = FrameType.DATA;
        }
        header.wrap(address);
        Memory.putByte(address, FrameHeaderFlyweight.VERSION);
        header.type(type);
        Memory.putInt(address + 8, isOurs ? config.clusterId() : random.nextInt());
        header.source(anyNode());
        header.destination(random.nextInt(4) == 0 ? -1L : anyNode());
        header.bodyLength(Math.max(0, lengthBytes - FrameHeaderFlyweight.LENGTH));
        header.sourceContext(random.nextInt(32)).destinationContext(random.nextInt(32));
        header.messageCount(random.nextInt(3));
    }

    private long anyNode() {
        final Shape shape = config.shape();
        return shape.coordinates(random.nextInt(shape.nodeCount()));
    }

    /** Frames sent so far. */
    long sent() {
        return sent;
    }

    @Override
    public void close() {
        sockets.forEach(Descriptors::close);
        sockets.clear();
        arena.close();
    }
}
