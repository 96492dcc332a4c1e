package io.hxb.vlan;

import io.hxb.linux.LinuxException;
import io.hxb.os.bpf.BpfProgram;
import io.hxb.os.nic.AddressMirror;
import io.hxb.os.nic.NicInfo;
import io.hxb.os.nic.NicName;
import io.hxb.tap.TapDevice;

/**
 * Tags in the kernel where a host has several NICs. A device stands for them, with the MAC address
 * that all of them have, and with the IP addresses and routes of the first. A BPF program at its
 * egress gives each frame its tag and lets it leave by the NIC of its VID; one at the ingress of
 * each NIC lets frames of the plan come in at the device. The device is a TAP device from which
 * nobody reads: it goes with the process, however that ends, and then the routes of the first NIC
 * hold again. It stays when any NIC goes down, with the addresses that it has.
 */
public final class DeviceTagger extends TableTagger {
    private static final int PROGRAMS = 1;
    private static final int NONE = 0;

    private final TagMaps maps;
    private final TagTable table;
    private final int[] nicOfVlan;
    private final BpfProgram ingress;
    private final BpfProgram egress;
    private final TapDevice device;
    private final BpfProgram.Attachment[] atNics;
    private final int[] ifindexes;
    private BpfProgram.Attachment atDevice;
    private AddressMirror addresses;
    private int mirrored = NONE;
    private int mtuBytes;

    private DeviceTagger(
            final short[] numbers,
            final int maxHosts,
            final TagMaps maps,
            final int[] nicOfVlan,
            final int nics,
            final BpfProgram egress,
            final BpfProgram ingress,
            final TapDevice device) {
        super(numbers, maxHosts, maps.table());
        this.maps = maps;
        this.nicOfVlan = nicOfVlan;
        this.egress = egress;
        this.ingress = ingress;
        this.device = device;
        table = maps.table();
        atNics = new BpfProgram.Attachment[nics];
        ifindexes = new int[nics];
    }

    /**
     * Makes the device and loads the programs; frames are carried once NICs are attached.
     *
     * @param plan the plan's VIDs, 1 to 4094, each once.
     * @param nicOfVlan number of the NIC of each of them.
     * @param nics how many there are.
     * @param maxHosts hosts that there is room for, 1 to 65,536.
     * @param first NIC whose addresses the device takes.
     * @throws LinuxException if the kernel refuses; then nothing is left.
     */
    public static DeviceTagger load(
            final int[] plan,
            final int[] nicOfVlan,
            final int nics,
            final int maxHosts,
            final NicInfo first)
            throws LinuxException {
        final short[] numbers = numbers(plan);
        final TagMaps maps = TagMaps.create(plan, maxHosts);
        TapDevice device = null;
        BpfProgram egress = null;
        try {
            device = TapDevice.open(TapTagger.deviceName(first.ifindex()));
            device.setMac(first.mac());
            device.setMtu(first.mtuBytes());
            egress = BpfProgram.load(TagPrograms.egressOfDevice(maps), BpfProgram.Hook.EGRESS);
            final BpfProgram ingress =
                    BpfProgram.load(
                            TagPrograms.ingressOfDevice(maps, device.ifindex()),
                            BpfProgram.Hook.INGRESS);
            final DeviceTagger tagger =
                    new DeviceTagger(
                            numbers, maxHosts, maps, nicOfVlan, nics, egress, ingress, device);
            tagger.mtuBytes = first.mtuBytes();
            return tagger;
        } catch (final LinuxException e) {
            if (egress != null) {
                egress.close();
            }
            if (device != null) {
                device.close();
            }
            maps.close();
            throw e;
        }
    }

    /** With the last NIC the device comes up. */
    @Override
    public void attach(final int nic, final int ifindex) throws LinuxException {
        onNicGone(nic);
        atNics[nic] = ingress.attach(ifindex);
        ifindexes[nic] = ifindex;
        leaveBy(nic, ifindex);
        boolean isComplete = atDevice == null;
        for (final int each : ifindexes) {
            isComplete &= each != NONE;
        }
        if (isComplete) {
            atDevice = egress.attach(device.ifindex());
            device.up();
            mirrored = ifindexes[0];
            addresses = AddressMirror.of(mirrored, device.ifindex());
        }
    }

    private void leaveBy(final int nic, final int ifindex) {
        for (int vlan = 0; vlan < nicOfVlan.length; vlan++) {
            if (nicOfVlan[vlan] == nic) {
                table.leaveBy(1 + vlan, ifindex);
            }
        }
    }

    @Override
    public void onNicGone(final int nic) {
        leaveBy(nic, NONE);
        if (atNics[nic] != null) {
            atNics[nic].close();
            atNics[nic] = null;
        }
        ifindexes[nic] = NONE;
    }

    /**
     * Follows the first NIC in addresses and routes as long as it is up: the kernel takes some away
     * from a NIC that is not, and the device keeps them.
     */
    @Override
    public void follow() throws LinuxException {
        int smallest = Integer.MAX_VALUE;
        boolean isFirstUp = false;
        for (int nic = 0; nic < ifindexes.length; nic++) {
            final String name = ifindexes[nic] == NONE ? null : NicName.of(ifindexes[nic]);
            final NicInfo info = name == null ? null : NicInfo.read(name);
            if (info != null && info.exists()) {
                smallest = Math.min(smallest, info.mtuBytes());
                isFirstUp |= nic == 0 && info.isUp() && ifindexes[0] == mirrored;
            }
        }
        if (smallest < Integer.MAX_VALUE && smallest != mtuBytes) {
            device.setMtu(smallest);
            mtuBytes = smallest;
        }
        if (isFirstUp && addresses != null) {
            addresses.follow();
        }
    }

    @Override
    public int programCount() {
        return PROGRAMS;
    }

    @Override
    public String virtualNic() {
        return device.name();
    }

    /** Frames are the kernel's to drop. */
    @Override
    public long drops(final TagDrop reason) {
        return 0;
    }

    @Override
    public void close() {
        for (int nic = 0; nic < atNics.length; nic++) {
            onNicGone(nic);
        }
        if (atDevice != null) {
            atDevice.close();
        }
        if (addresses != null) {
            addresses.close();
        }
        device.close();
        egress.close();
        ingress.close();
        maps.close();
    }
}
