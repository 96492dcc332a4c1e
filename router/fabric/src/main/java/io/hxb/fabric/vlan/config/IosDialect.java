package io.hxb.fabric.vlan.config;

import io.hxb.fabric.vlan.config.Changes.PortChange;
import io.hxb.fabric.vlan.config.SwitchSetup.Port;
import io.hxb.fabric.vlan.config.SwitchSetup.StaticMac;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Configuration commands in the style of Cisco IOS. Host-tagged plans use trunks, as Catalyst
 * switches have them; switch-tagged ones need ports in general mode, which Cisco Business and Small
 * Business switches have. Source: Cisco, Catalyst 9300 and 3560 Command References; Cisco 350
 * Series CLI Guide, chapters VLAN and Spanning-Tree.
 */
final class IosDialect extends CommandDialect {
    /** Kinds of switches that differ in what they are called and in a command. */
    enum Platform {
        CATALYST("ios", "Cisco IOS", "GigabitEthernet1/0/"),
        /** It also has ISL, so that a trunk has to name its encapsulation. */
        CATALYST_3560("ios:3560", "Cisco Catalyst 3560", "GigabitEthernet0/");

        private final String word;
        private final String switches;
        private final String port;

        Platform(final String word, final String switches, final String port) {
            this.word = word;
            this.switches = switches;
            this.port = port;
        }
    }

    private static final int FIRST_EXTENDED = 1006;
    private static final int FIRST_OF_NEXUS = 3968;

    private final Platform platform;

    IosDialect(final Platform platform) {
        this.platform = platform;
    }

    @Override
    public String word() {
        return platform.word;
    }

    @Override
    public String switches() {
        return platform.switches;
    }

    @Override
    public String fileEnding() {
        return ".ios";
    }

    @Override
    public BitSet reservedVids() {
        final BitSet reserved = new BitSet();
        reserved.set(1); // The native VLAN of trunks, whose frames have no tag.
        reserved.set(1002, 1006); // FDDI and Token Ring defaults, 1002-1005.
        return reserved;
    }

    @Override
    public List<String> warnings(final BitSet vids) {
        final List<String> warnings = new ArrayList<>();
        if (vids.length() > FIRST_EXTENDED) {
            warnings.add(
                    "VIDs from 1006 need 'vtp mode transparent' or VTP 3 on Catalyst switches, and"
                            + " routed ports take some for themselves: 'show vlan internal usage'");
        }
        if (vids.length() > FIRST_OF_NEXUS) {
            warnings.add(
                    "Nexus switches keep VIDs 3968-4094 for themselves; choose others with --vids,"
                            + " or move them with 'system vlan RANGE reserve'");
        }
        return warnings;
    }

    @Override
    String numberedPort(final String switchName, final int number) {
        return platform.port + number;
    }

    @Override
    String write(final SwitchSetup setup, final Changes changes, final boolean isFull) {
        final StringBuilder text = new StringBuilder(heading("!", setup, isFull));
        if (isFull && !setup.isLearning()) {
            text.append("! For ports in general mode (Cisco Business 220/250/350, Small Business)");
            text.append(".\n! Spanning tree goes off for ports outside the plan, too: no cables");
            text.append(" between those.\n");
        }
        text.append("configure terminal\n");
        for (final StaticMac entry : changes.removedMacs()) {
            text.append("no ").append(address(setup, entry)).append('\n');
        }
        appendNewVlans(text, setup, changes.addedVids());
        for (final Port port : changes.removedPorts()) {
            appendRemoval(text, setup, port);
        }
        for (final PortChange change : changes.ports()) {
            appendPort(text, setup, change);
        }
        appendProtocols(text, setup, changes, isFull);
        for (final StaticMac entry : changes.addedMacs()) {
            text.append(address(setup, entry)).append(setup.isLearning() ? "" : " permanent");
            text.append('\n');
        }
        appendOldVlans(text, setup, changes.removedVids());
        return text.append("end\n").toString();
    }

    private static void appendNewVlans(
            final StringBuilder text, final SwitchSetup setup, final BitSet vids) {
        if (setup.isLearning()) {
            text.append(lines("vlan ", " exit\nvlan ", vids, "")).append(exit(vids));
        } else if (!vids.isEmpty()) {
            text.append("vlan database\n").append(lines("vlan ", "vlan ", vids, ""));
            text.append("exit\n");
        }
    }

