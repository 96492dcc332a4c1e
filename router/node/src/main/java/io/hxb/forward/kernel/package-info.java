/**
 * Relaying in the kernel: a BPF program at each NIC treats most frames to be relayed as {@link
 * io.hxb.forward.Forwarder} would, and leaves the rest to it.
 */
package io.hxb.forward.kernel;
