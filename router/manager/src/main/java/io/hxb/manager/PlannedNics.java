package io.hxb.manager;

import io.hxb.fabric.vlan.HostNics;
import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.os.nic.NicInfo;
import io.hxb.vlan.HostTable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** The NICs of this host that the plan names, and which host of the plan it is. Immutable. */
final class PlannedNics {
    private final HostTable table;
    private final PlanSource plan;
    private final List<NicInfo> nics;
    private final int here;

    private PlannedNics(
            final HostTable table,
            final PlanSource plan,
            final List<NicInfo> nics,
            final int here) {
        this.table = table;
        this.plan = plan;
        this.nics = nics;
        this.here = here;
    }

    /**
     * Finds the NICs in this thread's network namespace.
     *
     * @param names of the NICs in the order of the plan.
     * @param host number of this host; -1 to find it by the address of the first NIC.
     * @param plan that of {@code table}; null if there is one NIC.
     * @throws IOException with what to do.
     */
    static PlannedNics find(
            final HostTable table, final PlanSource plan, final List<String> names, final int host)
            throws IOException {
        final List<NicInfo> nics = read(table, names);
        return new PlannedNics(table, plan, nics, find(table, host, nics));
    }

    /** In the order of the plan. */
    List<NicInfo> nics() {
        return nics;
    }

    /** Number of this host. */
    int here() {
        return here;
    }

    private static List<NicInfo> read(final HostTable table, final List<String> names)
            throws IOException {
        final int wanted = table.spread().nicCount();
        if (names.size() != wanted) {
            throw new IOException(
                    "each host of the plan has %d NIC%s, and %d %s given: name all of them, in the"
                                    .formatted(
                                            wanted,
                                            wanted == 1 ? "" : "s",
                                            names.size(),
                                            names.size() == 1 ? "is" : "are")
                            + " order of the plan");
        }
        final List<NicInfo> found = new ArrayList<>();
        for (final String name : names) {
            final NicInfo nic = NicInfo.read(name);
            if (!nic.exists()) {
                throw new IOException("there is no NIC " + name + " in this network namespace");
            }
            found.add(nic);
        }
        return found;
    }

    private static int find(final HostTable table, final int host, final List<NicInfo> nics)
            throws IOException {
        final NicInfo first = nics.getFirst();
        final int here = host < 0 ? table.hostOf(first.mac()) : host;
        if (here < 0) {
            throw new IOException(
                    "no host of the plan has the address "
                            + PeerName.text(first.mac())
                            + " of NIC "
                            + first.name()
                            + ": give the NIC that of its host (ip link set "
                            + first.name()
                            + " address ...), or the host of the plan the address of the NIC");
        }
        for (final NicInfo nic : nics) {
            if (table.mac(here) != nic.mac()) {
                throw new IOException(
                        "NIC "
                                + nic.name()
                                + " has the address "
                                + PeerName.text(nic.mac())
                                + ", but host "
                                + table.rows().get(here).name()
                                + " of the plan has "
                                + PeerName.text(table.mac(here))
                                + ", to which others would send"
                                + (nics.size() == 1
                                        ? ""
                                        : "; all NICs of a host have the same (ip link set "
                                                + nic.name()
                                                + " address ...)"));
            }
        }
        return here;
    }

    /** Which NIC of this host is in a VLAN; hosts may be plugged in differently. */
    IntUnaryOperator nicOfVid() throws IOException {
        final int[] nics = ofVlans();
        final List<Integer> vids = table.vids();
        final byte[] nicOfVid = new byte[VlanIds.MAX_VID + 1];
        for (int vlan = 0; vlan < nics.length; vlan++) {
            nicOfVid[vids.get(vlan)] = (byte) nics[vlan];
        }
        return vid -> nicOfVid[vid];
    }

    /** Numbers of this host's NICs by VLAN, in the order of the plan. */
    int[] ofVlans() throws IOException {
        final int[] nics = new int[table.vids().size()];
        if (table.spread().nicCount() > 1) {
            final VlanPlan read = plan.read();
            final HostNics ofPlan = HostNics.of(read.graph());
            for (int vlan = 0; vlan < nics.length; vlan++) {
                nics[vlan] = ofPlan.nic(here, read.tree(vlan));
            }
        }
        return nics;
    }
}
