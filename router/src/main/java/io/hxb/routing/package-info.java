/**
 * The way of a frame from node to node: dimension order and detours, the next hop as a pure
 * function of the frame's route and two coordinate vectors, and the search for ways around hops
 * that cannot be used.
 */
package io.hxb.routing;
