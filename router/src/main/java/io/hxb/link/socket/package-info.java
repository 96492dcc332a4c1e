/**
 * What raw and UDP links share: receiving in batches straight into pool buffers, and sending in
 * batches from where frames lie. Owned by one loop each.
 */
package io.hxb.link.socket;
