/**
 * The map of a cluster whose nodes are joined by any cables. Neighbours tell one another, in
 * LINK_STATE frames, which nodes see which, until every node has the same records; the edges on
 * which both ends agree are the graph that routes are computed from.
 *
 * <p>Source: J. Moy, OSPF Version 2, RFC 2328, 13, for flooding with acknowledgements; J. McQuillan
 * et al., The New Routing Algorithm for the ARPANET, 1980.
 */
package io.hxb.linkstate;
