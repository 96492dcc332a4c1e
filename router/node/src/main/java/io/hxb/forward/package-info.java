/**
 * The path of a frame through the node: classify it, deliver it to the flows or relay it from the
 * buffer it arrived in; route what this node sends itself.
 */
package io.hxb.forward;
