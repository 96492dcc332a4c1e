/**
 * Sockets of raw and UDP links: receiving in batches straight into pool buffers, and sending in
 * batches, and in trains, from where frames lie. Owned by one loop each.
 *
 * <p>A link whose kernel or NIC refuses a GSO batch (EIO, EINVAL, EMSGSIZE, EOPNOTSUPP) sends frame
 * by frame until the node restarts. A log line, a counter and a finding of {@code hxb doctor}
 * report it. For 256 batches after a lone message, batches have four frames at most. After two
 * received batches of another size, buffers are offered in pieces of that size.
 */
package io.hxb.link.socket;
