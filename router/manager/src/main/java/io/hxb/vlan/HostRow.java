package io.hxb.vlan;

/**
 * A host's row in the table of initial paths. Two hosts use, in both directions, the VID of the one
 * with the lower rank: switches learn addresses VLAN by VLAN, and flood what they have not learnt.
 * Source: VFREC-Net, section 2.3.
 *
 * @param name of the host.
 * @param mac its address, first byte highest.
 * @param vid its default VID, also of its broadcasts and of frames to hosts without a row.
 * @param rank its priority, 0 the highest; no two hosts have the same.
 */
public record HostRow(String name, long mac, int vid, int rank) {}
