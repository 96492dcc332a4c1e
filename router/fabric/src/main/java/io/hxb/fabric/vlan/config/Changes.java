package io.hxb.fabric.vlan.config;

import io.hxb.fabric.vlan.config.SwitchSetup.Port;
import io.hxb.fabric.vlan.config.SwitchSetup.StaticMac;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeSet;

/**
 * The differences between two setups of one switch, in the order in which they can be made:
 * addresses out, VLANs in, ports, addresses in, VLANs out. Immutable.
 *
 * @param removedMacs static addresses to remove.
 * @param addedVids VLANs that are new on the switch.
 * @param removedPorts ports that are no longer in use.
 * @param ports ports that are new or changed.
 * @param addedMacs static addresses to add.
 * @param removedVids VLANs that are no longer on the switch.
 */
record Changes(
        List<StaticMac> removedMacs,
        BitSet addedVids,
        List<Port> removedPorts,
        List<PortChange> ports,
        List<StaticMac> addedMacs,
        BitSet removedVids) {

    /**
     * A port before and after.
     *
     * @param before null for a new one.
     */
    record PortChange(Port before, Port after) {
        boolean isNew() {
            return before == null;
        }

        /** VIDs that it is a new member of, or in another way than before. */
        BitSet changed(final boolean isTagged) {
            final BitSet vids = (BitSet) (isTagged ? after.tagged() : after.untagged()).clone();
            if (before != null) {
                vids.andNot(isTagged ? before.tagged() : before.untagged());
            }
            return vids;
        }

        /** VIDs that it is no longer a member of. */
        BitSet removed() {
            final BitSet vids = before == null ? new BitSet() : before.vids();
            vids.andNot(after.vids());
            return vids;
        }

        boolean isNewPvid() {
            return after.pvid() != (before == null ? 0 : before.pvid());
        }
    }

    static Changes between(final SwitchSetup before, final SwitchSetup after) {
        final TreeSet<StaticMac> removedMacs = new TreeSet<>(before.macs());
        after.macs().forEach(removedMacs::remove);
        final TreeSet<StaticMac> addedMacs = new TreeSet<>(after.macs());
        before.macs().forEach(addedMacs::remove);
        final BitSet addedVids = after.vids();
        addedVids.andNot(before.vids());
        final BitSet removedVids = before.vids();
        removedVids.andNot(after.vids());
        final List<Port> removedPorts =
                before.ports().stream().filter(port -> after.port(port.name()) == null).toList();
        final List<PortChange> ports = new ArrayList<>();
        for (final Port port : after.ports()) {
            final PortChange change = new PortChange(before.port(port.name()), port);
            if (change.isNew()
                    || change.isNewPvid()
                    || !port.tagged().equals(change.before.tagged())
                    || !port.untagged().equals(change.before.untagged())) {
                ports.add(change);
            }
        }
        return new Changes(
                List.copyOf(removedMacs),
                addedVids,
                removedPorts,
                ports,
                List.copyOf(addedMacs),
                removedVids);
    }

    boolean isEmpty() {
        return removedMacs.isEmpty()
                && addedVids.isEmpty()
                && removedPorts.isEmpty()
                && ports.isEmpty()
                && addedMacs.isEmpty()
                && removedVids.isEmpty();
    }
}
