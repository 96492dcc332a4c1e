package io.hxb.pm.stream.wire;

import io.hxb.linux.Memory;

/**
 * The records of streams, one a message: the type stands in the message's tag, the rest in its
 * payload, little-endian. Stateless; any thread may call it.
 *
 * <pre>
 * tag: 0x5358 ("XS") in bits 16..31, version 2 in bits 8..15, type in bits 0..7
 * offset length meaning
 *      0      4 number of the stream at the receiver; 0 in OPEN and PING
 *      4      4 number of the stream at the sender; 0 in PING
 *      8      8 position: DATA: of its first byte in the stream; CREDIT: bytes the peer may have
 *               sent in all; RESET: code of a ResetReason; OPEN: port; ACCEPT: 0; PING: session of
 *               the sender; TAKEN: that of the END it answers
 *     16      . DATA, END: bytes of the stream, with DATA 1 or more; after END come none
 *               OPEN, ACCEPT: first credit in bytes (8), session of the sender (8)
 *               PING: session that the sender knows of the receiver (8)
 * </pre>
 */
public final class StreamRecord {
    /** Bytes before the body. */
    public static final int HEADER_BYTES = 16;

    /** Bytes of the body of OPEN and ACCEPT. */
    public static final int HANDSHAKE_BYTES = 16;

    /** Bytes of the body of PING. */
    public static final int PING_BYTES = 8;

    /** Returned by {@link #check} for what is not a record. */
    public static final int MALFORMED = -1;

    /** Asks for a stream. */
    public static final int OPEN = 1;

    /** Grants a stream. */
    public static final int ACCEPT = 2;

    /** Bytes of a stream. */
    public static final int DATA = 3;

    /** The last bytes of a stream, or none. */
    public static final int END = 4;

    /** How much the peer may send. */
    public static final int CREDIT = 5;

    /** The stream is dead. */
    public static final int RESET = 6;

    /** Asks whether the peer is still the same. */
    public static final int PING = 7;

    /** The application has taken everything up to the END. */
    public static final int TAKEN = 8;

    /** Highest port. */
    public static final int MAX_PORT = 65_535;

    private static final int MAGIC = 0x5358_0200;
    private static final int TYPE_MASK = 0xFF;
    private static final long MAX_WINDOW_BYTES = 1L << 40;

    private StreamRecord() {}

    /** The tag of a message that is a record of this type. */
    public static int tag(final int type) {
        return MAGIC | type;
    }

    /**
     * Checks a message from anywhere.
     *
     * @param tag of the message.
     * @param address payload, {@code lengthBytes} bytes.
     * @return its type, or {@link #MALFORMED}.
     */
    public static int check(final int tag, final long address, final int lengthBytes) {
        if ((tag & ~TYPE_MASK) != MAGIC || lengthBytes < HEADER_BYTES || position(address) < 0) {
            return MALFORMED;
        }
        final int type = tag & TYPE_MASK;
        final int bodyBytes = lengthBytes - HEADER_BYTES;
        final boolean isFine =
                switch (type) {
                    case OPEN -> isOpen(address, bodyBytes);
                    case ACCEPT -> isHandshake(address, bodyBytes) && destination(address) != 0;
                    case DATA -> bodyBytes > 0 && hasBothEnds(address);
                    case END -> hasBothEnds(address);
                    case CREDIT, TAKEN -> bodyBytes == 0 && hasBothEnds(address);
                    case RESET -> bodyBytes == 0 && destination(address) != 0;
                    case PING -> bodyBytes == PING_BYTES;
                    default -> false;
                };
        return isFine ? type : MALFORMED;
    }

    private static boolean isOpen(final long address, final int bodyBytes) {
        final long port = position(address);
        return isHandshake(address, bodyBytes)
                && destination(address) == 0
                && port >= 1
                && port <= MAX_PORT;
    }

    private static boolean isHandshake(final long address, final int bodyBytes) {
        return bodyBytes == HANDSHAKE_BYTES
                && source(address) != 0
                && credit(address) >= 0
                && credit(address) <= MAX_WINDOW_BYTES
                && session(address) != 0;
    }

    private static boolean hasBothEnds(final long address) {
        return destination(address) != 0 && source(address) != 0;
    }

    /** Writes a header at {@code address}. */
    public static void header(
            final long address, final int destination, final int source, final long position) {
        Memory.putInt(address, destination);
        Memory.putInt(address + 4, source);
        Memory.putLong(address + 8, position);
    }

    /** Writes the body of OPEN or ACCEPT after the header. */
    public static void handshake(final long address, final long creditBytes, final long session) {
        Memory.putLong(address + HEADER_BYTES, creditBytes);
        Memory.putLong(address + HEADER_BYTES + 8, session);
    }

    /** Writes the body of PING after the header. */
    public static void expectedSession(final long address, final long session) {
        Memory.putLong(address + HEADER_BYTES, session);
    }

    /** Number of the stream at the receiver. */
    public static int destination(final long address) {
        return Memory.getInt(address);
    }

    /** Number of the stream at the sender. */
    public static int source(final long address) {
        return Memory.getInt(address + 4);
    }

    /** Position, port, code or session, by type. */
    public static long position(final long address) {
        return Memory.getLong(address + 8);
    }

    /** First credit in bytes, of OPEN and ACCEPT. */
    public static long credit(final long address) {
        return Memory.getLong(address + HEADER_BYTES);
    }

    /** Session of the sender, of OPEN and ACCEPT. */
    public static long session(final long address) {
        return Memory.getLong(address + HEADER_BYTES + 8);
    }

    /** Session that a PING is for; 0 for none. */
    public static long expectedSession(final long address) {
        return Memory.getLong(address + HEADER_BYTES);
    }
}
