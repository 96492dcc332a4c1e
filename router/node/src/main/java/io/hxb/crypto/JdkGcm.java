package io.hxb.crypto;

import io.hxb.linux.Memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;

import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * AES-128-GCM by the JDK, where there is no libcrypto: copies each message to the heap and back,
 * and allocates for each, because the JDK takes a nonce only in a new object.
 */
final class JdkGcm implements Gcm {
    private static final int NONCE_BYTES = 12;

    private final Cipher cipher;
    private final SecretKeySpec key;
    private final boolean encrypts;
    private final byte[] text = new byte[(1 << 16) + 2 * TAG_LENGTH];
    private final byte[] out = new byte[text.length];
    private final long[] pieceAddress = new long[2];
    private final int[] pieceBytes = new int[2];
    private int pieces;
    private int length;

    JdkGcm(final byte[] key, final boolean encrypts) {
        this.encrypts = encrypts;
        this.key = new SecretKeySpec(key, "AES");
        try {
            cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no AES/GCM/NoPadding", e);
        }
    }

    @Override
    public void begin(final long counter, final long associatedAddress, final int associatedBytes) {
        final byte[] nonce =
                ByteBuffer.allocate(NONCE_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(0)
                        .putLong(counter)
                        .array();
        try {
            cipher.init(
                    encrypts ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE,
                    key,
                    new GCMParameterSpec(Byte.SIZE * TAG_LENGTH, nonce));
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        load(associatedAddress, 0, associatedBytes);
        cipher.updateAAD(text, 0, associatedBytes);
        pieces = 0;
        length = 0;
    }

    @Override
    public void update(final long fromAddress, final long toAddress, final int lengthBytes) {
        load(fromAddress, length, lengthBytes);
        pieceAddress[pieces] = toAddress;
        pieceBytes[pieces++] = lengthBytes;
        length += lengthBytes;
    }

    private void load(final long address, final int offset, final int lengthBytes) {
        MemorySegment.copy(Memory.ALL, ValueLayout.JAVA_BYTE, address, text, offset, lengthBytes);
    }

    private static void store(
            final byte[] from, final int offset, final long address, final int lengthBytes) {
        MemorySegment.copy(from, offset, Memory.ALL, ValueLayout.JAVA_BYTE, address, lengthBytes);
    }

    private void storePieces() {
        int offset = 0;
        for (int i = 0; i < pieces; i++) {
            store(out, offset, pieceAddress[i], pieceBytes[i]);
            offset += pieceBytes[i];
        }
    }

    @Override
    public void finish(final long tagAddress) {
        try {
            cipher.doFinal(text, 0, length, out, 0);
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        storePieces();
        store(out, length, tagAddress, TAG_LENGTH);
    }

    @Override
    public boolean verify(final long tagAddress) {
        load(tagAddress, length, TAG_LENGTH);
        try {
            cipher.doFinal(text, 0, length + TAG_LENGTH, out, 0);
        } catch (final AEADBadTagException e) {
            return false;
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        storePieces();
        return true;
    }

    @Override
    public void close() {}
}
