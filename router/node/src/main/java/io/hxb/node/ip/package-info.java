/**
 * Packets of IP over flows: what the virtual NIC of a node sends goes to the node that it is for,
 * each packet in one message, and from there to that node's NIC.
 */
package io.hxb.node.ip;
