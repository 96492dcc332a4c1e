/**
 * Spanning trees of a switch graph and the directions they give to channels: breadth-first trees,
 * Sancho's depth-first trees with the choice of a root, up and down, and the two-dimensional H/V
 * graph.
 */
package io.hxb.fabric.tree;
