/**
 * Builds a node from its configuration, starts and stops it: links, forwarding, flows and contexts,
 * driven by Netty's epoll loop or by a simulation.
 */
package io.hxb.node;
