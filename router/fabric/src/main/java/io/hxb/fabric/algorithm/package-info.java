/**
 * Deadlock-free routing on any graph: turns prohibited over spanning trees, layers of virtual
 * channels, paths packed into acyclic layers, escape paths, and packets taken out on the way. Every
 * algorithm is a factory of a {@link io.hxb.fabric.route.Routing}.
 *
 * <p>Choices where the papers leave one: path selection keeps at most 8 candidates of a pair,
 * spread over all its shortest paths; 256 improve the busiest channel of tori and hypercubes by up
 * to 14 % and take 20 to 60 times as long. LASH tries two shortest paths of a pair and fills a
 * layer before it opens the next; with balanced paths, and in {@code dfsssp}, paths then move from
 * fuller layers to emptier ones. {@code updown-dfs} tries every switch as the root, and above 128
 * switches those with the most links. {@code in-transit} takes packets out only at switches with
 * hosts.
 */
package io.hxb.fabric.algorithm;
