/**
 * The flit-level model: switches with input-queued virtual channels, a crossbar and credits, hosts
 * with queues, and the loop that advances them cycle by cycle.
 *
 * <p>A <em>lane</em> is one virtual channel of one channel: number {@code channel * lanes + v}.
 * Channels are numbered as in {@link io.hxb.fabric.SwitchGraph}, then one from each host into its
 * switch, then one to each host. A lane has a buffer at its end; the lane at its start that feeds
 * it, or the host, is its owner from a packet's header to its tail. Nothing here is an object per
 * flit or packet: a buffer is a count of flits and a short ring of packet numbers, and switches
 * without flits to move cost nothing.
 */
package io.hxb.sim.flit;
