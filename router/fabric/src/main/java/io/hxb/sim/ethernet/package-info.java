/**
 * The Ethernet mode: switches that store and forward frames, learn MAC addresses per VLAN, flood
 * what they do not know, and drop frames or send PAUSE when their buffers are full; also the
 * hyper-crossbar, whose nodes relay. Channels are numbered as in the flit-level model.
 */
package io.hxb.sim.ethernet;
