/**
 * Collective operations of programs on several nodes, which the nodes carry out: barriers,
 * broadcasts, and sums, minima and maxima over all members of a group.
 */
package io.hxb.pm.collective;
