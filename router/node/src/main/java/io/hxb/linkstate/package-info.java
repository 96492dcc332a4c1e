/**
 * The map of a cluster whose nodes are joined by any cables. Neighbours tell one another, in
 * LINK_STATE frames, which nodes see which, until every node has the same records; the edges on
 * which both ends agree are the graph that routes are computed from. No threads and no clocks: time
 * is passed in.
 *
 * <p>Every node has the whole map, rather than distances that its neighbours report, because a
 * source needs several paths without a common edge, and because a failure is known everywhere after
 * one crossing of the network, without counting to infinity. 255 nodes with six cables each take
 * 150 kB of records.
 *
 * <p>Records are acknowledged by each neighbour, because a lost one would leave nodes with
 * different maps until the next refresh. Which of two records counts is one order of all records,
 * without clocks: so whatever is lost, late, repeated or forged, nodes that can exchange frames
 * agree in the end. Of two identities with one number the smaller one has it, not the older one:
 * that would need clocks that agree, and would change with each start. Records carry their age, so
 * that what dead nodes told ends after 100 s although cables come and go. A frame begins with an
 * entry of its sender, because acknowledgements of its earlier start can arrive late.
 *
 * <p>Source: J. Moy, OSPF Version 2, RFC 2328, 13, for flooding with acknowledgements; J. McQuillan
 * et al., The New Routing Algorithm for the ARPANET, 1980.
 */
package io.hxb.linkstate;
