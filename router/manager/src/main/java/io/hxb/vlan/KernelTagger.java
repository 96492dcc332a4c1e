package io.hxb.vlan;

import io.hxb.linux.LinuxException;
import io.hxb.os.bpf.BpfProgram;

import java.nio.file.Path;

/**
 * Tags in the kernel: one BPF program at a NIC's egress, one at its ingress. They are in force
 * until they are closed or the process ends, however it ends; a change of a path is a store into
 * memory that the program shares.
 */
public final class KernelTagger extends TableTagger {
    private static final int PROGRAMS = 2;

    private final TagMaps maps;
    private final BpfProgram egress;
    private final BpfProgram ingress;
    private final Path pins;
    private BpfProgram.Attachment atEgress;
    private BpfProgram.Attachment atIngress;

    private KernelTagger(
            final short[] numbers,
            final int maxHosts,
            final TagMaps maps,
            final BpfProgram egress,
            final BpfProgram ingress,
            final Path pins) {
        super(numbers, maxHosts, maps.table());
        this.maps = maps;
        this.egress = egress;
        this.ingress = ingress;
        this.pins = pins;
    }

    /** Loads programs that go when this is closed or the process ends; as below. */
    public static KernelTagger load(final int[] plan, final int maxHosts) throws LinuxException {
        return load(plan, maxHosts, null);
    }

    /**
     * Loads the programs; they see no frames before {@link #attach}.
     *
     * @param plan the plan's VIDs, 1 to 4094, each once.
     * @param maxHosts hosts that there is room for, 1 to 65,536; each takes 35 bytes.
     * @param pins folder in a BPF file system for the files {@code ingress} and {@code egress}, by
     *     which the programs stay at the NIC until these are deleted; those that an earlier process
     *     has left there are replaced between two frames. Null if nothing is to stay.
     * @throws LinuxException if the kernel refuses: it is older than {@link BpfProgram#KERNEL}, or
     *     CAP_BPF and CAP_NET_ADMIN are missing.
     */
    public static KernelTagger load(final int[] plan, final int maxHosts, final Path pins)
            throws LinuxException {
        final short[] numbers = numbers(plan);
        final TagMaps maps = TagMaps.create(plan, maxHosts);
        BpfProgram egress = null;
        try {
            egress = BpfProgram.load(TagPrograms.egress(maps), BpfProgram.Hook.EGRESS);
            final BpfProgram ingress =
                    BpfProgram.load(TagPrograms.ingress(maps), BpfProgram.Hook.INGRESS);
            return new KernelTagger(numbers, maxHosts, maps, egress, ingress, pins);
        } catch (final LinuxException e) {
            if (egress != null) {
                egress.close();
            }
            maps.close();
            throw e;
        }
    }

    /**
     * Lets the programs see the frames of a NIC of this thread's network namespace, and no longer
     * those of one they saw before. Frames that come in are untagged first, so that no tagged frame
     * is sent to a peer whose answer would not be understood.
     */
    @Override
    public void attach(final int nic, final int ifindex) throws LinuxException {
        detach();
        atIngress =
                pins == null
                        ? ingress.attach(ifindex)
                        : ingress.attach(ifindex, pins.resolve("ingress"));
        try {
            atEgress =
                    pins == null
                            ? egress.attach(ifindex)
                            : egress.attach(ifindex, pins.resolve("egress"));
        } catch (final LinuxException e) {
            detach();
            throw e;
        }
    }

    private void detach() {
        if (atEgress != null) {
            atEgress.close();
            atEgress = null;
        }
        if (atIngress != null) {
            atIngress.close();
            atIngress = null;
        }
    }

    /** The programs have gone with it; {@link #attach} gives up what is left of them. */
    @Override
    public void onNicGone(final int nic) {
        // Nothing is to be done.
    }

    /** The programs follow by themselves. */
    @Override
    public void follow() {
        // Nothing is to be done.
    }

    @Override
    public int programCount() {
        return PROGRAMS;
    }

    @Override
    public String virtualNic() {
        return null;
    }

    /** Frames are the kernel's to drop. */
    @Override
    public long drops(final TagDrop reason) {
        return 0;
    }

    @Override
    public void close() {
        detach();
        egress.close();
        ingress.close();
        maps.close();
    }
}
