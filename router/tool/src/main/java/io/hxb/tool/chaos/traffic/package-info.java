/**
 * The messages that flow during faults: senders and receivers that outlive their nodes, check every
 * message, and count bytes in short intervals.
 */
package io.hxb.tool.chaos.traffic;
