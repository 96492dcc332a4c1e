package io.hxb.tool.doctor;

import io.hxb.link.raw.IpHeaders;
import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicInfo;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Frames of HXB that arrived at a NIC, divided into those that reached sockets of their EtherType,
 * as a raw link has them, and those that something in between took. Immutable.
 *
 * @param passed those that reached them.
 * @param lost those that did not.
 */
record IngressSample(List<Frame> passed, List<Frame> lost) {
    private static final int SNAP_BYTES = 1 << 17;
    private static final int COMPARED_BYTES = 96;

    /** Frames that are judged by. */
    static final int ENOUGH_FRAMES = 1_000;

    private static final int MIN_LOST = 3;

    /** The kernel hands a frame to the one socket a moment after the other. */
    private static final long GRACE_NS = 100_000_000L;

    private static final int MIN_BYTES = 34;
    private static final int ETHER_TYPE_OFFSET = 12;
    private static final int IP_DESTINATION_OFFSET = 30;

    /** A node receives IP by its NIC's address with this bit changed. */
    private static final long LOCAL_BIT = (long) IpHeaders.LOCAL_BIT << 40;

    /** Copies the lists. */
    IngressSample {
        passed = List.copyOf(passed);
        lost = List.copyOf(lost);
    }

    /** A frame as a socket saw it. */
    record Frame(int etherType, int lengthBytes) {}

    /** A frame, and the bytes by which it is known again. */
    private record Seen(Frame frame, ByteBuffer bytes) {}

    /**
     * Which frames are looked at.
     *
     * @param etherTypes of frames that belong to the node.
     * @param ipAddress of the node in frames that travel as packets of IPv4.
     */
    record Wanted(Set<Integer> etherTypes, int ipAddress) {
        private boolean isMet(final long frame, final int lengthBytes, final long mac) {
            if (lengthBytes < MIN_BYTES) {
                return false;
            }
            final int type = Memory.getUnsignedShortBigEndian(frame + ETHER_TYPE_OFFSET);
            return type == IpHeaders.ETHER_TYPE
                    ? Memory.getIntBigEndian(frame + IP_DESTINATION_OFFSET) == ipAddress
                            && Long.reverseBytes(Memory.getLong(frame)) >>> 16 == (mac ^ LOCAL_BIT)
                    : etherTypes.contains(type);
        }
    }

