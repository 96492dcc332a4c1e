/**
 * The experiments of VFREC-Net on real switches in a lab: what flooding does while the two ends of
 * a pair disagree, and Kernel-CG by six ways of choosing paths.
 */
package io.hxb.bench.vlan;
