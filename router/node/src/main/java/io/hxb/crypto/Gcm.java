package io.hxb.crypto;

/**
 * AES-128-GCM under one key, in one direction, over native memory. Owned by one thread.
 *
 * <p>A counter must never be used twice under a key, because it is the nonce. Source: NIST SP
 * 800-38D.
 */
public interface Gcm extends AutoCloseable {
    /** Bytes of the key. */
    int KEY_LENGTH = 16;

    /** Bytes of the tag. */
    int TAG_LENGTH = 16;

    /**
     * Makes a cipher that encrypts: by the system's libcrypto, which works on native memory and
     * allocates nothing, or, without it, by the JDK, which copies and allocates.
     *
     * @param key {@link #KEY_LENGTH} bytes.
     */
    static Gcm encrypting(final byte[] key) {
        return Libcrypto.isPresent() ? new LibcryptoGcm(key, true) : new JdkGcm(key, true);
    }

    /** The same to decrypt. */
    static Gcm decrypting(final byte[] key) {
        return Libcrypto.isPresent() ? new LibcryptoGcm(key, false) : new JdkGcm(key, false);
    }

    /**
     * Begins a message.
     *
     * @param counter nonce of the message, together with four zero bytes.
     * @param associatedAddress additional data that is only authenticated.
     * @param associatedBytes its length.
     */
    void begin(long counter, long associatedAddress, int associatedBytes);

    /** Encrypts or decrypts a piece; the pieces may lie anywhere, and may be processed in place. */
    void update(long fromAddress, long toAddress, int lengthBytes);

    /** Ends an encrypted message and writes its tag. */
    void finish(long tagAddress);

    /** Ends a decrypted message: true if the tag at that address is its tag. */
    boolean verify(long tagAddress);

    /** Frees its memory. */
    @Override
    void close();
}
