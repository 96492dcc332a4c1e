package io.hxb.fabric.vlan.config;

import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.config.SwitchSetup.Port;
import io.hxb.fabric.vlan.config.SwitchSetup.StaticMac;

import java.util.BitSet;
import java.util.List;

/**
 * A file for /etc/network/interfaces.d of Cumulus Linux (ifupdown2, VLAN-aware bridge); changes as
 * bridge commands. Source: NVIDIA, Cumulus Linux User Guide, VLAN-aware bridge mode.
 */
final class CumulusDialect extends LinuxDialect {
    @Override
    public String word() {
        return "cumulus";
    }

    @Override
    public String switches() {
        return "Cumulus Linux";
    }

    @Override
    public String fileEnding() {
        return ".intf";
    }

    @Override
    public BitSet reservedVids() {
        final BitSet reserved = new BitSet();
        reserved.set(3725, 4000); // Its reserved VLAN range, 3725-3999.
        return reserved;
    }

    @Override
    String numberedPort(final String switchName, final int number) {
        return "swp" + number;
    }

    @Override
    String writeFull(final SwitchSetup setup) {
        final StringBuilder text = new StringBuilder(heading("#", setup, ""));
        text.append("auto bridge\niface bridge\n    bridge-vlan-aware yes\n    bridge-ports");
        // A port without VLANs of its own would get those of the bridge, and close a loop.
        final List<Port> ports =
                setup.ports().stream().filter(port -> !port.vids().isEmpty()).toList();
        for (final Port port : ports) {
            text.append(' ').append(port(setup, port.name()));
        }
        text.append("\n    bridge-vids ").append(spaced(setup.vids()));
        text.append("\n    bridge-stp off\n    bridge-mcsnoop 0\n");
        for (final Port port : ports) {
            appendPort(text, setup, port);
        }
        return text.toString();
    }

    private void appendPort(final StringBuilder text, final SwitchSetup setup, final Port port) {
        final String name = port(setup, port.name());
        text.append("\n# ").append(port.peer()).append('\n');
        text.append("auto %1$s%niface %1$s%n".formatted(name));
        text.append("    bridge-vids ").append(spaced(port.vids())).append('\n');
        if (port.pvid() == 0) {
            text.append("    bridge-allow-untagged no\n");
        } else {
            text.append("    bridge-pvid ").append(port.pvid()).append('\n');
        }
        if (!setup.isLearning()) {
            text.append("    bridge-learning off\n    bridge-unicast-flood off\n");
        }
        final BitSet others = (BitSet) port.untagged().clone();
        others.clear(port.pvid());
        if (!others.isEmpty()) {
            for (final String range : VlanIds.ranges(others).split(",", -1)) {
                text.append(
                        "    post-up bridge vlan add dev %s vid %s untagged%n"
                                .formatted(name, range));
            }
        }
        for (final StaticMac entry : setup.macs()) {
            if (entry.port().equals(port.name())) {
                text.append("    post-up ").append(fdb(setup, entry)).append('\n');
            }
        }
    }

    private static String spaced(final BitSet vids) {
        return VlanIds.ranges(vids).replace(',', ' ');
    }
}
