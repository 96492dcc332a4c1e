package io.hxb.bench.attack;

import io.hxb.bench.harness.ProcessLab;
import io.hxb.config.LinkConfig;
import io.hxb.linux.Memory;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.bpf.ClassicCode;
import io.hxb.os.nic.NicInfo;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/**
 * An attacker on the host of a lab of UDP links, who reads all datagrams of the nodes and sends
 * with any source address through a raw socket. Owned by one thread.
 *
 * <p>Source: raw(7), with IP_HDRINCL the kernel fills in the length and checksum of the IP header.
 */
final class UdpWire extends AttackWire {
    private static final int ETHERNET_BYTES = 14;
    private static final int IP_BYTES = 20;
    private static final int UDP_BYTES = 8;
    private static final int IPPROTO_RAW = 255;
    private static final int IPPROTO_UDP = 17;
    private static final int ETHERTYPE_IP = 0x0800;
    private static final int IP_VERSION_AND_LENGTH = 0x45;
    private static final int TTL_OFFSET = 8;
    private static final int PROTOCOL_OFFSET = 9;
    private static final int SOURCE_OFFSET = 12;
    private static final int DESTINATION_OFFSET = 16;
    private static final int UDP_DESTINATION_OFFSET = IP_BYTES + 2;
    private static final int UDP_LENGTH_OFFSET = IP_BYTES + 4;

    // Marks the datagrams of the attacker.
    private static final int OWN_TTL = 61;

    // 127.9.9.9 with port 9.
    private static final int FOREIGN_ADDRESS = 0x7F09_0909;
    private static final int FOREIGN_PORT = 9;

    private final Set<Integer> ports = new HashSet<>();

    /** Opens the sockets. */
    UdpWire(final ProcessLab lab) throws IOException {
        super(Sockets.SOCKADDR_IN_LENGTH);
        for (int node = 0; node < lab.nodes(); node++) {
            for (final LinkConfig link : lab.config().links(node)) {
                ports.add(link.port());
            }
        }
        final int sniffer = PacketSocket.open();
        addSniffer(sniffer, 0);
        PacketSocket.attachFilter(sniffer, others());
        PacketSocket.bind(sniffer, ETHERTYPE_IP, NicInfo.read("lo").ifindex(), "lo");
        addInjector(Sockets.open(Sockets.AF_INET, Sockets.SOCK_RAW, IPPROTO_RAW));
    }

    // All datagrams but the attacker's own.
    private static long[] others() {
        return new long[] {
            ClassicCode.loadByte(ETHERNET_BYTES + TTL_OFFSET),
            ClassicCode.jumpIfEqual(OWN_TTL, 1, 0),
            ClassicCode.accept(),
            ClassicCode.reject()
        };
    }

    @Override
    int prefixBytes() {
        return IP_BYTES + UDP_BYTES;
    }

    @Override
    int skippedBytes() {
        return ETHERNET_BYTES;
    }

    @Override
    boolean isOfNodes(final long address, final int lengthBytes) {
        return Memory.getUnsignedByte(address) == IP_VERSION_AND_LENGTH
                && Memory.getUnsignedByte(address + PROTOCOL_OFFSET) == IPPROTO_UDP
                && ports.contains(port(address + UDP_DESTINATION_OFFSET));
    }

    private static int port(final long address) {
        return Short.toUnsignedInt(Short.reverseBytes((short) Memory.getUnsignedShort(address)));
    }

    @Override
    void address(
            final long address,
            final int lengthBytes,
            final boolean isForeign,
            final long nameAddress) {
        Memory.putByte(address + TTL_OFFSET, OWN_TTL);
        putBigEndian(address + UDP_LENGTH_OFFSET, lengthBytes - IP_BYTES);
        // No checksum, which UDP over IPv4 permits.
        putBigEndian(address + UDP_LENGTH_OFFSET + 2, 0);
        if (isForeign) {
            Memory.putInt(address + SOURCE_OFFSET, Integer.reverseBytes(FOREIGN_ADDRESS));
            putBigEndian(address + IP_BYTES, FOREIGN_PORT);
        }
        Memory.putShort(nameAddress, Sockets.AF_INET);
        putBigEndian(nameAddress + 2, 0);
        Memory.putInt(nameAddress + 4, Memory.getInt(address + DESTINATION_OFFSET));
    }
}
