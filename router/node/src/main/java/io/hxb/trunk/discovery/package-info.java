/**
 * Finds the neighbours on every link by hello frames, and describes what is wrong with the cabling.
 *
 * <p>A neighbour is missed on a link that has been up for five hello intervals. It is missed on one
 * of several links when another has heard it for as long. Links hear a neighbour one after the
 * other, so an earlier finding would be true for milliseconds only.
 *
 * <p>With a key, a hello sealed in a session with a new incarnation moves a neighbour to another
 * address at once. That happens only once in the time that it takes to forget a neighbour. Without
 * a key its old address has to be silent for five hello intervals: a node that stands still for 150
 * ms is ordinary, and a stranger who is believed then stays.
 */
package io.hxb.trunk.discovery;
