package io.hxb.bench.attack;

import io.hxb.bench.harness.ProcessLab;
import io.hxb.linux.Memory;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.PacketSocket;
import io.hxb.os.nic.NicInfo;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabSpec;
import io.hxb.topology.Shape;

import java.io.IOException;

/**
 * A station on every segment of a lab of raw links, which sees what all nodes there send and sends
 * with whatever MAC address it likes. It sends from within the switch, which learns nothing from
 * that: otherwise the switch would cut the nodes off, whatever they do. Owned by one thread.
 */
final class RawWire extends AttackWire {
    private static final int ETHERNET_BYTES = 14;
    private static final int SOURCE_OFFSET = 6;
    private static final int TYPE_OFFSET = 12;
    private static final int FOREIGN_HIGH = 0x02BA;
    private static final int FOREIGN_LOW = 0xD000_0000;

    private final int etherType;
    private final int relayEtherType;

    /** Plugs the station in. */
    RawWire(final ProcessLab lab) throws IOException {
        super(0);
        etherType = lab.config().frame().etherType();
        relayEtherType = lab.config().frame().relayEtherType();
        NetworkNamespace.run(
                LabNames.switchNamespace(lab.name()),
                () -> {
                    openAll(lab.spec());
                    return null;
                });
    }

    private void openAll(final LabSpec spec) throws IOException {
        final Shape shape = spec.shape();
        for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
            for (int first = 0; first < shape.nodeCount(); first++) {
                if (LabNames.firstNodeOfLine(shape, first, dimension) == first) {
                    for (int link = 0; link < spec.linkCount(); link++) {
                        openLine(shape, dimension, link, first);
                    }
                }
            }
        }
    }

    private void openLine(final Shape shape, final int dimension, final int link, final int first)
            throws IOException {
        final int line = lines();
        addInjector(open(LabNames.bridge(dimension, link, first), 0));
        for (int node = 0; node < shape.nodeCount(); node++) {
            if (LabNames.firstNodeOfLine(shape, node, dimension) == first) {
                final String port = LabNames.port(dimension, link, node);
                addSniffer(open(port, PacketSocket.ALL_ETHER_TYPES), line);
            }
        }
    }

    private static int open(final String nic, final int etherType) throws IOException {
        final int socket = PacketSocket.open();
        PacketSocket.bind(socket, etherType, NicInfo.read(nic).ifindex(), nic);
        return socket;
    }

    @Override
    int prefixBytes() {
        return ETHERNET_BYTES;
    }

    @Override
    int skippedBytes() {
        return 0;
    }

    @Override
    boolean isOfNodes(final long address, final int lengthBytes) {
        final int type =
                Short.toUnsignedInt(
                        Short.reverseBytes((short) Memory.getUnsignedShort(address + TYPE_OFFSET)));
        return type == etherType || type == relayEtherType;
    }

    @Override
    void address(
            final long address,
            final int lengthBytes,
            final boolean isForeign,
            final long nameAddress) {
        if (isForeign) {
            putBigEndian(address + SOURCE_OFFSET, FOREIGN_HIGH);
            Memory.putInt(address + SOURCE_OFFSET + 2, Integer.reverseBytes(FOREIGN_LOW));
        }
    }
}
