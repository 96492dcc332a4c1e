package io.hxb.vlan.health;

import io.hxb.linux.LinuxException;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Probes on all NICs of a host: each leaves by the NIC of its VID. Owned by the thread of its
 * {@link PathHealth}.
 */
public final class ProbeSockets implements ProbeLink, AutoCloseable {
    private final IntUnaryOperator nicOfVid;
    private final List<ProbeSocket> sockets = new ArrayList<>();

    private ProbeSockets(final IntUnaryOperator nicOfVid) {
        this.nicOfVid = nicOfVid;
    }

    /**
     * Opens the sockets in this thread's network namespace; they need CAP_NET_RAW.
     *
     * @param ownMac address of the host, first byte highest.
     * @param nics how many it has.
     * @param nicOfVid number of the NIC of a VID of the plan.
     */
    public static ProbeSockets open(
            final long ownMac, final int nics, final IntUnaryOperator nicOfVid)
            throws LinuxException {
        final ProbeSockets opened = new ProbeSockets(nicOfVid);
        try {
            for (int nic = 0; nic < nics; nic++) {
                opened.sockets.add(ProbeSocket.open(ownMac));
            }
            return opened;
        } catch (final LinuxException e) {
            opened.close();
            throw e;
        }
    }

    /** Sends and receives on a NIC from now on. */
    public void bind(final int nic, final int ifindex, final String name) throws LinuxException {
        sockets.get(nic).bind(ifindex, name);
    }

    /** What becomes readable when probes come, one for each NIC; a new array. */
    public int[] descriptors() {
        return sockets.stream().mapToInt(ProbeSocket::descriptor).toArray();
    }

    @Override
    public void send(final long mac, final int vid, final long address, final int lengthBytes) {
        sockets.get(nicOfVid.applyAsInt(vid)).send(mac, vid, address, lengthBytes);
    }

    /** Sends what is queued. */
    public void flush() {
        sockets.forEach(ProbeSocket::flush);
    }

    /** Hands over all frames that have come. */
    public void receive(final PathHealth health, final long nowNs) {
        sockets.forEach(socket -> socket.receive(health, nowNs));
    }

    @Override
    public void close() {
        sockets.forEach(ProbeSocket::close);
    }
}
