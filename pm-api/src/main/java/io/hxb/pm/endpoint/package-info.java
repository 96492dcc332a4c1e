/**
 * The books that an application keeps on its end of a context: send slots, sends that failed,
 * messages held, and whether anybody waits and the node still lives. For {@code io.hxb.pm} alone.
 */
package io.hxb.pm.endpoint;
