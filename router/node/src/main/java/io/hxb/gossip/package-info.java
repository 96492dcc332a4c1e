/**
 * What each node knows of all others. Neighbours tell one another, in SUMMARY frames, how they and
 * the nodes that they have heard of fare, so that every node of a machine has the whole cluster in
 * a file. The frames and bytes that this takes do not grow with the cluster; larger ones are only
 * seen later.
 */
package io.hxb.gossip;