    /**
     * Takes one, in the network namespace of the calling thread.
     *
     * @param windowNs ends after this time.
     * @param enough ends after this many frames.
     * @return empty where sockets had no room for all frames, so that nothing is known.
     * @throws LinuxException with EPERM without CAP_NET_RAW.
     */
    static Optional<IngressSample> take(
            final String nic, final Wanted wanted, final long windowNs, final int enough)
            throws LinuxException {
        final NicInfo info = NicInfo.read(nic);
        final Set<Integer> types = new TreeSet<>(wanted.etherTypes());
        types.add(IpHeaders.ETHER_TYPE);
        final List<Integer> sockets = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            final long buffer = arena.allocate(SNAP_BYTES, 8).address();
            for (final int type : types) {
                sockets.add(PacketSocket.open());
                PacketSocket.bind(sockets.getLast(), type, info.ifindex(), nic);
            }
            // Last, so that the others have all that it has.
            final int first = PacketSocket.open();
            sockets.add(first);
            PacketSocket.bind(first, PacketSocket.ALL_ETHER_TYPES, info.ifindex(), nic);
            final List<Integer> others = sockets.subList(0, sockets.size() - 1);
            final List<Seen> arrived = new ArrayList<>();
            final Map<ByteBuffer, Integer> reached = new HashMap<>();
            final long endNs = System.nanoTime() + windowNs;
            for (long nowNs = System.nanoTime();
                    endNs - nowNs > 0 && arrived.size() < enough;
                    nowNs = System.nanoTime()) {
                Descriptors.poll(
                        first, Descriptors.POLLIN, (int) ((endNs - nowNs) / 1_000_000) + 1);
                read(first, buffer, wanted, info.mac(), arrived);
                count(others, buffer, wanted, info.mac(), reached);
            }
            final long graceNs = System.nanoTime() + GRACE_NS;
            do {
                count(others, buffer, wanted, info.mac(), reached);
            } while (!divide(arrived, reached).lost().isEmpty() && graceNs - System.nanoTime() > 0);
            for (final int socket : sockets) {
                if (PacketSocket.takeDrops(socket) > 0) {
                    return Optional.empty();
                }
            }
            return Optional.of(divide(arrived, reached));
        } finally {
            sockets.forEach(Descriptors::close);
        }
    }

    private static void count(
            final List<Integer> sockets,
            final long buffer,
            final Wanted wanted,
            final long mac,
            final Map<ByteBuffer, Integer> reached) {
        final List<Seen> seen = new ArrayList<>();
        sockets.forEach(socket -> read(socket, buffer, wanted, mac, seen));
        seen.forEach(one -> reached.merge(one.bytes(), 1, Integer::sum));
    }

    private static void read(
            final int socket,
            final long buffer,
            final Wanted wanted,
            final long mac,
            final List<Seen> seen) {
        for (int i = 0; i < ENOUGH_FRAMES; i++) {
            final int length = Sockets.receive(socket, buffer, SNAP_BYTES);
            if (length < 0) {
                return;
            }
            if (wanted.isMet(buffer, length, mac)) {
                final byte[] bytes = new byte[Math.min(length, COMPARED_BYTES)];
                for (int j = 0; j < bytes.length; j++) {
                    bytes[j] = (byte) Memory.getUnsignedByte(buffer + j);
                }
                final int type = Memory.getUnsignedShortBigEndian(buffer + ETHER_TYPE_OFFSET);
                seen.add(new Seen(new Frame(type, length), ByteBuffer.wrap(bytes)));
            }
        }
    }

    private static IngressSample divide(
            final List<Seen> arrived, final Map<ByteBuffer, Integer> reached) {
        final Map<ByteBuffer, Integer> left = new HashMap<>(reached);
        final List<Frame> passed = new ArrayList<>();
        final List<Frame> lost = new ArrayList<>();
        for (final Seen one : arrived) {
            final boolean hasPassed = left.getOrDefault(one.bytes(), 0) > 0;
            if (hasPassed) {
                left.merge(one.bytes(), -1, Integer::sum);
            }
            (hasPassed ? passed : lost).add(one.frame());
        }
        return new IngressSample(passed, lost);
    }

    /** What is lost, in words; empty if that is nothing, or may be chance. */
    Optional<String> text() {
        if (lost.size() < MIN_LOST) {
            return Optional.empty();
        }
        return Optional.of(
                lost.size()
                        + " of "
                        + (lost.size() + passed.size())
                        + " frames of HXB that arrived at the NIC did not reach the sockets of the"
                        + " node, "
                        + which());
    }

    private String which() {
        if (passed.isEmpty()) {
            return "all of them";
        }
        final Set<Integer> lostTypes = types(lost);
        final Set<Integer> passedTypes = types(passed);
        if (lostTypes.stream().noneMatch(passedTypes::contains)) {
            return "those of EtherType "
                    + lostTypes.stream()
                            .map(type -> String.format(Locale.ROOT, "0x%04X", type))
                            .collect(Collectors.joining(" and "))
                    + (lostTypes.equals(Set.of(IpHeaders.ETHER_TYPE))
                            ? ", long frames as segments of TCP"
                            : "");
        }
        final int shortest = lost.stream().mapToInt(Frame::lengthBytes).min().orElse(0);
        final int longest = passed.stream().mapToInt(Frame::lengthBytes).max().orElse(0);
        return shortest > longest
                ? "those of " + shortest + " bytes and more, while " + longest + " bytes pass"
                : "of the same lengths as others that did";
    }

    private static Set<Integer> types(final List<Frame> frames) {
        return frames.stream().map(Frame::etherType).collect(Collectors.toCollection(TreeSet::new));
    }
}
