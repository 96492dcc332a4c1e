package io.hxb.node.ip;

import io.hxb.flow.UnlimitedRights;

/** What flows of packets may do: only nodes themselves send them. Any thread. */
final class PacketRights extends UnlimitedRights {
    @Override
    public boolean mayReceiveFrom(final int peerTenant, final int peerNode, final int peerContext) {
        return peerContext == IpService.END;
    }
}
