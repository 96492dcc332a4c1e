package io.hxb.fabric.vlan.config;

import io.hxb.fabric.vlan.config.SwitchSetup.Port;
import io.hxb.fabric.vlan.config.SwitchSetup.StaticMac;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A shell script for an Open vSwitch bridge. Where hosts tag, ports are trunks of their VLANs.
 * Where switches tag, OpenFlow rules do it, since a port of Open vSwitch can be an untagged member
 * of one VLAN only: table 0 puts frames into VLANs, table 1 sends them on by VLAN and address, and
 * floods broadcasts along the VLAN's links. Source: ovs-vsctl(8), ovs-ofctl(8), ovs-fields(7),
 * ovs-vswitchd.conf.db(5).
 */
final class OvsDialect extends Dialect {
    // Without it, frames may follow the previous rules for another half second.
    private static final String FORGET = "ovs-appctl revalidator/purge\n";

    // IEEE 802.1Q-2018, table 8-1: frames for the next bridge only.
    private static final String RESERVED =
            "table=0,priority=20,dl_dst=01:80:c2:00:00:00/ff:ff:ff:ff:ff:f0";

    // Reserved addresses are dropped by a flow; forward-bpdu leaves all others alone, as on
    // switches of other kinds. A later change of mac-aging-time would unpin static addresses.
    private static final String BRIDGE =
            " fail_mode=secure protocols=[] stp_enable=false rstp_enable=false"
                    + " mcast_snooping_enable=false flood_vlans=[] other_config:forward-bpdu=true"
                    + " other_config:mac-aging-time=300";

    // The size of the table unless another one is set.
    private static final int USUAL_ADDRESSES = 8192;

    @Override
    public String word() {
        return "ovs";
    }

    @Override
    public String switches() {
        return "Open vSwitch";
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
        text.append("# It is the whole setup: what it does not name goes. It may be run again.\n");
        text.append("# A restart of ovs-vswitchd alone loses flows and static addresses: run it");
        text.append(" again then,\n# or let deploy/ovs-restore do so.\n");
        text.append("# OVS_DATAPATH_TYPE=netdev: the userspace datapath.\n");
        text.append("set -e\n");
        text.append("ovs-vsctl --may-exist add-br %1$s -- set bridge %1$s".formatted(bridge));
        text.append(" fail_mode=secure ${OVS_DATAPATH_TYPE:+datapath_type=$OVS_DATAPATH_TYPE}\n");
        appendRemovalOfOtherPorts(text, setup);
        text.append("ovs-vsctl del-controller %1$s -- set bridge %1$s".formatted(bridge));
        text.append(BRIDGE).append(tableSize(setup));
        for (final Port port : used(setup)) {
            appendPort(text, setup, port);
        }
        text.append('\n');
        appendFlows(text, setup);
        if (setup.isLearning()) {
            appendAllAddresses(text, setup);
        }
        return text.append(FORGET).toString();
    }

    @Override
    String writeChanges(final SwitchSetup before, final SwitchSetup after, final Changes changes) {
        if (changes.isEmpty()) {
            return "";
        }
        final StringBuilder text = new StringBuilder("#!/bin/sh\n");
        text.append(heading("#", after, "changes; then "));
        text.append("set -e\n");
        if (after.isLearning()) {
            appendRemovedAddresses(text, changes.removedMacs(), after);
        }
        final String removals = removals(before, after);
        final StringBuilder commands = new StringBuilder();
        if (!tableSize(before).equals(tableSize(after))) {
            commands.append(" \\\n  -- set bridge %s%s".formatted(after.name(), tableSize(after)));
        }
        commands.append(after.isLearning() ? removals : "");
        for (final Port port : used(after)) {
            if (isNewOrChanged(before, after, port)) {
                appendPort(commands, after, port);
            }
        }
        appendCommand(text, commands.toString());
        if (!flows(before).equals(flows(after))) {
            appendFlows(text, after);
        }
        // Flows that name a port go before the port does.
        appendCommand(text, after.isLearning() ? "" : removals);
        if (after.isLearning()) {
            appendChangedAddresses(text, before, after, changes);
        }
        return text.append(FORGET).toString();
    }

