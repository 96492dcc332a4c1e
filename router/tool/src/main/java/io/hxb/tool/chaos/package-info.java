/**
 * {@code hxb chaos}: makes links and nodes of a lab fail by a script or at random while messages
 * flow, and reports the effect.
 *
 * <p>Cables fail by BPF programs on the TCX hooks of the switch port: a cable pulled beyond a
 * switch leaves the carrier up, so frames have to vanish in the middle. At the node's own NIC the
 * sender would see errors, or packet sockets the frames. The kernel removes the programs when the
 * process ends, so no lab stays broken. netem and tc actions are missing in many small kernels, and
 * nftables cannot damage frames.
 */
package io.hxb.tool.chaos;
