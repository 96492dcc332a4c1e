/**
 * Requests and replies between programs, over contexts of their own: deadlines, messages to many, a
 * bounded number of requests for each peer, and attaching again by itself when a node restarts. The
 * same in C is hxb_rpc.h.
 *
 * <p>An endpoint has a random number and numbers its requests to each peer. A request that may be
 * lost (an event, a restart of this node, a new attachment of the peer) is sent again under its
 * number. The peer remembers the last 1,024 numbers of each caller: it carries out a request that
 * it has not begun, ignores one that runs, and reports the reply of any other as lost. A peer with
 * another random number reports so for all that come again. Only such a report and the deadline end
 * a request with an error.
 *
 * <p>An event reports that something of what a peer had is lost, but not what. Positions in events
 * would name messages that had arrived and may have been carried out. Keeping replies until the
 * caller confirms them would answer a few more requests, at the price of memory for each caller.
 */
package io.hxb.pm.rpc;
