package io.hxb.manager;

import io.hxb.config.TaggerChoice;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.os.bpf.BpfProgram;
import io.hxb.os.nic.NicInfo;
import io.hxb.vlan.DeviceTagger;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.KernelTagger;
import io.hxb.vlan.NicTagger;
import io.hxb.vlan.TapTagger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;

/** Makes the tagger that suits the NICs of a host and its kernel. Stateless. */
final class TaggerFactory {
    private static final Logger LOGGER = LoggerFactory.getLogger(TaggerFactory.class);

    private final HostTable table;
    private final TaggerChoice choice;
    private final Path pins;

    /**
     * A factory for a table.
     *
     * @param pins folder in a BPF file system by which programs stay; null if nothing is to stay.
     */
    TaggerFactory(final HostTable table, final TaggerChoice choice, final Path pins) {
        this.table = table;
        this.choice = choice;
        this.pins = pins;
    }

    /**
     * Loads or makes it; it is not attached to a NIC yet.
     *
     * @throws IOException with what to do.
     */
    NicTagger make(final PlannedNics planned) throws IOException {
        if (planned.nics().size() > 1) {
            return ofSeveral(planned);
        }
        return ofOne(planned.nics().getFirst());
    }

    private NicTagger ofSeveral(final PlannedNics planned) throws IOException {
        if (choice == TaggerChoice.TAP || pins != null) {
            throw new IOException(
                    "several NICs are used by programs in the kernel and a device that goes with"
                            + " the manager: leave out --tagger tap and --pin");
        }
        try {
            return DeviceTagger.load(
                    vids(),
                    planned.ofVlans(),
                    planned.nics().size(),
                    table.rows().size(),
                    planned.nics().getFirst());
        } catch (final LinuxException e) {
            throw new IOException(
                    "several NICs cannot be used: "
                            + e.getMessage()
                            + "; it needs Linux "
                            + BpfProgram.KERNEL
                            + " or later, root or CAP_BPF and CAP_NET_ADMIN, and /dev/net/tun",
                    e);
        }
    }

    private NicTagger ofOne(final NicInfo nic) throws IOException {
        final int[] vids = vids();
        final int hosts = table.rows().size();
        if (choice == TaggerChoice.TAP) {
            if (pins != null) {
                throw new IOException(
                        "a TAP device ends with the manager, so that frames cannot stay tagged as"
                                + " they are: leave out --pin, or take --tagger kernel");
            }
            return TapTagger.create(vids, hosts);
        }
        try {
            return loadWhereUsable(vids, nic.ifindex());
        } catch (final LinuxException e) {
            final String why =
                    "frames cannot be tagged in the kernel: "
                            + e.getMessage()
                            + (e.errno() == Errno.EPERM
                                    ? "; run as root, or with CAP_BPF and CAP_NET_ADMIN"
                                    : "; it needs Linux " + BpfProgram.KERNEL + " or later");
            if (choice == TaggerChoice.KERNEL || pins != null) {
                throw new IOException(why, e);
            }
            LOGGER.info(
                    "NIC {}: TAP device {} stands before it, since {}",
                    nic.name(),
                    TapTagger.deviceName(nic.ifindex()),
                    why);
            return TapTagger.create(vids, hosts);
        }
    }

    /** The hooks came after the programs: an older kernel loads these and cannot attach them. */
    private KernelTagger loadWhereUsable(final int[] vids, final int ifindex)
            throws LinuxException {
        final KernelTagger loaded = KernelTagger.load(vids, table.rows().size(), pins);
        try {
            BpfProgram.count(ifindex, BpfProgram.Hook.EGRESS);
            return loaded;
        } catch (final LinuxException e) {
            loaded.close();
            throw e;
        }
    }

    private int[] vids() {
        return table.vids().stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * Attaches the tagger to a NIC.
     *
     * @throws IOException with what to do.
     */
    void attach(final ManagedNics nics, final int nic, final int ifindex) throws IOException {
        try {
            nics.attach(nic, ifindex);
        } catch (final LinuxException e) {
            throw new IOException(e.getMessage() + advice(e.errno(), ifindex), e);
        }
    }

    private String advice(final int errno, final int ifindex) {
        if (pins != null) {
            return ": " + pins + " must be a folder in a BPF file system (mount -t bpf bpf FOLDER)";
        }
        return switch (errno) {
            case Errno.ENOENT, Errno.ENODEV, Errno.ENXIO ->
                    ": the kernel has no TAP devices (modprobe tun), or the container was not given"
                            + " /dev/net/tun";
            case Errno.EPERM, Errno.EACCES ->
                    ": run as root, or with CAP_NET_ADMIN, CAP_NET_RAW and access to /dev/net/tun";
            case Errno.EBUSY ->
                    ": there is a NIC of that name already (ip link del "
                            + TapTagger.deviceName(ifindex)
                            + ")";
            default -> "";
        };
    }
}
