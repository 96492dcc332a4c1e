/**
 * The ends of the network: sequence numbers, ordering arrays, acknowledgement, windows and
 * retransmission make an ordered, reliable flow from one context to another out of frames that
 * links lose, double and reorder. Relays know nothing of it.
 */
package io.hxb.flow;
