package io.hxb.frame;

import io.hxb.linux.Memory;

/**
 * The eight bytes before each message in the body of a data frame. Owned by the thread that wrapped
 * it. A record and its payload start at a multiple of 8 bytes from the body's start; the last
 * payload is not padded.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      4 payload length in bytes
 *      4      4 tag: 32 bits of the application's choice, carried to the receiver
 *      8        payload, then padding to a multiple of 8 when another record follows
 * </pre>
 */
public final class MessageRecordFlyweight {
    /** Bytes of the record before the payload. */
    public static final int LENGTH = 8;

    /** Offset of the tag. */
    public static final int TAG_OFFSET = 4;

    /**
     * Longest body of a frame with several messages. They are copied, and a longer frame would not
     * make them cheaper; so memory for such frames, and for the messages that a receiver is
     * notified of at once, does not grow with the longest frame.
     */
    public static final int MAX_SHARED_BYTES = 9_216 - FrameHeaderFlyweight.LENGTH;

    /** Most messages of a frame. */
    public static final int MAX_MESSAGES = MAX_SHARED_BYTES / LENGTH;

    /** Alignment of records in bytes. */
    public static final int ALIGNMENT = 8;

    private long address;

    /** Lays the flyweight over the record at {@code recordAddress}. */
    public MessageRecordFlyweight wrap(final long recordAddress) {
        address = recordAddress;
        return this;
    }

    /** Payload length in bytes. */
    public int payloadLength() {
        return Memory.getInt(address);
    }

    /** Sets the payload length in bytes. */
    public MessageRecordFlyweight payloadLength(final int lengthBytes) {
        Memory.putInt(address, lengthBytes);
        return this;
    }

    /** The application's tag. */
    public int tag() {
        return Memory.getInt(address + TAG_OFFSET);
    }

    /** Sets the application's tag. */
    public MessageRecordFlyweight tag(final int tag) {
        Memory.putInt(address + TAG_OFFSET, tag);
        return this;
    }

    /** Address of the payload. */
    public long payloadAddress() {
        return address + LENGTH;
    }

    /** Bytes that a record with {@code payloadLengthBytes} takes when another one follows. */
    public static int paddedLength(final int payloadLengthBytes) {
        return (LENGTH + payloadLengthBytes + ALIGNMENT - 1) & -ALIGNMENT;
    }
}
