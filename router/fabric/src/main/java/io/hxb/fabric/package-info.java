/**
 * Switch graphs and the routes through them, as values without input or output.
 *
 * <p>Numbers are dense and start at 0. A {@link io.hxb.fabric.SwitchGraph} has switches, links (two
 * switches, parallel links allowed) and hosts (on one switch each); a {@link
 * io.hxb.fabric.SwitchGraphBuilder} checks and makes it. Link {@code l} is two opposite channels,
 * {@code 2l} from its first end to its second and {@code 2l + 1} back, so that {@code channel ^ 1}
 * is the opposite one. With {@code r} virtual channels, number {@code channel * r + v} is virtual
 * channel {@code v} of a channel. A {@link io.hxb.fabric.RouteSet} has one path, a row of virtual
 * channels, for every ordered pair of switches; a {@link io.hxb.fabric.RouteSetBuilder} takes the
 * pairs in ascending order. {@link io.hxb.fabric.EdgeList} reads and writes the simplest notation
 * of graphs, {@link io.hxb.fabric.Lattice} knows coordinates of meshes and tori, and {@code
 * generate} makes regular and random graphs.
 *
 * <pre>{@code
 * SwitchGraph graph = Lattice.torus(8, 8).graph(4);
 * for (int i = 0; i < graph.degree(s); i++) {
 *     int channel = graph.outgoing(s, i); // ascending by neighbour, then by link
 *     int neighbour = graph.target(channel);
 * }
 * RouteSet routes = ...;
 * for (int i = 0; i < routes.length(from, to); i++) {
 *     int channel = routes.channel(from, to, i);
 * }
 * }</pre>
 *
 * <p>Everything here is immutable once built and may be shared by threads; the problems of a graph
 * are thrown as one {@link io.hxb.fabric.GraphException}.
 */
package io.hxb.fabric;
