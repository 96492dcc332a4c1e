package io.hxb.node.ip;

import io.hxb.flow.UnlimitedRights;

/** What flows of packets may do: only the same end of other nodes sends them. Any thread. */
final class PacketRights extends UnlimitedRights {
    private final int end;

    PacketRights(final int end) {
        this.end = end;
    }

    @Override
    public boolean mayReceiveFrom(final int peerTenant, final int peerNode, final int peerContext) {
        return peerContext == end;
    }
}
