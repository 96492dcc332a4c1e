package io.hxb.manager;

import io.hxb.linux.LinuxException;
import io.hxb.os.nic.Neighbours;
import io.hxb.os.nic.NicInfo;
import io.hxb.vlan.NicTagger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** All NICs of a host whose frames are tagged. Owned by the manager's thread. */
final class ManagedNics implements KernelState {
    private static final Logger LOGGER = LoggerFactory.getLogger(ManagedNics.class);

    private final NicTagger tagger;
    private final List<HostNic> nics = new ArrayList<>();
    private boolean hasWarned;

    /**
     * NICs whose frames are not tagged yet.
     *
     * @param names in the order of the NICs in the plan, in this thread's network namespace.
     */
    ManagedNics(final NicTagger tagger, final List<String> names) {
        this.tagger = tagger;
        for (final String name : names) {
            nics.add(new HostNic(tagger, nics.size(), name));
        }
    }

    /** Sets who is notified when a NIC has come back. */
    void onReturn(final HostNic.ReturnListener listener) {
        nics.forEach(nic -> nic.onReturn(listener));
    }

    /** Attaches the tagger to one of them. */
    void attach(final int nic, final int ifindex) throws LinuxException {
        nics.get(nic).attach(ifindex);
    }

    /**
     * Looks whether the NICs are still there, and follows what has changed about them.
     *
     * @return how many have just gone.
     */
    int look() {
        int gone = 0;
        for (final HostNic nic : nics) {
            gone += nic.hasGone() ? 1 : 0;
        }
        try {
            tagger.follow();
        } catch (final LinuxException e) {
            warnOnce(e);
        }
        return gone;
    }

    private void warnOnce(final LinuxException e) {
        if (!hasWarned) {
            hasWarned = true;
            LOGGER.warn("cannot follow changes of the NICs: {}", e.getMessage());
        }
    }

    @Override
    public List<NicState> nics() {
        final List<NicState> found = new ArrayList<>();
        nics.forEach(nic -> found.add(nic.state()));
        if (tagger.virtualNic() != null) {
            try {
                final NicInfo tap = NicInfo.read(tagger.virtualNic());
                found.add(new NicState(tap.name(), tap.mac(), tap.mtuBytes(), tap.isUp(), 0));
            } catch (final LinuxException e) {
                warnOnce(e);
            }
        }
        return found;
    }

    @Override
    public long macOf(final byte[] address) {
        try {
            final InetAddress asked = InetAddress.getByAddress(address);
            final NetworkInterface own = NetworkInterface.getByInetAddress(asked);
            final byte[] hardware = own == null ? null : own.getHardwareAddress();
            return hardware == null ? Neighbours.macOf(asked.getAddress()) : number(hardware);
        } catch (final UnknownHostException | SocketException e) {
            return 0;
        } catch (final LinuxException e) {
            warnOnce(e);
            return 0;
        }
    }

    private static long number(final byte[] hardware) {
        long mac = 0;
        for (final byte octet : hardware) {
            mac = mac << Byte.SIZE | Byte.toUnsignedInt(octet);
        }
        return mac;
    }
}
