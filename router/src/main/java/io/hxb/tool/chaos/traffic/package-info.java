/**
 * Messages that flow while things fail: senders and receivers that outlive their nodes, check every
 * message, and count bytes in short intervals.
 */
package io.hxb.tool.chaos.traffic;
