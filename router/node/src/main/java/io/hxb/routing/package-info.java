/**
 * The route of a frame from node to node: dimension order and detours, the next hop as a pure
 * function of the frame's route and two coordinate vectors, and the search for routes around failed
 * hops.
 */
package io.hxb.routing;
