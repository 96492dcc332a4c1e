/**
 * Counters, declared in one enum and written by the loops with plain stores, and the file with a
 * copy of them, which tools read while the node runs, hangs or is dead.
 *
 * <p>Each loop counts in a {@link io.hxb.counter.CounterBlock} of its own, indexed by {@link
 * io.hxb.counter.CounterType}, with plain stores. It publishes the block as one to the node's
 * {@link io.hxb.counter.Counters}, which add up the blocks when they are read. A new counter is a
 * constant of {@code CounterType} and the line that counts.
 *
 * <p>Published blocks are in private memory. One thread of the process copies what has changed to
 * the file every 25 ms, and all of it once a second. A mapped file could be truncated by anybody
 * who may write it; the JVM then throws an error at a later point of compiled code, where nothing
 * can catch it. A disk that saves the page would stop the loop. A node that is killed leaves counts
 * up to 25 ms old.
 */
package io.hxb.counter;
