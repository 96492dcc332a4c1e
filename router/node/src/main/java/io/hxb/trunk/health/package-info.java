/**
 * Judges the links to the neighbours by what arrives on them, agrees with each neighbour on which
 * are used, and notifies listeners of links that fail and recover.
 *
 * <p>Reports may be read late, because a relay in the kernel counts frames before the loop reads
 * the report. So loss is what exceeds the highest deficit of the last four measurements. If frames
 * of a failed link arrive within 10 ms, the node waits twice as long the next time, up to 24 ms. A
 * node that sends little reports every 32 frames received, at most once a millisecond, over two
 * links at once.
 *
 * <p>Only numbered heartbeats heal a link. Other status frames come in bursts, and three of them
 * within a millisecond would heal one.
 */
package io.hxb.trunk.health;
