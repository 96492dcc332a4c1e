package io.hxb.os.nic;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.Sockets;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * One of the features of a NIC that {@code ethtool -k} lists, by its name there. Stateless. Source:
 * linux/ethtool.h, ETHTOOL_GFEATURES and its siblings.
 */
public enum NicFeature {
    /** The kernel joins what the NIC receives. */
    GRO("rx-gro"),

    /** The kernel also joins datagrams that no socket of UDP on this machine receives. */
    UDP_GRO_FORWARDING("rx-udp-gro-forwarding"),

    /** The NIC cuts long datagrams. */
    UDP_SEGMENTATION("tx-udp-segmentation"),

    /** The NIC cuts what the kernel sends as TCP over IPv4. */
    TCP_SEGMENTATION("tx-tcp-segmentation"),

    /** The same with ECN. */
    TCP_ECN_SEGMENTATION("tx-tcp-ecn-segmentation"),

    /** The same with equal identifications in all packets. */
    TCP_MANGLE_ID_SEGMENTATION("tx-tcp-mangleid-segmentation"),

    /** The same with accurate ECN. */
    TCP_ACCURATE_ECN_SEGMENTATION("tx-tcp-accecn-segmentation"),

    /** The same over IPv6. */
    TCP6_SEGMENTATION("tx-tcp6-segmentation"),

    /** The kernel passes what is to be cut to the driver as late as possible. */
    GSO("tx-generic-segmentation");

    /** All that concern TCP: a veth joins what it receives only if its peer has none of them. */
    public static final Set<NicFeature> OF_TCP =
            Collections.unmodifiableSet(
                    EnumSet.of(
                            TCP_SEGMENTATION,
                            TCP_ECN_SEGMENTATION,
                            TCP_MANGLE_ID_SEGMENTATION,
                            TCP_ACCURATE_ECN_SEGMENTATION,
                            TCP6_SEGMENTATION));

    private static final int ETHTOOL_GSTRINGS = 0x1b;
    private static final int ETHTOOL_GSSET_INFO = 0x37;
    private static final int ETHTOOL_GFEATURES = 0x3a;
    private static final int ETHTOOL_SFEATURES = 0x3b;
    private static final int ETH_SS_FEATURES = 4;
    private static final int NAME_BYTES = 32;
    private static final int MAX_FEATURES = 256;
    private static final int BUFFER_BYTES = 16 + NAME_BYTES * MAX_FEATURES;
    private static final int ACTIVE_OFFSET = 8;
    private static final int GET_BLOCK_BYTES = 16;
    private static final int SET_BLOCK_BYTES = 8;

    private final String kernelName;

    NicFeature(final String kernelName) {
        this.kernelName = kernelName;
    }

    /** Its name in {@code ethtool -k}, most of which {@code ethtool -K} takes as well. */
    public String kernelName() {
        return kernelName;
    }

    /**
     * Those that a NIC in the network namespace of this thread has switched on.
     *
     * @throws LinuxException if there is no such NIC.
     */
    public static Set<NicFeature> allOn(final String nic) throws LinuxException {
        final Set<NicFeature> on = EnumSet.noneOf(NicFeature.class);
        for (final NicFeature feature : values()) {
            if (feature.isOn(nic)) {
                on.add(feature);
            }
        }
        return on;
    }

    /**
     * True if a NIC in the network namespace of this thread has it switched on.
     *
     * @throws LinuxException if there is no such NIC.
     */
    public boolean isOn(final String nic) throws LinuxException {
        final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
        try {
            return isOn(fd, nic);
        } finally {
            Descriptors.close(fd);
        }
    }

    /** The same for a NIC in the network namespace that a socket belongs to. */
    public boolean isOn(final int fd, final String nic) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final NicRequest request = new NicRequest(arena, fd, nic);
            final MemorySegment memory = arena.allocate(BUFFER_BYTES, 8);
            final int index = index(request, memory);
            return index >= 0 && isOn(request, memory, index);
        }
    }

    private static boolean isOn(
            final NicRequest request, final MemorySegment memory, final int index)
            throws LinuxException {
        final long address = memory.fill((byte) 0).address();
        Memory.putInt(address, ETHTOOL_GFEATURES);
        Memory.putInt(address + 4, MAX_FEATURES / Integer.SIZE);
        request.askEthtool(address);
        final long block = address + 8 + (long) index / Integer.SIZE * GET_BLOCK_BYTES;
        return (Memory.getInt(block + ACTIVE_OFFSET) >>> index % Integer.SIZE & 1) != 0;
    }

    /**
     * Switches it on or off.
     *
     * @param fd any socket of the network namespace of the NIC.
     * @return true if it was changed, false if it was so already or cannot be changed.
     * @throws LinuxException if there is no such NIC, or with EPERM without CAP_NET_ADMIN.
     */
    public boolean set(final int fd, final String nic, final boolean value) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final NicRequest request = new NicRequest(arena, fd, nic);
            final MemorySegment memory = arena.allocate(BUFFER_BYTES, 8);
            final int index = index(request, memory);
            if (index < 0 || isOn(request, memory, index) == value) {
                return false;
            }
            final int blocks = Memory.getInt(memory.address() + 4);
            final long address = memory.fill((byte) 0).address();
            Memory.putInt(address, ETHTOOL_SFEATURES);
            Memory.putInt(address + 4, blocks);
            final long block = address + 8 + (long) index / Integer.SIZE * SET_BLOCK_BYTES;
            Memory.putInt(block, 1 << index % Integer.SIZE);
            Memory.putInt(block + 4, value ? 1 << index % Integer.SIZE : 0);
            request.askEthtool(address);
            return isOn(request, memory, index) == value;
        }
    }

    private int index(final NicRequest request, final MemorySegment memory) throws LinuxException {
        final int count = Math.min(count(request, memory), MAX_FEATURES);
        final long address = memory.fill((byte) 0).address();
        Memory.putInt(address, ETHTOOL_GSTRINGS);
        Memory.putInt(address + 4, ETH_SS_FEATURES);
        Memory.putInt(address + 8, count);
        try {
            request.askEthtool(address);
        } catch (final LinuxException e) {
            if (e.errno() == Errno.EOPNOTSUPP) {
                return -1;
            }
            throw e;
        }
        for (int i = 0; i < count; i++) {
            final MemorySegment name = memory.asSlice(12 + (long) i * NAME_BYTES, NAME_BYTES);
            if (name.getString(0, StandardCharsets.US_ASCII).equals(kernelName)) {
                return i;
            }
        }
        return -1;
    }

    private static int count(final NicRequest request, final MemorySegment memory)
            throws LinuxException {
        final long address = memory.fill((byte) 0).address();
        Memory.putInt(address, ETHTOOL_GSSET_INFO);
        Memory.putLong(address + 8, 1L << ETH_SS_FEATURES);
        request.askEthtool(address);
        return Memory.getInt(address + 16);
    }

    @Override
    public String toString() {
        return kernelName;
    }
}
