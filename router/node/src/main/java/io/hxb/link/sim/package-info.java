/**
 * Links that exist in memory only, over a network with virtual time and seeded faults: whole
 * clusters of real node code run in one thread and a failure is replayed by its seed.
 */
package io.hxb.link.sim;