    private static void appendCommand(final StringBuilder text, final String commands) {
        if (!commands.isEmpty()) {
            text.append("ovs-vsctl").append(commands.replaceFirst("--", "")).append('\n');
        }
    }

    /** Ports in a VLAN; a trunk of no VLAN would be one of all. */
    private static List<Port> used(final SwitchSetup setup) {
        return setup.ports().stream().filter(port -> !port.vids().isEmpty()).toList();
    }

    /** Static addresses evict one another, so there is room for all, and for those of others. */
    private static String tableSize(final SwitchSetup setup) {
        final int addresses = setup.isLearning() ? setup.macs().size() : 0;
        return " other_config:mac-table-size=" + (USUAL_ADDRESSES + addresses);
    }

    private static boolean isNewOrChanged(
            final SwitchSetup before, final SwitchSetup after, final Port port) {
        final Port old = before.port(port.name());
        return old == null
                || old.vids().isEmpty()
                || (after.isLearning() && !old.tagged().equals(port.tagged()));
    }

    private void appendRemovalOfOtherPorts(final StringBuilder text, final SwitchSetup setup) {
        final StringBuilder names = new StringBuilder(" ");
        used(setup).forEach(port -> names.append(port(setup, port.name())).append(' '));
        text.append("for port in $(ovs-vsctl list-ports %s); do%n".formatted(setup.name()));
        text.append("  case '%s' in *\" $port \"*) ;;".formatted(names));
        text.append(" *) ovs-vsctl del-port %s \"$port\" ;; esac%ndone%n".formatted(setup.name()));
    }

    private String removals(final SwitchSetup before, final SwitchSetup after) {
        final StringBuilder commands = new StringBuilder();
        for (final Port port : used(before)) {
            if (after.port(port.name()) == null || after.port(port.name()).vids().isEmpty()) {
                commands.append(
                        " \\\n  -- --if-exists del-port %s %s"
                                .formatted(after.name(), port(after, port.name())));
            }
        }
        return commands.toString();
    }

    private void appendPort(final StringBuilder text, final SwitchSetup setup, final Port port) {
        final String name = port(setup, port.name());
        text.append(
                " \\\n  -- --may-exist add-port %s %s -- set port %s tag=[] "
                        .formatted(setup.name(), name, name));
        text.append(
                setup.isLearning()
                        ? "vlan_mode=trunk trunks=" + list(port)
                        : "vlan_mode=[] trunks=[]");
    }

    private static String list(final Port port) {
        return String.join(",", port.tagged().stream().mapToObj(Integer::toString).toList());
    }

    /** Addresses by OpenFlow are flows; those of learning bridges are set by ovs-appctl. */
    private void appendAllAddresses(final StringBuilder text, final SwitchSetup setup) {
        text.append("addresses='\n");
        for (final StaticMac entry : setup.macs()) {
            text.append(
                    "%s %d %s%n"
                            .formatted(
                                    port(setup, entry.port()), entry.vid(), mac(entry.mac(), ":")));
        }
        text.append(
                """
                '
                ovs-appctl fdb/flush %1$s >/dev/null
                { echo "$addresses"; ovs-appctl fdb/show %1$s; } |
                  awk 'NF == 3 { planned[$2 $3] } /static/ && !(($2 $3) in planned) { print $2, $3 }' |
                  while read -r vid mac; do ovs-appctl fdb/del %1$s "$vid" "$mac"; done
                echo "$addresses" | while read -r port vid mac; do
                  [ -z "$port" ] || ovs-appctl fdb/add %1$s "$port" "$vid" "$mac" >/dev/null
                done
                """
                        .formatted(setup.name()));
    }

