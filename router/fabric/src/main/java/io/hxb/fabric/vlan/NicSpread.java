package io.hxb.fabric.vlan;

import java.util.Arrays;

/**
 * Spreads the pairs of hosts over the NICs that each of them has. The VLAN of a pair is that of the
 * host that decides, or the one in its place among the VLANs of another NIC: pairs take the NICs in
 * turn, by the sum of their numbers. So the table still has a row for each host. VLANs are numbers
 * from 0. Immutable.
 */
public final class NicSpread {
    /** Hosts with one NIC: the VLAN of a pair is that of the host that decides. */
    public static final NicSpread NONE = new NicSpread(new int[0]);

    private final int[] nics;
    private final int[] places;
    private final int[][] vlans;

    private NicSpread(final int[] nics) {
        this.nics = nics;
        places = new int[nics.length];
        vlans = new int[Arrays.stream(nics).max().orElse(0) + 1][];
        Arrays.fill(vlans, new int[0]);
        for (int vlan = 0; vlan < nics.length; vlan++) {
            final int[] grown = Arrays.copyOf(vlans[nics[vlan]], vlans[nics[vlan]].length + 1);
            places[vlan] = grown.length - 1;
            grown[grown.length - 1] = vlan;
            vlans[nics[vlan]] = grown;
        }
    }

    /**
     * Spreads over the NICs of VLANs.
     *
     * @param nics NIC of each VLAN, {@code [VLANs]}; every NIC has one or more.
     */
    public static NicSpread of(final int... nics) {
        final NicSpread spread = new NicSpread(nics.clone());
        for (int nic = 0; nic < spread.vlans.length && nics.length > 0; nic++) {
            if (spread.vlans[nic].length == 0) {
                throw new IllegalArgumentException("no VLAN has NIC " + nic);
            }
        }
        return spread;
    }

    /** NICs of each host. */
    public int nicCount() {
        return vlans.length;
    }

    /** The NIC of a VLAN. */
    public int nic(final int vlan) {
        return nics.length == 0 ? 0 : nics[vlan];
    }

    /**
     * The VLAN of a pair.
     *
     * @param own VLAN of the host that decides.
     */
    public int vlan(final int own, final int a, final int b) {
        return vlans.length == 1 ? own : inPlace(own, nics[own] + a + b);
    }

    /** The VLAN that a host has to have so that a pair for which it decides gets this one. */
    int own(final int vlan, final int a, final int b) {
        return vlans.length == 1 ? vlan : inPlace(vlan, nics[vlan] - a - b);
    }

    private int inPlace(final int vlan, final int turn) {
        final int[] others = vlans[Math.floorMod(turn, vlans.length)];
        return others[places[vlan] % others.length];
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof NicSpread spread && Arrays.equals(nics, spread.nics);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(nics);
    }

    /** The NICs of the VLANs. */
    @Override
    public String toString() {
        return "NICs " + Arrays.toString(nics);
    }
}
