package io.hxb.pm.rpc;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * What ends of requests and replies send each other; stateless.
 *
 * <pre>
 *   offset  bytes  order   meaning
 *   0       8      little  end of the caller: a random number of its own
 *   8       8      little  number of the request among those of that end
 *   16      -      -       request, reply, or in UTF-8 why there is none
 * </pre>
 *
 * The tag of the message is {@link #TAG} plus its kind.
 */
final class RpcWire {
    static final int HEADER_BYTES = 16;

    /** "RPC" and version 1. */
    static final int TAG = 0x5250_4310;

    static final int REQUEST = 0;
    static final int REPLY = 1;
    static final int FAILURE = 2;

    /** The peer has as many requests as it may have: the request was not carried out. */
    static final int BUSY = 3;

    /** For many: nobody replies. */
    static final int PUBLISHED = 4;

    static final int PING = 5;
    static final int PONG = 6;
    static final int KINDS = 7;

    private static final int END = 0;
    private static final int NUMBER = 8;

    private RpcWire() {}

    static void write(
            final MutableDirectBuffer buffer,
            final long end,
            final long number,
            final byte[] data) {
        buffer.putLong(END, end);
        buffer.putLong(NUMBER, number);
        buffer.putBytes(HEADER_BYTES, data);
    }

    static long end(final DirectBuffer buffer) {
        return buffer.getLong(END);
    }

    static long number(final DirectBuffer buffer) {
        return buffer.getLong(NUMBER);
    }

    static byte[] data(final DirectBuffer buffer, final int lengthBytes) {
        final byte[] data = new byte[lengthBytes - HEADER_BYTES];
        buffer.getBytes(HEADER_BYTES, data);
        return data;
    }
}