    private static String exit(final BitSet vids) {
        return vids.isEmpty() ? "" : " exit\n";
    }

    /** What is gone of a VLAN includes that its spanning tree is off. */
    private static void appendOldVlans(
            final StringBuilder text, final SwitchSetup setup, final BitSet vids) {
        if (setup.isLearning()) {
            text.append(lines("no vlan ", "no vlan ", vids, ""));
            text.append(lines("spanning-tree vlan ", "spanning-tree vlan ", vids, ""));
            vids.stream().forEach(vid -> text.append("ip igmp snooping vlan " + vid + "\n"));
        } else if (!vids.isEmpty()) {
            text.append("vlan database\n").append(lines("no vlan ", "no vlan ", vids, ""));
            text.append("exit\n");
        }
    }

    /**
     * Spanning tree goes off when all ports are confined to their VLANs: trunks are members of all
     * VLANs before, and ports of VLAN 1. Multicast is not pruned, since the listeners of a group
     * answer in other VLANs than those it is sent in.
     */
    private static void appendProtocols(
            final StringBuilder text,
            final SwitchSetup setup,
            final Changes changes,
            final boolean isFull) {
        if (setup.isLearning()) {
            final String off = "no spanning-tree vlan ";
            text.append(lines(off, off, changes.addedVids(), ""));
            changes.addedVids().stream()
                    .forEach(vid -> text.append("no ip igmp snooping vlan " + vid + "\n"));
        } else if (isFull) {
            text.append("no spanning-tree\nspanning-tree bpdu filtering\n");
            text.append("no ip igmp snooping\nno bridge multicast filtering\n");
            setup.vids().stream()
                    .forEach(vid -> text.append("no mac address-table static vlan " + vid + "\n"));
        }
    }

    /** Without spanning tree a port must not be in VLAN 1, as its default would have it. */
    private void appendRemoval(final StringBuilder text, final SwitchSetup setup, final Port port) {
        final String name = port(setup, port.name());
        if (setup.isLearning()) {
            text.append("default interface %s%n".formatted(name));
        } else {
            text.append("interface %s%n".formatted(name));
            text.append(removal(port.vids())).append(" exit\n");
        }
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

    private void appendTrunk(final StringBuilder text, final PortChange change) {
        final String add = " switchport trunk allowed vlan add ";
        if (!change.isNew()) {
            final String remove = " switchport trunk allowed vlan remove ";
            text.append(lines(remove, remove, change.removed(), ""));
            text.append(lines(add, add, change.changed(true), ""));
            return;
        }
        text.append(" switchport\n");
        if (platform == Platform.CATALYST_3560) {
            text.append(" switchport trunk encapsulation dot1q\n");
        }
        text.append(" switchport mode trunk\n switchport nonegotiate\n");
        final BitSet vids = change.after().tagged();
        text.append(
                vids.isEmpty()
                        ? " switchport trunk allowed vlan none\n"
                        : lines(" switchport trunk allowed vlan ", add, vids, ""));
    }

    private static void appendGeneral(final StringBuilder text, final PortChange change) {
        final Port port = change.after();
        if (change.isNew()) {
            text.append(" switchport mode general\n");
            text.append(" switchport general allowed vlan remove 1\n");
        }
        text.append(removal(change.removed()));
        text.append(addition(change.changed(true), " tagged"));
        text.append(addition(change.changed(false), " untagged"));
        if (port.pvid() != 0 && change.isNewPvid()) {
            text.append(" switchport general pvid %d%n".formatted(port.pvid()));
        } else if (port.pvid() == 0 && change.isNew()) {
            text.append(" switchport general acceptable-frame-type tagged-only\n");
        }
    }

    private static String removal(final BitSet vids) {
        final String command = " switchport general allowed vlan remove ";
        return lines(command, command, vids, "");
    }

    private static String addition(final BitSet vids, final String flag) {
        final String command = " switchport general allowed vlan add ";
        return lines(command, command, vids, flag);
    }

    private String address(final SwitchSetup setup, final StaticMac entry) {
        final String plain = mac(entry.mac(), "");
        return "mac address-table static %s.%s.%s vlan %d interface %s"
                .formatted(
                        plain.substring(0, 4),
                        plain.substring(4, 8),
                        plain.substring(8),
                        entry.vid(),
                        port(setup, entry.port()));
    }
}
