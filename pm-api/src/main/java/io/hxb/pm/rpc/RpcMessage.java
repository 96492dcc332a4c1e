package io.hxb.pm.rpc;

/**
 * A message that is sent, or waits for that.
 *
 * @param kind of {@link RpcWire}.
 * @param to end of the receiver, 0 if it is not known.
 * @param number as {@link RpcWire} has it; of a request in the call.
 * @param data behind the header; of a request in the call.
 * @param call that it is the request of; null for others.
 * @param triesLeft how often it is sent again when it is lost.
 */
// Never compared: an object is one message.
@SuppressWarnings("ArrayRecordComponent")
record RpcMessage(int kind, long to, long number, byte[] data, RpcCall call, int triesLeft) {
    static final int MAX_TRIES = 5;
    private static final byte[] NOTHING = new byte[0];

    static RpcMessage request(final int kind, final RpcCall call) {
        return new RpcMessage(kind, 0, 0, NOTHING, call, 0);
    }

    static RpcMessage of(final int kind, final long to, final long number) {
        return new RpcMessage(kind, to, number, NOTHING, null, 0);
    }

    static RpcMessage of(final int kind, final long to, final long number, final byte[] data) {
        final int tries = RpcWire.isAnswer(kind) ? MAX_TRIES : 0;
        return new RpcMessage(kind, to, number, data, null, tries);
    }

    RpcMessage again() {
        return new RpcMessage(kind, to, number, data, call, triesLeft - 1);
    }
}
