package io.hxb.fabric.vlan.config;

import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.config.Changes.PortChange;
import io.hxb.fabric.vlan.config.SwitchSetup.Port;
import io.hxb.fabric.vlan.config.SwitchSetup.StaticMac;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** A shell script for a Linux bridge with VLAN filtering. Source: bridge(8), ip-link(8). */
class LinuxDialect extends Dialect {
    @Override
    public String word() {
        return "linux";
    }

    @Override
    public String switches() {
        return "Linux bridges";
    }

    @Override
    public String fileEnding() {
        return ".sh";
    }

    @Override
    int maxNameLength() {
        return 15;
    }

    @Override
    String numberedPort(final String switchName, final int number) {
        return switchName + "p" + number;
    }

    @Override
    String writeFull(final SwitchSetup setup) {
        final String bridge = setup.name();
        final StringBuilder text = new StringBuilder("#!/bin/sh\n");
        text.append(heading("#", setup, ""));
        text.append("# It is the whole setup: ports leave the bridge with their VLANs and static");
        text.append(" addresses,\n# and those of this plan join it. It may be run again.\n");
        text.append("set -e\n");
        text.append(
                "ip link show dev %1$s >/dev/null 2>&1 || ip link add name %1$s type bridge%n"
                        .formatted(bridge));
        text.append(
                """
                ip -o link show master %s | sed 's/^[0-9]*: \\([^:@]*\\).*/\\1/' | while read -r port; do
                  ip link set dev "$port" nomaster
                done
                """
                        .formatted(bridge));
        text.append(
                "ip link set dev %s type bridge vlan_filtering 1 vlan_default_pvid 0"
                        .formatted(bridge));
        text.append(" stp_state 0 mcast_snooping 0 group_fwd_mask 0\n");
        for (final Port port : setup.ports()) {
            text.append(
                    "ip link set dev %s master %s%n".formatted(port(setup, port.name()), bridge));
        }
        appendChanges(text, setup, Changes.between(SwitchSetup.blank(setup), setup));
        for (final Port port : setup.ports()) {
            text.append("ip link set dev %s up%n".formatted(port(setup, port.name())));
        }
        return text.append("ip link set dev %s up%n".formatted(bridge)).toString();
    }

    @Override
    String writeChanges(final SwitchSetup before, final SwitchSetup after, final Changes changes) {
        if (changes.isEmpty()) {
            return "";
        }
        final StringBuilder text = new StringBuilder("#!/bin/sh\n");
        text.append(heading("#", after, "changes; then "));
        text.append("set -e\n");
        // The VLANs and addresses of a port go with it; it may be gone itself.
        for (final Port port : changes.removedPorts()) {
            text.append(
                    "! ip link show dev %1$s >/dev/null 2>&1 || ip link set dev %1$s nomaster%n"
                            .formatted(port(after, port.name())));
        }
        for (final PortChange change : changes.ports()) {
            if (change.isNew()) {
                final String port = port(after, change.after().name());
                text.append("ip link set dev %s nomaster%n".formatted(port));
                text.append("ip link set dev %s master %s%n".formatted(port, after.name()));
            }
        }
        appendChanges(text, after, changes);
        for (final PortChange change : changes.ports()) {
            if (change.isNew()) {
                text.append(
                        "ip link set dev %s up%n".formatted(port(after, change.after().name())));
            }
        }
        return text.toString();
    }

    /** The bridge commands of changes; no VLAN grows at a port before it has shrunk at others. */
    private void appendChanges(
            final StringBuilder text, final SwitchSetup setup, final Changes changes) {
        for (final StaticMac entry : changes.removedMacs()) {
            if (setup.port(entry.port()) != null) {
                text.append(
                        "bridge fdb del %s dev %s vlan %d master static 2>/dev/null || :%n"
                                .formatted(
                                        mac(entry.mac(), ":"),
                                        port(setup, entry.port()),
                                        entry.vid()));
            }
        }
        for (final PortChange change : changes.ports()) {
            final String port = port(setup, change.after().name());
            if (change.isNew() && !setup.isLearning()) {
                text.append("bridge link set dev %s learning off flood off%n".formatted(port));
            }
            vids("del", port, change.removed(), "").forEach(line -> text.append(line + "\n"));
        }
        for (final PortChange change : changes.ports()) {
            memberships(setup, change).forEach(line -> text.append(line + "\n"));
        }
        for (final StaticMac entry : changes.addedMacs()) {
            text.append(fdb(setup, entry)).append('\n');
        }
    }

    /** The command that sets a static address. */
    final String fdb(final SwitchSetup setup, final StaticMac entry) {
        return "bridge fdb replace %s dev %s vlan %d master static"
                .formatted(mac(entry.mac(), ":"), port(setup, entry.port()), entry.vid());
    }

    /** The commands that make a port a member of VLANs. */
    final List<String> memberships(final SwitchSetup setup, final PortChange change) {
        final String port = port(setup, change.after().name());
        final List<String> lines = new ArrayList<>(vids("add", port, change.changed(true), ""));
        final BitSet untagged = change.changed(false);
        final int pvid = change.after().pvid();
        if (change.isNewPvid() && change.before() != null && change.before().pvid() != 0) {
            untagged.set(
                    change.before().pvid(), change.after().untagged().get(change.before().pvid()));
        }
        untagged.clear(pvid);
        lines.addAll(vids("add", port, untagged, " untagged"));
        if (pvid != 0 && (change.isNewPvid() || change.changed(false).get(pvid))) {
            lines.add("bridge vlan add dev %s vid %d pvid untagged".formatted(port, pvid));
        }
        return lines;
    }

    private static List<String> vids(
            final String verb, final String port, final BitSet vids, final String flags) {
        final List<String> lines = new ArrayList<>();
        if (!vids.isEmpty()) {
            for (final String range : VlanIds.ranges(vids).split(",", -1)) {
                lines.add("bridge vlan %s dev %s vid %s%s".formatted(verb, port, range, flags));
            }
        }
        return lines;
    }
}
