/**
 * How a thread of a node or an application waits when it has nothing to do: it spins while that
 * pays and sleeps otherwise. Internal.
 */
package io.hxb.pm.idle;