    /** They may have gone with the port already. */
    private static void appendRemovedAddresses(
            final StringBuilder text, final List<StaticMac> entries, final SwitchSetup setup) {
        for (final StaticMac entry : entries) {
            text.append(
                    "ovs-appctl fdb/del %s %d %s >/dev/null 2>&1 || :%n"
                            .formatted(setup.name(), entry.vid(), mac(entry.mac(), ":")));
        }
    }

    /** A port whose VLANs change loses its static addresses. */
    private void appendChangedAddresses(
            final StringBuilder text,
            final SwitchSetup before,
            final SwitchSetup after,
            final Changes changes) {
        for (final StaticMac entry : after.macs()) {
            if (changes.addedMacs().contains(entry)
                    || isNewOrChanged(before, after, after.port(entry.port()))) {
                text.append(
                        "ovs-appctl fdb/add %s %s %d %s >/dev/null%n"
                                .formatted(
                                        after.name(),
                                        port(after, entry.port()),
                                        entry.vid(),
                                        mac(entry.mac(), ":")));
            }
        }
    }

    /**
     * All flows, also where a few change: those of a port that is gone from the bridge could not be
     * named one by one. Open vSwitch changes only what differs, and all of it at once.
     */
    private void appendFlows(final StringBuilder text, final SwitchSetup setup) {
        text.append("ovs-ofctl --bundle replace-flows %s - <<'EOF'%n".formatted(setup.name()));
        flows(setup).forEach((match, actions) -> text.append(match + ",actions=" + actions + "\n"));
        text.append("EOF\n");
    }

    /** Actions of all flows by what they match, sorted. */
    private Map<String, String> flows(final SwitchSetup setup) {
        final Map<String, String> flows = new TreeMap<>();
        flows.put(RESERVED, "drop");
        if (setup.isLearning()) {
            flows.put("table=0,priority=0", "NORMAL");
            return flows;
        }
        flows.put("table=0,priority=0", "drop");
        flows.put("table=1,priority=0", "drop");
        for (final Port port : used(setup)) {
            final String from = "table=0,priority=10,in_port=" + quoted(setup, port.name());
            if (port.pvid() != 0) {
                final String tag = "mod_vlan_vid:" + port.pvid() + ",resubmit(,1)";
                flows.put(from + ",vlan_tci=0", tag);
                // The tag of a priority, which is of no VLAN.
                flows.put(from + ",dl_vlan=0", tag);
            }
            port.vids().stream()
                    .forEach(vid -> flows.put(from + ",dl_vlan=" + vid, "resubmit(,1)"));
        }
        for (final StaticMac entry : setup.macs()) {
            final boolean isTagged = setup.port(entry.port()).tagged().get(entry.vid());
            flows.put(
                    "table=1,priority=10,dl_vlan="
                            + entry.vid()
                            + ",dl_dst="
                            + mac(entry.mac(), ":"),
                    (isTagged ? "" : "strip_vlan,") + "output:" + quoted(setup, entry.port()));
        }
        setup.vids().stream().forEach(vid -> flows.put(group(vid), flood(setup, vid)));
        return flows;
    }

    private static String group(final int vid) {
        return "table=1,priority=5,dl_vlan=" + vid + ",dl_dst=01:00:00:00:00:00/01:00:00:00:00:00";
    }

    /** Out of all ports of a VLAN except the input port, which Open vSwitch leaves out. */
    private String flood(final SwitchSetup setup, final int vid) {
        final StringBuilder actions = new StringBuilder();
        for (final Port port : setup.ports()) {
            actions.append(
                    port.tagged().get(vid) ? "output:" + quoted(setup, port.name()) + "," : "");
        }
        actions.append("strip_vlan");
        for (final Port port : setup.ports()) {
            actions.append(port.untagged().get(vid) ? ",output:" + quoted(setup, port.name()) : "");
        }
        return actions.toString();
    }

    private String quoted(final SwitchSetup setup, final String port) {
        return '"' + port(setup, port) + '"';
    }
}
