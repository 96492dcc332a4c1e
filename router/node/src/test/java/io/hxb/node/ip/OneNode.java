package io.hxb.node.ip;

import io.hxb.tap.PacketAddresses;

/** Everything goes to one other node, and may come from there. */
record OneNode(int node) implements PacketAddresses {
    @Override
    public int destination(final long frame, final int lengthBytes) {
        return node;
    }

    @Override
    public int reply(final long frame) {
        return 0;
    }

    @Override
    public boolean isFrom(final long frame, final int lengthBytes, final int source) {
        return true;
    }
}
