/**
 * Counters in a mapped file: declared in one enum, written by the loops with plain stores, read by
 * tools while the node runs, hangs or is dead.
 */
package io.hxb.counter;
