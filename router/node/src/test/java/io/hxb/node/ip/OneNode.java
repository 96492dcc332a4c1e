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
    public int unreachable(
            final long frame, final int lengthBytes, final int unreached, final long answer) {
        return 0;
    }

    @Override
    public int senderToAll(final long frame, final int lengthBytes) {
        return -1;
    }

    @Override
    public boolean isFrom(final long frame, final int lengthBytes, final int source) {
        return true;
    }
}
