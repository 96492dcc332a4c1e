/**
 * Trees of links, each to become one VLAN, and which of them each host sends in. Makers of trees
 * exist for lattices, fat trees and Clos networks, for any graph by Up*&#47;Down*, and for any set
 * of routes; trees that do not contradict each other are merged.
 */
package io.hxb.fabric.vlan.tree;
