package io.hxb.fabric.vlan.config;

import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.config.Changes.PortChange;
import io.hxb.fabric.vlan.config.SwitchSetup.Port;
import io.hxb.fabric.vlan.config.SwitchSetup.StaticMac;

import java.util.BitSet;
import java.util.List;

/**
 * A file for /etc/network/interfaces.d of Cumulus Linux (ifupdown2, VLAN-aware bridge). Source:
 * NVIDIA, Cumulus Linux User Guide, VLAN-aware bridge mode; Reserved VLAN Range and Limitations.
 */
final class CumulusDialect extends LinuxDialect {
    /** Removes the static addresses of the plan before. */
    private static final String FORGET =
            "bridge fdb show br bridge | awk '/ vlan .* static$/"
                    + " {print \"fdb del\", $1, \"dev\", $3, \"vlan\", $5, \"master static\"}'"
                    + " | bridge -force -batch -";

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
        reserved.set(3725, 4000); // The default of 4.4 and 5: 3725-3999.
        return reserved;
    }

    @Override
    String numberedPort(final String switchName, final int number) {
        return "swp" + number;
    }

    @Override
    public List<String> warnings(final BitSet vids) {
        final BitSet older = new BitSet();
        older.set(3600, 3725);
        older.and(vids);
        return older.isEmpty()
                ? List.of()
                : List.of(
                        "Cumulus Linux 4.3 and older keeps VIDs 3600-3999 for itself, and the plan"
                                + " uses "
                                + VlanIds.ranges(older)
                                + "; choose others with --vids, or move resv_vlan_range");
    }

    @Override
    String writeFull(final SwitchSetup setup) {
        return write(setup, "");
    }

    /** The file again, whole: ifreload finds out what changes, and the next start needs it all. */
    @Override
    String writeChanges(final SwitchSetup before, final SwitchSetup after, final Changes changes) {
        return changes.isEmpty() ? "" : write(after, "after changes ");
    }

    private String write(final SwitchSetup setup, final String what) {
        final StringBuilder text = new StringBuilder(heading("#", setup, what));
        text.append("# Put it into /etc/network/interfaces.d instead of the one before, then");
        text.append(" ifreload -a.\n");
        text.append("auto bridge\niface bridge\n    bridge-vlan-aware yes\n    bridge-ports");
        // A port without VLANs of its own would get those of the bridge, and close a loop.
        final List<Port> ports =
                setup.ports().stream().filter(port -> !port.vids().isEmpty()).toList();
        for (final Port port : ports) {
            text.append(' ').append(port(setup, port.name()));
        }
        text.append("\n    bridge-vids ").append(spaced(setup.vids()));
        text.append("\n    bridge-stp off\n    bridge-mcsnoop 0\n");
        appendCommands(text, setup, ports);
        for (final Port port : ports) {
            appendPort(text, setup, port);
        }
        return text.toString();
    }

    /**
     * What ifupdown2 has no words for. The commands are the bridge's, since a port is not in it yet
     * when its own run. Tags are stated at every port: reloads leave those of the plan before.
     */
    private void appendCommands(
            final StringBuilder text, final SwitchSetup setup, final List<Port> ports) {
        text.append("    post-up ").append(FORGET).append('\n');
        for (final Port port : ports) {
            memberships(setup, new PortChange(null, port))
                    .forEach(line -> text.append("    post-up " + line + "\n"));
        }
        for (final StaticMac entry : setup.macs()) {
            text.append("    post-up ").append(fdb(setup, entry)).append('\n');
        }
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
        final String isOn = setup.isLearning() ? "on" : "off";
        text.append("    bridge-learning %1$s%n    bridge-unicast-flood %1$s%n".formatted(isOn));
    }

    private static String spaced(final BitSet vids) {
        return VlanIds.ranges(vids).replace(',', ' ');
    }
}
