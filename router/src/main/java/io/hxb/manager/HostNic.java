package io.hxb.manager;

import io.hxb.linux.LinuxException;
import io.hxb.os.bpf.BpfProgram;
import io.hxb.os.nic.Neighbours;
import io.hxb.os.nic.NicInfo;
import io.hxb.os.nic.NicName;
import io.hxb.vlan.NicTagger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * The NIC whose frames are tagged: follows it through new names, and attaches the tagger again when
 * it has gone and come back. Owned by the manager's thread.
 */
final class HostNic implements Surroundings {
    private static final Logger LOGGER = LoggerFactory.getLogger(HostNic.class);
    private static final int NONE = 0;

    private final NicTagger tagger;
    private String name;
    private int ifindex;
    private boolean hasWarned;
    private ReturnListener returnListener = (number, nic) -> {};

    /** Is told that the NIC has come back. */
    interface ReturnListener {
        void onReturn(int ifindex, String nic);
    }

    /**
     * A NIC whose frames are not tagged yet.
     *
     * @param name of the NIC, in this thread's network namespace.
     */
    HostNic(final NicTagger tagger, final String name) {
        this.tagger = tagger;
        this.name = name;
    }

    /** Sets who is told when the NIC has come back. */
    void onReturn(final ReturnListener listener) {
        returnListener = listener;
    }

    /** Attaches the tagger. */
    void attach(final int number) throws LinuxException {
        tagger.attach(number);
        ifindex = number;
    }

    /**
     * Looks whether the NIC is still there.
     *
     * @return true if it has just gone.
     */
    boolean hasGone() {
        try {
            if (ifindex == NONE) {
                returnTo(NicInfo.read(name));
                return false;
            }
            final String now = NicName.of(ifindex);
            if (now == null) {
                LOGGER.warn("NIC {} has gone: its paths hold again when it comes back", name);
                ifindex = NONE;
                tagger.onNicGone();
                return true;
            }
            if (!now.equals(name)) {
                LOGGER.info("NIC {} is called {} now", name, now);
                name = now;
            }
            tagger.follow();
        } catch (final LinuxException e) {
            warnOnce(e);
        }
        return false;
    }

    private void returnTo(final NicInfo nic) throws LinuxException {
        if (nic.exists()) {
            attach(nic.ifindex());
            returnListener.onReturn(nic.ifindex(), name);
            hasWarned = false;
            LOGGER.info("NIC {} is back: its paths hold again", name);
        }
    }

    private void warnOnce(final LinuxException e) {
        if (!hasWarned) {
            hasWarned = true;
            LOGGER.warn("NIC {}: {}", name, e.getMessage());
        }
    }

    @Override
    public List<NicState> nics() {
        try {
            final NicInfo nic = NicInfo.read(name);
            final List<NicState> found = new ArrayList<>();
            final boolean isUp = nic.isUp() && nic.ifindex() == ifindex;
            found.add(new NicState(name, nic.mac(), nic.mtuBytes(), isUp, foreignPrograms()));
            if (tagger.virtualNic() != null) {
                final NicInfo tap = NicInfo.read(tagger.virtualNic());
                found.add(new NicState(tap.name(), tap.mac(), tap.mtuBytes(), tap.isUp(), 0));
            }
            return found;
        } catch (final LinuxException e) {
            warnOnce(e);
            return List.of(new NicState(name, 0, 0, false, 0));
        }
    }

    private int foreignPrograms() {
        if (ifindex == NONE) {
            return 0;
        }
        try {
            return BpfProgram.count(ifindex, BpfProgram.Hook.EGRESS)
                    + BpfProgram.count(ifindex, BpfProgram.Hook.INGRESS)
                    - tagger.programCount();
        } catch (final LinuxException e) {
            // Only root may ask.
            return 0;
        }
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
