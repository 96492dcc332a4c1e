package io.hxb.link.raw;

import io.hxb.config.FrameConfig;
import io.hxb.link.HostileTrain;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Memory;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicInfo;
import io.hxb.routing.DimensionOrder;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Somebody at the cable of a raw link whose frames travel by IP: sends hostile trains, headers that
 * lie, and probes. Used by one thread.
 */
public final class HostileIp implements AutoCloseable {
    /** How what was sent is wrong. */
    public enum Kind {
        /** The headers are as they should be, whatever follows. */
        TRAIN,

        /** One datagram that is not to be cut, without checksums. */
        DATAGRAM,

        /** The kind and size of a super-packet are any, where the kernel takes them. */
        LYING_SUPER_PACKET,

        /** The lengths of IP and UDP. */
        LYING_LENGTHS,

        /** Part of a datagram. */
        FRAGMENT,

        /** IP options. */
        OPTIONS,

        /** Any byte of the headers. */
        HEADER_NOISE,

        /** The frame ends within its headers. */
        SHORT,

        /** A probe from anywhere. */
        PROBE
    }

    private static final long PROBE_MAGIC = 0x3120_7069_2042_5848L;
    private static final int PROBE_BYTES = 64;
    private static final int ETHERNET_OFFSET = 10;
    private static final int IP_OFFSET = 24;
    private static final int UDP_OFFSET = 44;

    private final HostileTrain train;
    private final SplittableRandom random;
    private final long source;
    private final long target;
    private final int socket;
    private final Map<Kind, Integer> sent = new EnumMap<>(Kind.class);

    private HostileIp(
            final HostileTrain train,
            final SplittableRandom random,
            final long source,
            final long target,
            final int socket) {
        this.train = train;
        this.random = random;
        this.source = source;
        this.target = target;
        this.socket = socket;
    }

    /**
     * Opens it at a NIC.
     *
     * @param source MAC address of the NIC whose frames are to be pretended.
     * @param target MAC address of the NIC that is attacked.
     */
    public static HostileIp open(
            final String namespace,
            final String nic,
            final long source,
            final long target,
            final HostileTrain train,
            final SplittableRandom random)
            throws IOException {
        return NetworkNamespace.run(
                namespace,
                () -> {
                    final int socket = PacketSocket.open();
                    PacketSocket.enableSuperPackets(socket);
                    PacketSocket.bind(socket, 0, NicInfo.read(nic).ifindex(), nic);
                    return new HostileIp(train, random, source, target, socket);
                });
    }

    /** Sends something; the kernel may refuse it. */
    public void attack() {
        train.next();
        final Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        final long prefix = train.address() - IpHeaders.LENGTH;
        int payload = train.lengthBytes();
        if (kind == Kind.PROBE) {
            payload = writeProbe(train.address());
        }
        writeHeaders(prefix, payload, train.segmentBytes() < payload ? train.segmentBytes() : 0);
        int length = IpHeaders.LENGTH + payload;
        switch (kind) {
            case DATAGRAM -> length = single(prefix, payload);
            case LYING_SUPER_PACKET -> {
                // The kernel takes few of those that are any.
                if (random.nextInt(4) == 0) {
                    Memory.putByte(prefix, random.nextInt(3));
                    Memory.putByte(prefix + 1, random.nextInt(6));
                }
                Memory.putShort(prefix + 4, random.nextInt(random.nextBoolean() ? 1_500 : 1 << 16));
            }
            case LYING_LENGTHS -> {
                length = single(prefix, payload);
                Memory.putShortBigEndian(prefix + IP_OFFSET + 2, random.nextInt(1 << 16));
                Memory.putShortBigEndian(prefix + UDP_OFFSET + 4, random.nextInt(1 << 16));
            }
            case FRAGMENT -> {
                length = single(prefix, payload);
                final boolean isFirst = random.nextBoolean();
                final int place = 1 + random.nextInt(8_000);
                Memory.putShortBigEndian(prefix + IP_OFFSET + 6, isFirst ? 0x2000 : place);
            }
            case OPTIONS -> {
                length = single(prefix, payload);
                Memory.putByte(prefix + IP_OFFSET, 0x46 + random.nextInt(10));
            }
            case HEADER_NOISE -> {
                length = single(prefix, payload);
                final int place = ETHERNET_OFFSET + 6 + random.nextInt(IpHeaders.LENGTH - 16);
                Memory.putByte(prefix + place, random.nextInt());
            }
            case SHORT -> {
                single(prefix, payload);
                length = ETHERNET_OFFSET + 14 + random.nextInt(28);
            }
            case PROBE -> {
                if (random.nextInt(16) != 0) {
                    Memory.putByte(prefix + ETHERNET_OFFSET + 11, random.nextInt());
                }
            }
            default -> {}
        }
        if (Sockets.send(socket, prefix, length) > 0) {
            sent.merge(kind, 1, Integer::sum);
        }
    }

    private void writeHeaders(final long prefix, final int payload, final int segment) {
        IpHeaders.write(
                prefix,
                Long.reverseBytes(IpHeaders.other(target)),
                Long.reverseBytes(IpHeaders.other(source) << 16 | IpHeaders.ETHER_TYPE),
                IpHeaders.address(0),
                IpHeaders.address(1),
                IpHeaders.ports(FrameConfig.DEFAULT.etherType(), DimensionOrder.DEFAULT),
                1,
                payload,
                segment);
    }

    // One datagram that fits the NIC, with the checksums that are there.
    private int single(final long prefix, final int payload) {
        final int length = Math.min(payload, 8_972);
        writeHeaders(prefix, length, 0);
        Memory.putLong(prefix, 0);
        Memory.putShort(prefix + 8, 0);
        return IpHeaders.LENGTH + length;
    }

    // From any MAC address, and seldom from the neighbour's own.
    private int writeProbe(final long body) {
        Memory.fill(body, PROBE_BYTES, 0);
        Memory.putLong(body, PROBE_MAGIC);
        Memory.putLong(body + 8, random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(4));
        for (int i = 24; i < 56; i++) {
            Memory.putByte(body + i, random.nextInt());
        }
        return PROBE_BYTES;
    }

    /** How many of a kind the kernel has taken. */
    public int sent(final Kind kind) {
        return sent.getOrDefault(kind, 0);
    }

    @Override
    public void close() {
        Descriptors.close(socket);
    }
}
