/**
 * {@code hxb init}: finds out which machines the NICs of this one lead to, and writes a first
 * cluster file.
 *
 * <p>Every quarter of a second it broadcasts on each free NIC all that it knows of machines, NICs,
 * and which NIC heard which. So each machine learns the whole cabling, also beyond its own cables,
 * and all write the same file: it ends when nothing new comes and all machines that answer know the
 * same. The machine whose name sorts first is the origin. Frames have the OUI extended EtherType
 * (0x88B7), so running nodes do not see them. LLDP shows one hop and is rarely sent by hosts, and a
 * server would need a network first. NICs with the default route are left alone. Bounds: 8,192
 * machines, NICs and sightings each, 64 frames a NIC and round.
 */
package io.hxb.tool.init;
