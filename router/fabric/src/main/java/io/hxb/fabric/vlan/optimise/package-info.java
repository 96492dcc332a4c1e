/**
 * Chooses the VLAN of each pair of hosts for given traffic, to minimise the load of the busiest
 * link: exactly if the search ends in time, otherwise by local search, and always with a lower
 * bound.
 */
package io.hxb.fabric.vlan.optimise;
