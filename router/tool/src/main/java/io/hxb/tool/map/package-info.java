/**
 * {@code hxb map}: which nodes are cabled to which, as a node of this machine knows it, what is
 * wrong with that, and which cable would help most.
 */
package io.hxb.tool.map;
