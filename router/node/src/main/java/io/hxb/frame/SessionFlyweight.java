package io.hxb.frame;

import io.hxb.linux.Memory;

/**
 * The body of a SESSION frame, by which two nodes agree on the keys of a session. Owned by the
 * thread that wrapped it. The sender's coordinates and node incarnation are in the header.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      4 id of the cluster key that the session comes from and the seal is made with
 *      4      4 id of the sender's other key, 0 = none
 *      8      1 flags, see the constants
 *      9      1 mode: 1 authenticates, 2 encrypts
 *     10      2 reserved, 0
 *     12      4 id of the session by which the sender seals frames for the receiver, 0 = none
 *     16     16 nonce of the sender
 *     32     16 echo: the nonce heard of the node it is for, 0 = none
 *     48      8 coordinates of the node it is for
 * </pre>
 */
public final class SessionFlyweight {
    /** Bytes of the body. */
    public static final int LENGTH = 56;

    /** The sender wants an answer. */
    public static final int FLAG_ASK = 1;

    /** The sender's session has these two nonces: what is sealed by it is understood. */
    public static final int FLAG_ESTABLISHED = 2;

    private static final int OTHER_KEY_OFFSET = 4;
    private static final int FLAGS_OFFSET = 8;
    private static final int MODE_OFFSET = 9;
    private static final int RESERVED_OFFSET = 10;
    private static final int SEALING_OFFSET = 12;
    private static final int NONCE_OFFSET = 16;
    private static final int ECHO_OFFSET = NONCE_OFFSET + Nonce.LENGTH;
    private static final int RECEIVER_OFFSET = ECHO_OFFSET + Nonce.LENGTH;

    private long address;

    /** Lays the flyweight over a body of {@link #LENGTH} bytes. */
    public SessionFlyweight wrap(final long bodyAddress) {
        address = bodyAddress;
        return this;
    }

    /** Sets all bytes of the body to 0. */
    public SessionFlyweight clear() {
        for (int offset = 0; offset < LENGTH; offset += Long.BYTES) {
            Memory.putLong(address + offset, 0);
        }
        return this;
    }

    /** True if a body of that length is a SESSION frame's and its fields have known values. */
    public static boolean isValid(final long bodyAddress, final int lengthBytes) {
        if (lengthBytes != LENGTH) {
            return false;
        }
        final int flags = Memory.getUnsignedByte(bodyAddress + FLAGS_OFFSET);
        return (flags & ~(FLAG_ASK | FLAG_ESTABLISHED)) == 0
                && Memory.getUnsignedShort(bodyAddress + RESERVED_OFFSET) == 0;
    }

    /** Id of the cluster key that the session comes from. */
    public int keyId() {
        return Memory.getInt(address);
    }

    /** Sets the id of the cluster key that the session comes from. */
    public SessionFlyweight keyId(final int value) {
        Memory.putInt(address, value);
        return this;
    }

    /** Id of the sender's other key, 0 = none. */
    public int otherKeyId() {
        return Memory.getInt(address + OTHER_KEY_OFFSET);
    }

    /** Sets the id of the sender's other key, 0 = none. */
    public SessionFlyweight otherKeyId(final int value) {
        Memory.putInt(address + OTHER_KEY_OFFSET, value);
        return this;
    }

    /** True if the flag is set. */
    public boolean hasFlag(final int flag) {
        return (Memory.getUnsignedByte(address + FLAGS_OFFSET) & flag) != 0;
    }

    /** Sets the flags. */
    public SessionFlyweight flags(final int value) {
        Memory.putByte(address + FLAGS_OFFSET, value);
        return this;
    }

    /** What the sender does with its frames: 1 authenticates, 2 encrypts. */
    public int mode() {
        return Memory.getUnsignedByte(address + MODE_OFFSET);
    }

    /** Sets what the sender does with its frames. */
    public SessionFlyweight mode(final int value) {
        Memory.putByte(address + MODE_OFFSET, value);
        return this;
    }

    /** Id of the session by which the sender seals frames for the receiver, 0 = none. */
    public int sealingSession() {
        return Memory.getInt(address + SEALING_OFFSET);
    }

    /** Sets the id of the session by which the sender seals frames for the receiver. */
    public SessionFlyweight sealingSession(final int id) {
        Memory.putInt(address + SEALING_OFFSET, id);
        return this;
    }

    /** The sender's nonce. */
    public Nonce nonce() {
        return Nonce.at(address + NONCE_OFFSET);
    }

    /** Sets the sender's nonce. */
    public SessionFlyweight nonce(final Nonce value) {
        value.putAt(address + NONCE_OFFSET);
        return this;
    }

    /** The nonce heard of the receiver. */
    public Nonce echo() {
        return Nonce.at(address + ECHO_OFFSET);
    }

    /** Sets the nonce heard of the receiver. */
    public SessionFlyweight echo(final Nonce value) {
        value.putAt(address + ECHO_OFFSET);
        return this;
    }

    /** Coordinates of the node it is for. */
    public long receiver() {
        return Memory.getLong(address + RECEIVER_OFFSET);
    }

    /** Sets the coordinates of the node it is for. */
    public SessionFlyweight receiver(final long value) {
        Memory.putLong(address + RECEIVER_OFFSET, value);
        return this;
    }
}
