package io.hxb.crypto;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;

import javax.crypto.KDF;
import javax.crypto.spec.HKDFParameterSpec;

/**
 * Derives keys from keys by HKDF with SHA-256. Stateless; any thread may call it; allocates.
 *
 * <p>Source: RFC 5869.
 */
public final class Hkdf {
    private Hkdf() {}

    /**
     * Extracts and expands.
     *
     * @param key input keying material, at least 16 bytes.
     * @param salt what makes the result differ from other uses of the key; may be empty.
     * @param info what the result is for.
     * @param lengthBytes bytes wanted, 1 to 8,160.
     */
    public static byte[] derive(
            final byte[] key, final byte[] salt, final byte[] info, final int lengthBytes) {
        try {
            final HKDFParameterSpec.Builder extract = HKDFParameterSpec.ofExtract().addIKM(key);
            return KDF.getInstance("HKDF-SHA256")
                    .deriveData(
                            (salt.length == 0 ? extract : extract.addSalt(salt))
                                    .thenExpand(info, lengthBytes));
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no HKDF-SHA256", e);
        }
    }

    /** What a result is for: a label in ASCII, then numbers, 8 bytes each, big-endian. */
    public static byte[] info(final String label, final long... numbers) {
        final byte[] text = label.getBytes(StandardCharsets.US_ASCII);
        final byte[] info = Arrays.copyOf(text, text.length + Long.BYTES * numbers.length);
        for (int i = 0; i < numbers.length; i++) {
            for (int k = 0; k < Long.BYTES; k++) {
                info[text.length + Long.BYTES * i + k] = (byte) (numbers[i] >>> (8 * (7 - k)));
            }
        }
        return info;
    }
}
