package io.hxb.manager;

import io.hxb.crypto.Cmac;
import io.hxb.crypto.MacInput;
import io.hxb.session.ClusterKey;
import io.netty.buffer.ByteBuf;

import java.util.Arrays;

/**
 * The seals of one direction of a connection between machines. Owned by one thread; allocates
 * nothing after construction.
 *
 * <p>A connection begins with AUTHENTICATE and its reply, which are not sealed and carry 16 random
 * bytes of each side. Both sides derive two keys from the cluster's key and these bytes, the
 * program's first. Every message after that is followed by {@value #LENGTH} bytes: the AES-CMAC,
 * under the key of its direction, of its number in that direction, from 0, as 8 bytes, lowest
 * first, and of its own bytes. A message that is changed, repeated, left out or from another
 * connection thus ends the connection. Nothing is encrypted.
 */
final class MessageSeal {
    /** Bytes of a seal. */
    static final int LENGTH = 16;

    /** Bytes of a message with its seal. */
    static final int SEALED_LENGTH = ManagerMessage.LENGTH + LENGTH;

    private static final int WORDS = ManagerMessage.LENGTH / Long.BYTES;

    private final Cmac key;
    private final MacInput input = new MacInput();
    private long number;

    private MessageSeal(final byte[] key) {
        this.key = new Cmac(key);
    }

    /**
     * The seals of the messages of programs, and of those of the manager.
     *
     * @param programNonce 16 random bytes of the program.
     * @param managerNonce the same of the manager.
     */
    static MessageSeal[] of(
            final ClusterKey key, final byte[] programNonce, final byte[] managerNonce) {
        final byte[] nonces =
                Arrays.copyOf(programNonce, programNonce.length + managerNonce.length);
        System.arraycopy(managerNonce, 0, nonces, programNonce.length, managerNonce.length);
        final byte[] keys = key.managerKeys(nonces, 2 * Cmac.KEY_LENGTH);
        return new MessageSeal[] {
            new MessageSeal(Arrays.copyOf(keys, Cmac.KEY_LENGTH)),
            new MessageSeal(Arrays.copyOfRange(keys, Cmac.KEY_LENGTH, 2 * Cmac.KEY_LENGTH))
        };
    }

    private void compute(final ManagerMessage message) {
        input.begin(key).putLong(number++);
        for (int i = 0; i < WORDS; i++) {
            input.putLong(message.word(i));
        }
        input.finish();
    }

    /** Writes the seal of the next message to an index of a buffer. */
    void write(final ManagerMessage message, final ByteBuf buffer, final int index) {
        compute(message);
        buffer.setLongLE(index, input.tagLow());
        buffer.setLongLE(index + Long.BYTES, input.tagHigh());
    }

    /** True if the seal of the next message is at that index; if not, no later one is valid. */
    boolean isValid(final ManagerMessage message, final ByteBuf buffer, final int index) {
        compute(message);
        return ((buffer.getLongLE(index) ^ input.tagLow())
                        | (buffer.getLongLE(index + Long.BYTES) ^ input.tagHigh()))
                == 0;
    }
}
