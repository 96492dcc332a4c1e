/**
 * A host's paths through plain switches: its frames leave with the VID of their destination, and
 * frames of every VID of the plan come in. Source: VFREC-Net, sections 2 and 3.
 *
 * <p>A host with several NICs is a switch in the graph that forwards nothing for others, and each
 * of its links is a NIC. So a VLAN has one NIC of each host, and the VID of a frame chooses the
 * NIC: planner, optimiser, management server and path health need no second notion. A TAP device
 * has the host's addresses and outlives any of its NICs. Bonding chooses by a hash and does not
 * know whether a path is alive. All NICs of a host have one MAC address.
 *
 * <p>Where the kernel cannot tag, a TAP device gets copies of the NIC's addresses and routes.
 * Nothing moves, so a process that is killed leaves the host connected.
 */
package io.hxb.vlan;
