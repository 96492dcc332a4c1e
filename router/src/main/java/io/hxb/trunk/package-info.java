/**
 * Parallel links of one dimension as one: who the neighbours on each link are, and which link the
 * next frame to a neighbour takes.
 */
package io.hxb.trunk;
