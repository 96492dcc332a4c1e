package io.hxb.fabric.vlan.config;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.config.Changes.PortChange;
import io.hxb.fabric.vlan.config.SwitchSetup.Port;
import io.hxb.fabric.vlan.config.SwitchSetup.StaticMac;

import java.util.BitSet;
import java.util.List;

/**
 * A shell script for SONiC: VLANs by its config command, static addresses by swssconfig, since they
 * are not kept in config_db.json. A port of SONiC can be an untagged member of one VLAN only.
 * Source: sonic-utilities, Command-Reference.md; sonic-swss, doc/swss-schema.md, FDB_TABLE.
 */
final class SonicDialect extends CommandDialect {
    private static final int LANES = 4;

    @Override
    public String word() {
        return "sonic";
    }

    @Override
    public String switches() {
        return "SONiC";
    }

    @Override
    public String fileEnding() {
        return ".sh";
    }

    @Override
    public void check(final PlanKind kind) {
        if (kind == PlanKind.SWITCH_TAGGED) {
            throw new GraphException(
                    "a port of SONiC can be an untagged member of one VLAN only, and a"
                        + " switch-tagged plan needs all of them on host ports; let the hosts tag"
                        + " (--kind host-tagged), or use linux, cumulus, ovs, ios or dell");
        }
    }

    @Override
    String numberedPort(final String switchName, final int number) {
        return "Ethernet" + (number - 1) * LANES;
    }

    @Override
    String write(final SwitchSetup setup, final Changes changes, final String what) {
        final StringBuilder text = new StringBuilder("#!/bin/sh\n");
        text.append(heading("#", setup, what));
        text.append("# Static MAC addresses are not saved: run this again after a restart.\n");
        text.append("set -e\n");
        appendAddresses(text, setup, changes.removedMacs(), false);
        appendVlans(text, "add", changes.addedVids());
        for (final Port port : changes.removedPorts()) {
            appendMembers(text, "del", port.vids(), port(setup, port.name()));
        }
        for (final PortChange change : changes.ports()) {
            final String port = port(setup, change.after().name());
            appendMembers(text, "del", change.removed(), port);
            appendMembers(text, "add", change.changed(true), port);
        }
        appendAddresses(text, setup, changes.addedMacs(), true);
        appendVlans(text, "del", changes.removedVids());
        return text.append("config save -y\n").toString();
    }

    private static void appendVlans(
            final StringBuilder text, final String verb, final BitSet vids) {
        vids.stream().forEach(vid -> text.append("config vlan %s %d%n".formatted(verb, vid)));
    }

    private static void appendMembers(
            final StringBuilder text, final String verb, final BitSet vids, final String port) {
        vids.stream()
                .forEach(
                        vid ->
                                text.append(
                                        "config vlan member %s %d %s%n"
                                                .formatted(verb, vid, port)));
    }

    private void appendAddresses(
            final StringBuilder text,
            final SwitchSetup setup,
            final List<StaticMac> entries,
            final boolean isSet) {
        if (entries.isEmpty()) {
            return;
        }
        text.append("docker exec -i swss sh -c 'cat >/tmp/fdb.json; swssconfig /tmp/fdb.json'");
        text.append(" <<'EOF'\n[\n");
        for (int i = 0; i < entries.size(); i++) {
            final StaticMac entry = entries.get(i);
            final String fields =
                    "{\"port\": \"%s\", \"type\": \"static\"}".formatted(port(setup, entry.port()));
            text.append(
                    "  {\"FDB_TABLE:Vlan%d:%s\": %s, \"OP\": \"%s\"}%s%n"
                            .formatted(
                                    entry.vid(),
                                    mac(entry.mac(), "-"),
                                    isSet ? fields : "{}",
                                    isSet ? "SET" : "DEL",
                                    i + 1 < entries.size() ? "," : ""));
        }
        text.append("]\nEOF\n");
    }
}
