/**
 * Sockets of raw and UDP links: receiving in batches straight into pool buffers, and sending in
 * batches, and in trains, from where frames lie. Owned by one loop each.
 */
package io.hxb.link.socket;
