/**
 * The ends of the network: sequence numbers, ordering arrays, acknowledgement, windows and
 * retransmission make an ordered, reliable flow from one context to another out of frames that
 * links lose, duplicate and reorder. Relays know nothing of flows. {@code FlowTable} has all flows
 * of a node; {@code FlowLoop} is the agent that sends and receives for one loop's share of them.
 */
package io.hxb.flow;
