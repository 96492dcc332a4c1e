/**
 * Relaying in the kernel: a BPF program at each NIC does with most frames to be relayed what {@link
 * io.hxb.forward.Forwarder} would do, and leaves the rest to it.
 */
package io.hxb.forward.kernel;
