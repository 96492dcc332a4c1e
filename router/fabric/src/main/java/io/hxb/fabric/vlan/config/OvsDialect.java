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
 * floods broadcasts along the VLAN's links. Source: ovs-vsctl(8), ovs-ofctl(8), ovs-fields(7).
 */
final class OvsDialect extends Dialect {
    // Without it, frames may follow the previous rules for another half second.
    private static final String FORGET = "ovs-appctl revalidator/purge\n";

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
        text.append("# OVS_DATAPATH_TYPE=netdev: the userspace datapath.\n");
        text.append("set -e\n");
        text.append(
                "ovs-vsctl --may-exist add-br %1$s -- set bridge %1$s fail_mode=secure"
                        .formatted(bridge));
        text.append(" ${OVS_DATAPATH_TYPE:+datapath_type=$OVS_DATAPATH_TYPE}");
        for (final Port port : used(setup)) {
            appendPort(text, setup, port);
        }
        text.append("\novs-ofctl --bundle replace-flows %s - <<'EOF'%n".formatted(bridge));
        flows(setup).forEach((match, actions) -> text.append(match + ",actions=" + actions + "\n"));
        text.append("EOF\n");
        appendAddresses(text, setup, "add", setup.isLearning() ? setup.macs() : List.of());
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
        appendAddresses(
                text, before, "del", after.isLearning() ? changes.removedMacs() : List.of());
        appendPortChanges(text, before, after);
        appendFlowChanges(text, before, after);
        appendAddresses(text, after, "add", after.isLearning() ? changes.addedMacs() : List.of());
        return text.append(FORGET).toString();
    }

    /** Ports in a VLAN; a trunk of no VLAN would be one of all. */
    private static List<Port> used(final SwitchSetup setup) {
        return setup.ports().stream().filter(port -> !port.vids().isEmpty()).toList();
    }

    private void appendPortChanges(
            final StringBuilder text, final SwitchSetup before, final SwitchSetup after) {
        final StringBuilder commands = new StringBuilder();
        for (final Port port : used(before)) {
            if (after.port(port.name()) == null || after.port(port.name()).vids().isEmpty()) {
                commands.append(
                        " \\\n  -- --if-exists del-port %s %s"
                                .formatted(after.name(), port(after, port.name())));
            }
        }
        for (final Port port : used(after)) {
            final Port old = before.port(port.name());
            if (old == null
                    || old.vids().isEmpty()
                    || (after.isLearning() && !old.tagged().equals(port.tagged()))) {
                appendPort(commands, after, port);
            }
        }
        if (!commands.isEmpty()) {
            text.append("ovs-vsctl")
                    .append(commands.toString().replaceFirst("--", ""))
                    .append('\n');
        }
    }

    private void appendPort(final StringBuilder text, final SwitchSetup setup, final Port port) {
        final String name = port(setup, port.name());
        text.append(
                " \\\n  -- --may-exist add-port %s %s -- set port %s "
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
    private void appendAddresses(
            final StringBuilder text,
            final SwitchSetup setup,
            final String verb,
            final List<StaticMac> entries) {
        for (final StaticMac entry : entries) {
            final String port = verb.equals("add") ? port(setup, entry.port()) + " " : "";
            text.append(
                    "ovs-appctl fdb/%s %s %s%d %s%n"
                            .formatted(
                                    verb, setup.name(), port, entry.vid(), mac(entry.mac(), ":")));
        }
    }

    private void appendFlowChanges(
            final StringBuilder text, final SwitchSetup before, final SwitchSetup after) {
        final Map<String, String> old = flows(before);
        final Map<String, String> now = flows(after);
        final StringBuilder lines = new StringBuilder();
        old.forEach(
                (match, actions) ->
                        lines.append(
                                now.containsKey(match) ? "" : "delete_strict " + match + "\n"));
        now.forEach(
                (match, actions) ->
                        lines.append(
                                actions.equals(old.get(match))
                                        ? ""
                                        : "add " + match + ",actions=" + actions + "\n"));
        if (!lines.isEmpty()) {
            text.append("ovs-ofctl --bundle add-flows %s - <<'EOF'%n".formatted(after.name()));
            text.append(lines).append("EOF\n");
        }
    }

    /** Actions of all flows by what they match, sorted. */
    private Map<String, String> flows(final SwitchSetup setup) {
        final Map<String, String> flows = new TreeMap<>();
        if (setup.isLearning()) {
            flows.put("table=0,priority=0", "NORMAL");
            return flows;
        }
        flows.put("table=0,priority=0", "drop");
        flows.put("table=1,priority=0", "drop");
        for (final Port port : used(setup)) {
            final String from = "table=0,priority=10,in_port=" + quoted(setup, port.name());
            if (port.pvid() != 0) {
                flows.put(from + ",vlan_tci=0", "mod_vlan_vid:" + port.pvid() + ",resubmit(,1)");
            }
            port.tagged().stream()
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
