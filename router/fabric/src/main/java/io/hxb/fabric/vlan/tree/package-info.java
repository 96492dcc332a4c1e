/**
 * Trees of links, each of which becomes a VLAN, and the tree in which each host sends. There are
 * generators for lattices, fat trees and Clos networks, for any graph by Up*&#47;Down*, and for any
 * set of routes; trees whose union has no loop are merged.
 */
package io.hxb.fabric.vlan.tree;
