/**
 * Chooses the VLAN of each pair of hosts for given traffic, so that the busiest link carries least:
 * exactly where the search ends in time, else by local search, always with a lower bound beside it.
 */
package io.hxb.fabric.vlan.optimise;
