package io.hxb.pm.rpc;

import java.util.concurrent.CompletableFuture;

/**
 * A message to be sent.
 *
 * @param kind of {@link RpcWire}.
 * @param end of the caller.
 * @param number of the request.
 * @param data behind the header.
 * @param deadlineNs when it need not be sent any more.
 * @param future of a request, which ends with its reply; null for others.
 */
// Never compared: an object is one message.
@SuppressWarnings("ArrayRecordComponent")
record RpcMessage(
        int kind,
        long end,
        long number,
        byte[] data,
        long deadlineNs,
        CompletableFuture<byte[]> future) {}
