package io.hxb.pm.rpc;

/** What a program does with requests and with messages to many. */
@FunctionalInterface
public interface RpcHandler {
    /**
     * Carries out a request; called by a virtual thread, for several requests at a time.
     *
     * @param node of the caller.
     * @param context of the caller.
     * @param request its bytes.
     * @return the reply, at most {@link RpcEndpoint#maxLengthBytes()} bytes; of a message to many
     *     it is ignored, and may be null.
     * @throws Exception if it cannot be done: the caller gets an {@link RpcException} with the
     *     message.
     */
    byte[] onRequest(int node, int context, byte[] request) throws Exception;
}
