/**
 * The ends of the network: sequence numbers, ordering arrays, acknowledgement, windows and
 * retransmission make an ordered, reliable flow from one context to another out of frames that
 * links lose, duplicate and reorder. Relays know nothing of flows. {@code FlowTable} has all flows
 * of a node; {@code FlowLoop} is the agent that sends and receives for one loop's share of them.
 *
 * <p>A receiver reports a frame that arrived twice, as DSACK does (RFC 2883). A source that had
 * retransmitted it then waits longer before it takes overtaken frames for lost: twice as long, up
 * to 16 times (RFC 8985, 6.2). Without that report, a source sent 43 % of all frames twice for up
 * to a second after a repair. The queues of its links differed by milliseconds.
 *
 * <p>An acknowledgement that left alone just before a frame of the other direction could have
 * travelled with it. After two of these in a row acknowledgements wait for up to 1.5 ms; one that
 * waited without success ends that. A longer delay for all flows would hold up programs that wait
 * until a send is done.
 *
 * <p>Messages of up to 4,096 bytes share a frame while their sender has more to send: a frame costs
 * each end 2 to 3 us, with 300 bytes in it as with 2,048. A flow that has ended is remembered for
 * its idle time and two peer time-outs. An answer about it names 16 runs of frames at most.
 */
package io.hxb.flow;
