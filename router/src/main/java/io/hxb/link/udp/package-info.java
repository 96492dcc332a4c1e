/**
 * Links over UDP sockets: the same frames as datagrams between addresses from the configuration.
 * Needs no privilege.
 */
package io.hxb.link.udp;
