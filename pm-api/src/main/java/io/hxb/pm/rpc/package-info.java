/**
 * Requests and replies between programs, over contexts of their own: deadlines, messages to many, a
 * bounded number of requests for each peer, and attaching again by itself when a node restarts. The
 * same in C is hxb_rpc.h.
 */
package io.hxb.pm.rpc;
