/**
 * Health of a host's paths through plain switches: small frames in the VIDs themselves show which
 * carry frames in both directions, and a pair of hosts leaves one that does not.
 *
 * <p>Managers send a probe every 10 ms in the VID that a pair uses. Silence of 20 ms is a doubt:
 * three requests are sent to the host on this path and on two others. The path is dead if the host
 * replies there and not here. So a host that stands still moves nobody. Both ends use the first
 * path that neither finds dead, in the order of a hash of pair and VID; the plan's order would move
 * all pairs of a dead VID to the same next one. A verdict puts the paths of all hosts in that VID
 * in doubt, so 4,000 frames a second suffice for thousands of peers. Round trips have to be below 9
 * ms.
 *
 * <p>Broadcasts have no other end that could report whether they arrive. While a host broadcasts,
 * it sends a request to one host on each other leaf switch in its default VID, every 10 ms. It
 * moves to the VID in which the fewest of them are dead. Networks of more than 17 leaf switches are
 * not watched in full.
 */
package io.hxb.vlan.health;
