package io.hxb.pm.rpc;

/**
 * A message that is sent, or waits for that.
 *
 * @param kind of {@link RpcWire}.
 * @param to id of the receiver's endpoint, 0 if it is not known.
 * @param number as {@link RpcWire} has it; of a request in the call.
 * @param data after the header; of a request in the call.
 * @param call that it is the request of; null for others.
 * @param keptUntilNs until when it is sent again if it is lost; 0 if it is not.
 */
// Never compared: an object is one message.
@SuppressWarnings("ArrayRecordComponent")
record RpcMessage(int kind, long to, long number, byte[] data, RpcCall call, long keptUntilNs) {
    private static final byte[] NOTHING = new byte[0];

    static RpcMessage request(final int kind, final RpcCall call) {
        return new RpcMessage(kind, 0, 0, NOTHING, call, 0);
    }

    static RpcMessage of(final int kind, final long to, final long number) {
        return new RpcMessage(kind, to, number, NOTHING, null, 0);
    }

    static RpcMessage published(final long to, final byte[] data) {
        return new RpcMessage(RpcWire.PUBLISHED, to, 0, data, null, 0);
    }

    static RpcMessage answer(
            final int kind,
            final long to,
            final long number,
            final byte[] data,
            final long keptUntilNs) {
        return new RpcMessage(kind, to, number, data, null, keptUntilNs);
    }

    boolean isKept(final long nowNs) {
        return RpcWire.isAnswer(kind) && keptUntilNs - nowNs > 0;
    }
}
