/**
 * What streams and the service of ports write into messages, each layout drawn once. Internal: for
 * {@code io.hxb.pm.stream} and for the node, which keeps the ports.
 */
package io.hxb.pm.stream.wire;
