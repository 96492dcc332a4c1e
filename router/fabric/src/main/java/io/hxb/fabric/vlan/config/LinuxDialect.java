package io.hxb.fabric.vlan.config;

import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.config.Changes.PortChange;
import io.hxb.fabric.vlan.config.SwitchSetup.Port;
import io.hxb.fabric.vlan.config.SwitchSetup.StaticMac;

import java.util.BitSet;

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
        text.append("set -e\n");
        text.append(
                "ip link show dev %1$s >/dev/null 2>&1 || ip link add name %1$s type bridge%n"
                        .formatted(bridge));
        text.append(
                "ip link set dev %s type bridge vlan_filtering 1 vlan_default_pvid 0 stp_state 0 mcast_snooping 0%n"
                        .formatted(bridge));
        final Changes all = Changes.between(SwitchSetup.blank(setup), setup);
        for (final Port port : setup.ports()) {
            text.append(
                    "ip link set dev %s master %s%n".formatted(port(setup, port.name()), bridge));
        }
        appendChanges(text, setup, all);
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
        for (final PortChange change : changes.ports()) {
            if (change.isNew()) {
                text.append(
                        "ip link set dev %s master %s%n"
                                .formatted(port(after, change.after().name()), after.name()));
            }
        }
        appendChanges(text, after, changes);
        for (final Port port : changes.removedPorts()) {
            text.append("ip link set dev %s nomaster%n".formatted(port(after, port.name())));
        }
        return text.toString();
    }

    /** The bridge commands of changes. */
    final void appendChanges(
            final StringBuilder text, final SwitchSetup setup, final Changes changes) {
        for (final StaticMac entry : changes.removedMacs()) {
            text.append(
                    "bridge fdb del %s dev %s vlan %d master static%n"
                            .formatted(
                                    mac(entry.mac(), ":"), port(setup, entry.port()), entry.vid()));
        }
        for (final PortChange change : changes.ports()) {
            appendPort(text, setup, change);
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

    private void appendPort(
            final StringBuilder text, final SwitchSetup setup, final PortChange change) {
        final String port = port(setup, change.after().name());
        if (change.isNew() && !setup.isLearning()) {
            text.append("bridge link set dev %s learning off flood off%n".formatted(port));
        }
        appendVids(text, "del", port, change.removed(), "");
        appendVids(text, "add", port, change.changed(true), "");
        final BitSet untagged = change.changed(false);
        final int pvid = change.after().pvid();
        if (change.isNewPvid() && change.before() != null && change.before().pvid() != 0) {
            untagged.set(
                    change.before().pvid(), change.after().untagged().get(change.before().pvid()));
        }
        untagged.clear(pvid);
        appendVids(text, "add", port, untagged, " untagged");
        if (pvid != 0 && (change.isNewPvid() || change.changed(false).get(pvid))) {
            text.append("bridge vlan add dev %s vid %d pvid untagged%n".formatted(port, pvid));
        }
    }

    private static void appendVids(
            final StringBuilder text,
            final String verb,
            final String port,
            final BitSet vids,
            final String flags) {
        if (!vids.isEmpty()) {
            for (final String range : VlanIds.ranges(vids).split(",", -1)) {
                text.append("bridge vlan %s dev %s vid %s%s%n".formatted(verb, port, range, flags));
            }
        }
    }
}
