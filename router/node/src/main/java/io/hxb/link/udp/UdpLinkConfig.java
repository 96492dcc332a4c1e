package io.hxb.link.udp;

import io.hxb.config.SocketConfig;

/**
 * What a UDP link is made from. Immutable.
 *
 * @param index number of the link in its node, from 0.
 * @param address this end, IPv4:port; port 0 lets the kernel choose.
 * @param socket the largest frame, which a datagram can carry, and the buffers.
 */
public record UdpLinkConfig(int index, String address, SocketConfig socket) {
    /** Checks the address; the record of the cluster file has checked itself. */
    public UdpLinkConfig {
        UdpAddress.parse(address);
    }
}
