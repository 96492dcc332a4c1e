package io.hxb.manager;

import io.hxb.linux.LinuxException;
import io.hxb.os.bpf.BpfProgram;
import io.hxb.os.nic.NicInfo;
import io.hxb.os.nic.NicName;
import io.hxb.vlan.NicTagger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A NIC whose frames are tagged: follows it through new names, and attaches the tagger again when
 * it has gone and come back. Owned by the manager's thread.
 */
final class HostNic {
    private static final Logger LOGGER = LoggerFactory.getLogger(HostNic.class);
    private static final int NONE = 0;

    private final NicTagger tagger;
    private final int number;
    private String name;
    private int ifindex;
    private boolean hasWarned;
    private ReturnListener returnListener = (nic, index, called) -> {};

    /** Is called when a NIC has come back. */
    interface ReturnListener {
        void onReturn(int nic, int ifindex, String name);
    }

    /**
     * A NIC whose frames are not tagged yet.
     *
     * @param number of the NIC among those of the host.
     * @param name of the NIC, in this thread's network namespace.
     */
    HostNic(final NicTagger tagger, final int number, final String name) {
        this.tagger = tagger;
        this.number = number;
        this.name = name;
    }

    /** Sets who is notified when the NIC has come back. */
    void onReturn(final ReturnListener listener) {
        returnListener = listener;
    }

    /** Attaches the tagger. */
    void attach(final int index) throws LinuxException {
        tagger.attach(number, index);
        ifindex = index;
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
                tagger.onNicGone(number);
                return true;
            }
            if (!now.equals(name)) {
                LOGGER.info("NIC {} is called {} now", name, now);
                name = now;
            }
        } catch (final LinuxException e) {
            warnOnce(e);
        }
        return false;
    }

    private void returnTo(final NicInfo nic) throws LinuxException {
        if (nic.exists()) {
            attach(nic.ifindex());
            returnListener.onReturn(number, nic.ifindex(), name);
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

    /** The NIC as it is now. */
    KernelState.NicState state() {
        try {
            final NicInfo nic = NicInfo.read(name);
            final boolean isUp = nic.isUp() && nic.ifindex() == ifindex;
            return new KernelState.NicState(
                    name, nic.mac(), nic.mtuBytes(), isUp, foreignPrograms());
        } catch (final LinuxException e) {
            warnOnce(e);
            return new KernelState.NicState(name, 0, 0, false, 0);
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
}
