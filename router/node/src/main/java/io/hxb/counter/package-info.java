/**
 * Counters, declared in one enum and written by the loops with plain stores, and the file with a
 * copy of them, which tools read while the node runs, hangs or is dead.
 *
 * <p>Loops count in private memory. One thread of the process copies what has changed to the file
 * every 25 ms, and all of it once a second. A mapped file could be truncated by anybody who may
 * write it; the JVM then throws an error at a later point of compiled code, where nothing can catch
 * it. A disk that saves the page would stop the loop. A node that is killed leaves counts up to 25
 * ms old.
 */
package io.hxb.counter;
