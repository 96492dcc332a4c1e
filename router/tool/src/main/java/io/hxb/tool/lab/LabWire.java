package io.hxb.tool.lab;

import io.hxb.linux.Descriptors;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicFeature;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.util.List;

/** What becomes of trains, which are frames in one piece, on the wires of a raw lab. */
public enum LabWire {
    /** They cross it uncut, as between NICs that cut and join. */
    WHOLE,

    /** The kernel cuts them as they leave a NIC, and joins what arrives. */
    CUT,

    /** The same, and the wire takes one frame after the other at its rate, as a real one does. */
    PACED;

    /** Frames that a paced wire may send back to back when it was late. */
    private static final int PACED_FRAMES = 2;

    private static final int ETHERNET_BYTES = 14;

    /**
     * What to put after {@code tc qdisc add dev NIC root} for a wire of a rate.
     *
     * @param rateBps bits a second.
     * @param mtuBytes MTU of the NIC.
     */
    public String shaper(final long rateBps, final int mtuBytes) {
        if (this != PACED) {
            return Shaper.tbf(rateBps, Shaper.NO_DROPS);
        }
        // A bucket in which no train has room: the shaper itself cuts what is larger.
        return "tbf rate %dbit burst %db limit %s"
                .formatted(rateBps, PACED_FRAMES * (mtuBytes + ETHERNET_BYTES), Shaper.NO_DROPS);
    }

    /**
     * Sets what NICs do with trains.
     *
     * @param namespace of the NICs.
     * @throws ToolException if the kernel does not let it.
     */
    public void prepare(final String namespace, final List<String> nics) {
        if (this == WHOLE) {
            return;
        }
        try {
            NetworkNamespace.run(
                    namespace,
                    () -> {
                        final int socket = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
                        try {
                            for (final String nic : nics) {
                                set(socket, nic, NicFeature.GSO, false);
                                for (final NicFeature feature : NicFeature.OF_TCP) {
                                    set(socket, nic, feature, false);
                                }
                                set(socket, nic, NicFeature.GRO, true);
                            }
                            return null;
                        } finally {
                            Descriptors.close(socket);
                        }
                    });
        } catch (final IOException e) {
            throw new ToolException("cannot prepare the NICs of " + namespace + ": " + e, e);
        }
    }

    private static void set(
            final int socket, final String nic, final NicFeature feature, final boolean value)
            throws IOException {
        if (!feature.set(socket, nic, value) && feature.isOn(socket, nic) != value) {
            throw new IOException(nic + " does not let " + feature + " be changed");
        }
    }
}
