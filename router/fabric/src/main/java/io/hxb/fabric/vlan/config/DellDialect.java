package io.hxb.fabric.vlan.config;

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
 * Guide, chapters VLAN, Address Table and Spanning Tree.
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
    public BitSet reservedVids() {
        final BitSet reserved = new BitSet();
        reserved.set(1); // The default VLAN of all ports.
        return reserved;
    }

    @Override
    String numberedPort(final String switchName, final int number) {
        return "g" + number;
    }

    @Override
    String write(final SwitchSetup setup, final Changes changes, final boolean isFull) {
        final StringBuilder text = new StringBuilder(heading("!", setup, isFull));
        if (isFull) {
            text.append("! Spanning tree goes off at the end, for ports outside the plan, too:");
            text.append(" no cables between those.\n");
        }
        text.append("configure\n");
        appendAddresses(text, setup, changes.removedMacs(), false);
        appendVlans(text, "vlan ", changes.addedVids());
        for (final Port port : changes.removedPorts()) {
            text.append("interface ethernet %s%n".formatted(port(setup, port.name())));
            text.append(removal(port.vids())).append("exit\n");
        }
        for (final PortChange change : changes.ports()) {
            appendPort(text, setup, change);
        }
        if (isFull) {
            // Before this, the ports have left the VLANs in which they would close loops.
            text.append("no spanning-tree\nspanning-tree bpdu filtering\n");
            text.append("no ip igmp snooping\nno bridge multicast filtering\n");
            // Without an address it removes all of the VLAN, which the plan before has left.
            setup.vids().stream()
                    .forEach(
                            vid ->
                                    text.append(
                                            "interface vlan %d%nno bridge address%nexit%n"
                                                    .formatted(vid)));
        }
        appendAddresses(text, setup, changes.addedMacs(), true);
        appendVlans(text, "no vlan ", changes.removedVids());
        return text.append("exit\n").toString();
    }

    private static void appendVlans(
            final StringBuilder text, final String command, final BitSet vids) {
        if (!vids.isEmpty()) {
            text.append("vlan database\n").append(lines(command, command, vids, ""));
            text.append("exit\n");
        }
    }

    private void appendPort(
            final StringBuilder text, final SwitchSetup setup, final PortChange change) {
        final Port port = change.after();
        text.append("interface ethernet %s%n".formatted(port(setup, port.name())));
        if (change.isNew()) {
            text.append("description '%s'%n".formatted(port.peer()));
            text.append("switchport mode general\n");
        }
        text.append(removal(change.isNew() ? others(port) : change.removed()));
        text.append(addition(change.changed(true), " tagged"));
        text.append(addition(change.changed(false), " untagged"));
        if (port.pvid() != 0 && change.isNewPvid()) {
            text.append("switchport general pvid %d%n".formatted(port.pvid()));
        } else if (port.pvid() == 0 && change.isNew()) {
            text.append("switchport general acceptable-frame-type tagged-only\n");
        }
        text.append("exit\n");
    }

    private static BitSet others(final Port port) {
        final BitSet others = new BitSet();
        others.set(1);
        others.andNot(port.vids());
        return others;
    }

    private static String removal(final BitSet vids) {
        final String command = "switchport general allowed vlan remove ";
        return lines(command, command, vids, "");
    }

    private static String addition(final BitSet vids, final String flag) {
        final String command = "switchport general allowed vlan add ";
        return lines(command, command, vids, flag);
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
