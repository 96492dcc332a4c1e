package io.hxb.pm.rpc;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * What endpoints of requests and replies send each other; stateless. docs/howto/rpc.md describes
 * what they do with it; those of hxb_rpc.h are the same.
 *
 * <pre>
 *   offset  bytes  order   meaning
 *   0       8      little  id of the sender: a random number of its own, not 0
 *   8       8      little  id of the receiver as the sender knows it, 0 if it does not
 *   16      8      little  of a request, a reply and the like: number of the request among those of
 *                          the caller to that peer, from 1; of PING and PONG: how often the sender
 *                          has attached
 *   24      -      -       request, reply, or in UTF-8 why there is none
 * </pre>
 *
 * The tag of the message is {@link #TAG} plus its kind.
 */
final class RpcWire {
    static final int HEADER_BYTES = 24;

    /** "RPC" and version 2. */
    static final int TAG = 0x5250_4320;

    static final int REQUEST = 0;
    static final int REPLY = 1;

    /** The handler has failed: in place of a reply. */
    static final int FAILURE = 2;

    /** The peer has as many requests as it may have: the request was not carried out. */
    static final int BUSY = 3;

    /** For many: nobody replies. */
    static final int PUBLISHED = 4;

    static final int PING = 5;
    static final int PONG = 6;

    /** A request of which the caller does not know whether it has arrived. */
    static final int AGAIN = 7;

    /** The request may have been carried out, and there will be no reply. */
    static final int LOST = 8;

    static final int KINDS = 9;

    private static final int FROM = 0;
    private static final int TO = 8;
    private static final int NUMBER = 16;

    private RpcWire() {}

    static void write(
            final MutableDirectBuffer buffer,
            final long from,
            final long to,
            final long number,
            final byte[] data) {
        buffer.putLong(FROM, from);
        buffer.putLong(TO, to);
        buffer.putLong(NUMBER, number);
        buffer.putBytes(HEADER_BYTES, data);
    }

    static long from(final DirectBuffer buffer) {
        return buffer.getLong(FROM);
    }

    static long to(final DirectBuffer buffer) {
        return buffer.getLong(TO);
    }

    static long number(final DirectBuffer buffer) {
        return buffer.getLong(NUMBER);
    }

    static byte[] data(final DirectBuffer buffer, final int lengthBytes) {
        final byte[] data = new byte[lengthBytes - HEADER_BYTES];
        buffer.getBytes(HEADER_BYTES, data);
        return data;
    }

    /** True if the handler has run for it. */
    static boolean isAnswer(final int kind) {
        return kind == REPLY || kind == FAILURE;
    }

    static boolean isRequest(final int kind) {
        return kind == REQUEST || kind == AGAIN;
    }
}
