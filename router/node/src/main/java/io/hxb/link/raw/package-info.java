/**
 * Links over AF_PACKET sockets: frames for this node arrive in pool buffers, frames to be relayed
 * in a ring shared with the kernel from whose slots they are sent on. Needs CAP_NET_RAW.
 *
 * <p>The two kinds of frames need different memory. A frame for an application stays in its buffer
 * until it is released, in any order. Slots of the ring are freed in ring order only. Short first
 * frames of flows with at most 8 frames in flight come by the ring as well: a lone message waits
 * for system calls, not for its copy. The ring has 512 slots, so 64 such sources fit.
 *
 * <p>A wire delivers frames one by one. While bulk data arrives by IP, the kernel keeps frames of a
 * link for up to 300 us, so that it can join them (gro_flush_timeout). Bulk means that each receive
 * of the last second found four frames or more, and 2,000 at least. An exchange of messages finds
 * one each time and must not wait. A time that somebody has set is left alone.
 */
package io.hxb.link.raw;
