/**
 * Counters, declared in one enum and written by the loops with plain stores, and the file with a
 * copy of them, which tools read while the node runs, hangs or is dead.
 */
package io.hxb.counter;
