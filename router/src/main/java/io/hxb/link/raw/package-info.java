/**
 * Links over AF_PACKET sockets: frames for this node arrive in pool buffers, frames to be relayed
 * in a ring shared with the kernel from whose slots they are sent on. Needs CAP_NET_RAW.
 */
package io.hxb.link.raw;
