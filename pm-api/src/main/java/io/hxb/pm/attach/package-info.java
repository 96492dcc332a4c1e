/**
 * How an application reaches its node: where nodes put their sockets, the messages by which an
 * application attaches and asks for memory, and the handle on the attachment itself, which a node
 * in the same process makes without a socket. Internal: applications use {@code io.hxb.pm}.
 */
package io.hxb.pm.attach;
