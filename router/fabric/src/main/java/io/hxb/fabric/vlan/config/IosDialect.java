package io.hxb.fabric.vlan.config;

import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.config.Changes.PortChange;
import io.hxb.fabric.vlan.config.SwitchSetup.Port;
import io.hxb.fabric.vlan.config.SwitchSetup.StaticMac;

import java.util.BitSet;

/**
 * Configuration commands in the style of Cisco IOS. Host-tagged plans use trunks, as Catalyst
 * switches have them; switch-tagged ones need ports in general mode, which Cisco Business and Small
 * Business switches have. Source: Cisco, Catalyst 9300 Command Reference; Cisco 350 Series CLI
 * Guide, chapter VLAN.
 */
final class IosDialect extends CommandDialect {
    @Override
    public String word() {
        return "ios";
    }

    @Override
    public String switches() {
        return "Cisco IOS";
    }

    @Override
    public String fileEnding() {
        return ".ios";
    }

    @Override
    public BitSet reservedVids() {
        final BitSet reserved = new BitSet();
        reserved.set(1002, 1006); // FDDI and Token Ring defaults, 1002-1005.
        return reserved;
    }

    @Override
    String numberedPort(final String switchName, final int number) {
        return "GigabitEthernet1/0/" + number;
    }

    @Override
    String write(final SwitchSetup setup, final Changes changes, final String what) {
        final StringBuilder text = new StringBuilder(heading("!", setup, what));
        if (!setup.isLearning()) {
            text.append(
                    "! Needs ports in general mode (Cisco Business 220/250/350, Small"
                            + " Business).\n");
        }
        for (final StaticMac entry : changes.removedMacs()) {
            text.append("no ").append(address(setup, entry)).append('\n');
        }
        if (!changes.addedVids().isEmpty()) {
            final String vids = VlanIds.ranges(changes.addedVids());
            text.append("vlan %s%n exit%n".formatted(vids));
            text.append(setup.isLearning() ? "no spanning-tree vlan " + vids : "no spanning-tree");
            text.append('\n');
        }
        for (final PortChange change : changes.ports()) {
            appendPort(text, setup, change);
        }
        for (final Port port : changes.removedPorts()) {
            text.append("default interface %s%n".formatted(port(setup, port.name())));
        }
        for (final StaticMac entry : changes.addedMacs()) {
            text.append(address(setup, entry)).append('\n');
        }
        if (!changes.removedVids().isEmpty()) {
            text.append("no vlan %s%n".formatted(VlanIds.ranges(changes.removedVids())));
        }
        return text.append("end\n").toString();
    }

    private void appendPort(
            final StringBuilder text, final SwitchSetup setup, final PortChange change) {
        final Port port = change.after();
        text.append("interface %s%n".formatted(port(setup, port.name())));
        if (change.isNew()) {
            text.append(" description %s%n".formatted(port.peer()));
        }
        if (setup.isLearning()) {
            appendTrunk(text, change);
        } else {
            appendGeneral(text, change);
        }
        text.append(" exit\n");
    }

    private static void appendTrunk(final StringBuilder text, final PortChange change) {
        if (change.isNew()) {
            final String vids = VlanIds.ranges(change.after().tagged());
            text.append(" switchport mode trunk\n switchport nonegotiate\n");
            text.append(
                    " switchport trunk allowed vlan %s%n"
                            .formatted(vids.isEmpty() ? "none" : vids));
            return;
        }
        appendVids(text, " switchport trunk allowed vlan add ", change.changed(true), "");
        appendVids(text, " switchport trunk allowed vlan remove ", change.removed(), "");
    }

    private static void appendGeneral(final StringBuilder text, final PortChange change) {
        final Port port = change.after();
        if (change.isNew()) {
            text.append(" switchport mode general\n");
            if (!port.vids().get(1)) {
                text.append(" switchport general allowed vlan remove 1\n");
            }
        }
        appendVids(text, " switchport general allowed vlan remove ", change.removed(), "");
        appendVids(text, " switchport general allowed vlan add ", change.changed(true), " tagged");
        appendVids(
                text, " switchport general allowed vlan add ", change.changed(false), " untagged");
        if (port.pvid() != 0 && change.isNewPvid()) {
            text.append(" switchport general pvid %d%n".formatted(port.pvid()));
        } else if (port.pvid() == 0 && change.isNew()) {
            text.append(" switchport general acceptable-frame-type tagged-only\n");
        }
    }

    private static void appendVids(
            final StringBuilder text, final String command, final BitSet vids, final String flag) {
        if (!vids.isEmpty()) {
            text.append(command).append(VlanIds.ranges(vids)).append(flag).append('\n');
        }
    }

    private String address(final SwitchSetup setup, final StaticMac entry) {
        final String plain = mac(entry.mac(), "");
        return "mac address-table static %s.%s.%s vlan %d interface %s%s"
                .formatted(
                        plain.substring(0, 4),
                        plain.substring(4, 8),
                        plain.substring(8),
                        entry.vid(),
                        port(setup, entry.port()),
                        setup.isLearning() ? "" : " permanent");
    }
}
