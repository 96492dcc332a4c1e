/**
 * How a thread waits that has nothing to do, a node's or an application's: it spins while that pays
 * and sleeps otherwise. Internal.
 */
package io.hxb.pm.idle;
