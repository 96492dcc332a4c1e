package io.hxb.fabric.vlan.config;

import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/**
 * The setup of one switch. Immutable.
 *
 * @param name of the switch.
 * @param isLearning whether it goes on learning MAC addresses and flooding unknown ones: where
 *     hosts tag. Where switches tag it must not.
 * @param ports all its ports in use.
 * @param macs static MAC addresses, ascending.
 */
public record SwitchSetup(String name, boolean isLearning, List<Port> ports, List<StaticMac> macs) {
    /** Copies the lists. */
    public SwitchSetup {
        ports = List.copyOf(ports);
        macs = List.copyOf(macs);
    }

    /**
     * A port.
     *
     * @param name as the graph has it.
     * @param number of the port within the switch, from 1.
     * @param peer what is plugged in, for comments.
     * @param isHost whether that is a host.
     * @param pvid VID for frames without a tag, 0 when such frames are not accepted.
     * @param untagged VIDs whose frames leave without a tag.
     * @param tagged VIDs whose frames leave with a tag.
     */
    public record Port(
            String name,
            int number,
            String peer,
            boolean isHost,
            int pvid,
            BitSet untagged,
            BitSet tagged) {
        /** All VIDs of the port, a new set. */
        public BitSet vids() {
            final BitSet all = (BitSet) untagged.clone();
            all.or(tagged);
            return all;
        }
    }

    /**
     * A static entry of the MAC table.
     *
     * @param vid the VLAN.
     * @param mac 48 bits.
     * @param port name of the port towards the host.
     */
    public record StaticMac(int vid, long mac, String port) implements Comparable<StaticMac> {
        private static final Comparator<StaticMac> ORDER =
                Comparator.comparingInt(StaticMac::vid)
                        .thenComparingLong(StaticMac::mac)
                        .thenComparing(StaticMac::port);

        @Override
        public int compareTo(final StaticMac other) {
            return ORDER.compare(this, other);
        }
    }

    /** A switch that has not been set up. */
    static SwitchSetup blank(final SwitchSetup like) {
        return new SwitchSetup(like.name, like.isLearning, List.of(), List.of());
    }

    /** All VIDs on the switch, a new set. */
    public BitSet vids() {
        final BitSet all = new BitSet();
        ports.forEach(port -> all.or(port.vids()));
        return all;
    }

    /** The port of that name, or null. */
    public Port port(final String portName) {
        return ports.stream().filter(port -> port.name.equals(portName)).findAny().orElse(null);
    }
}
