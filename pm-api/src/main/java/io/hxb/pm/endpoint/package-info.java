/**
 * The books that an application keeps on its end of a context: send slots, sends that failed,
 * messages held, whether anybody waits, which node it is and whether it still lives. For {@code
 * io.hxb.pm} alone.
 */
package io.hxb.pm.endpoint;
