package io.hxb.crypto;

import java.security.GeneralSecurityException;

import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of message authentication codes by AES-CMAC: AES in cipher block chaining over a message
 * whose last block is mixed with a subkey. Owned by one thread; {@link MacInput} computes.
 *
 * <p>Source: RFC 4493; NIST SP 800-38B.
 */
public final class Cmac {
    /** Bytes of the key. */
    public static final int KEY_LENGTH = 16;

    /** Bytes of a block and of a code. */
    static final int BLOCK = 16;

    private static final int REDUCTION = 0x87;

    private final Cipher cipher;
    private final byte[] subkeyOfWhole;
    private final byte[] subkeyOfPadded;

    /**
     * Takes a key.
     *
     * @param key {@link #KEY_LENGTH} bytes.
     */
    public Cmac(final byte[] key) {
        try {
            cipher = Cipher.getInstance("AES/CBC/NoPadding");
            cipher.init(
                    Cipher.ENCRYPT_MODE,
                    new SecretKeySpec(key, "AES"),
                    new IvParameterSpec(new byte[BLOCK]));
            subkeyOfWhole = doubled(cipher.doFinal(new byte[BLOCK]));
            subkeyOfPadded = doubled(subkeyOfWhole);
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no AES/CBC/NoPadding", e);
        }
    }

    // Multiplication by x in the field of 2^128 elements, in time that does not depend on the key.
    private static byte[] doubled(final byte[] value) {
        final byte[] result = new byte[BLOCK];
        for (int i = 0; i < BLOCK; i++) {
            final int next = i + 1 < BLOCK ? value[i + 1] >>> 7 & 1 : 0;
            result[i] = (byte) (value[i] << 1 | next);
        }
        result[BLOCK - 1] ^= (byte) (-(value[0] >>> 7 & 1) & REDUCTION);
        return result;
    }

    /** Chains over whole blocks that others follow. */
    void update(final byte[] input, final int lengthBytes, final byte[] output) {
        try {
            cipher.update(input, 0, lengthBytes, output, 0);
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Chains over the rest and begins again; the code is the output's last block.
     *
     * @param input the rest, with room for a block of padding.
     * @param lengthBytes of the rest.
     * @param output another array, as long.
     * @return offset of the code.
     */
    int finish(final byte[] input, final int lengthBytes, final byte[] output) {
        int end = lengthBytes;
        byte[] subkey = subkeyOfWhole;
        if (lengthBytes == 0 || lengthBytes % BLOCK != 0) {
            subkey = subkeyOfPadded;
            input[end++] = (byte) 0x80;
            while (end % BLOCK != 0) {
                input[end++] = 0;
            }
        }
        for (int i = 0; i < BLOCK; i++) {
            input[end - BLOCK + i] ^= subkey[i];
        }
        try {
            cipher.doFinal(input, 0, end, output, 0);
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        return end - BLOCK;
    }
}
