package io.hxb.fabric.vlan.config;

import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.config.Changes.PortChange;
import io.hxb.fabric.vlan.config.SwitchSetup.Port;
import io.hxb.fabric.vlan.config.SwitchSetup.StaticMac;

import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Configuration commands in the style of Dell PowerConnect 53xx and 54xx, the switches of the
 * paper: ports in general mode, addresses by VLAN. Source: Dell, PowerConnect 5324 CLI Reference
 * Guide, chapters VLAN and Address Table.
 */
final class DellDialect extends CommandDialect {
    @Override
    public String word() {
        return "dell";
    }

    @Override
    public String switches() {
        return "Dell PowerConnect";
    }

    @Override
    public String fileEnding() {
        return ".dell";
    }

    @Override
    String numberedPort(final String switchName, final int number) {
        return "g" + number;
    }

    @Override
    String write(final SwitchSetup setup, final Changes changes, final String what) {
        final StringBuilder text = new StringBuilder(heading("!", setup, what));
        appendAddresses(text, setup, changes.removedMacs(), false);
        if (!changes.addedVids().isEmpty()) {
            text.append("no spanning-tree\n");
            text.append(
                    "vlan database\nvlan %s%nexit%n"
                            .formatted(VlanIds.ranges(changes.addedVids())));
        }
        for (final PortChange change : changes.ports()) {
            appendPort(text, setup, change);
        }
        for (final Port port : changes.removedPorts()) {
            text.append("interface ethernet %s%n".formatted(port(setup, port.name())));
            appendVids(text, "switchport general allowed vlan remove ", port.vids(), "");
            text.append("exit\n");
        }
        appendAddresses(text, setup, changes.addedMacs(), true);
        if (!changes.removedVids().isEmpty()) {
            text.append(
                    "vlan database\nno vlan %s%nexit%n"
                            .formatted(VlanIds.ranges(changes.removedVids())));
        }
        return text.toString();
    }

    private void appendPort(
            final StringBuilder text, final SwitchSetup setup, final PortChange change) {
        final Port port = change.after();
        text.append("interface ethernet %s%n".formatted(port(setup, port.name())));
        if (change.isNew()) {
            text.append("description '%s'%n".formatted(port.peer()));
            text.append("switchport mode general\n");
            if (!port.vids().get(1)) {
                text.append("switchport general allowed vlan remove 1\n");
            }
        }
        appendVids(text, "switchport general allowed vlan remove ", change.removed(), "");
        appendVids(text, "switchport general allowed vlan add ", change.changed(true), " tagged");
        appendVids(
                text, "switchport general allowed vlan add ", change.changed(false), " untagged");
        if (port.pvid() != 0 && change.isNewPvid()) {
            text.append("switchport general pvid %d%n".formatted(port.pvid()));
        } else if (port.pvid() == 0 && change.isNew()) {
            text.append("switchport general acceptable-frame-type tagged-only\n");
        }
        text.append("exit\n");
    }

    private static void appendVids(
            final StringBuilder text, final String command, final BitSet vids, final String flag) {
        if (!vids.isEmpty()) {
            text.append(command).append(VlanIds.ranges(vids)).append(flag).append('\n');
        }
    }

    private void appendAddresses(
            final StringBuilder text,
            final SwitchSetup setup,
            final List<StaticMac> entries,
            final boolean isSet) {
        final Map<Integer, StringBuilder> ofVlan = new TreeMap<>();
        for (final StaticMac entry : entries) {
            final String command =
                    isSet
                            ? "bridge address %s ethernet %s permanent%n"
                                    .formatted(mac(entry.mac(), ":"), port(setup, entry.port()))
                            : "no bridge address %s%n".formatted(mac(entry.mac(), ":"));
            ofVlan.computeIfAbsent(entry.vid(), key -> new StringBuilder()).append(command);
        }
        ofVlan.forEach(
                (vid, commands) ->
                        text.append("interface vlan %d%n%sexit%n".formatted(vid, commands)));
    }
}
