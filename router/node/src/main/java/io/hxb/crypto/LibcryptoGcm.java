package io.hxb.crypto;

import io.hxb.linux.Linux;
import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;

/** AES-128-GCM by libcrypto: where the bytes lie, without a copy or an allocation. */
final class LibcryptoGcm implements Gcm {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final int NONCE_OFFSET = 0;
    private static final int LENGTH_OFFSET = 16;
    private static final int REST_OFFSET = 32;
    private static final int SCRATCH_BYTES = 64;
    private static final int KEEP_DIRECTION = -1;

    private final MemorySegment scratch = Arena.ofAuto().allocate(SCRATCH_BYTES, 16);
    private final long nonce = scratch.address() + NONCE_OFFSET;
    private final long length = scratch.address() + LENGTH_OFFSET;
    private final long rest = scratch.address() + REST_OFFSET;
    private final long context;
    private final Cleaner.Cleanable cleanable;

    LibcryptoGcm(final byte[] key, final boolean encrypts) {
        try (Arena arena = Arena.ofConfined()) {
            final long made = (long) Libcrypto.Calls.NEW.invokeExact();
            if (made == 0) {
                throw new IllegalStateException("libcrypto has no memory");
            }
            context = made;
            cleanable = CLEANER.register(this, () -> free(made));
            final MemorySegment copy = arena.allocate(KEY_LENGTH, 16);
            MemorySegment.copy(MemorySegment.ofArray(key), 0, copy, 0, KEY_LENGTH);
            final long algorithm = (long) Libcrypto.Calls.AES_128_GCM.invokeExact();
            check(
                    (int)
                            Libcrypto.Calls.INIT.invokeExact(
                                    made, algorithm, 0L, copy.address(), 0L, encrypts ? 1 : 0));
            copy.fill((byte) 0);
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
    }

    private static void free(final long context) {
        try {
            Libcrypto.Calls.FREE.invokeExact(context);
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
    }

    private static void check(final int result) {
        if (result <= 0) {
            throw new IllegalStateException("libcrypto refuses AES-128-GCM");
        }
    }

    @Override
    public void begin(final long counter, final long associatedAddress, final int associatedBytes) {
        Memory.putInt(nonce, 0);
        Memory.putLong(nonce + Integer.BYTES, counter);
        try {
            check(
                    (int)
                            Libcrypto.Calls.INIT.invokeExact(
                                    context, 0L, 0L, 0L, nonce, KEEP_DIRECTION));
            check(
                    (int)
                            Libcrypto.Calls.UPDATE.invokeExact(
                                    context, 0L, length, associatedAddress, associatedBytes));
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
    }

    @Override
    public void update(final long fromAddress, final long toAddress, final int lengthBytes) {
        if (lengthBytes == 0) {
            return;
        }
        try {
            check(
                    (int)
                            Libcrypto.Calls.UPDATE.invokeExact(
                                    context, toAddress, length, fromAddress, lengthBytes));
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
    }

    @Override
    public void finish(final long tagAddress) {
        try {
            check((int) Libcrypto.Calls.FINAL.invokeExact(context, rest, length));
            check(
                    (int)
                            Libcrypto.Calls.CONTROL.invokeExact(
                                    context, Libcrypto.CONTROL_GET_TAG, TAG_LENGTH, tagAddress));
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
    }

    @Override
    public boolean verify(final long tagAddress) {
        try {
            check(
                    (int)
                            Libcrypto.Calls.CONTROL.invokeExact(
                                    context, Libcrypto.CONTROL_SET_TAG, TAG_LENGTH, tagAddress));
            return (int) Libcrypto.Calls.FINAL.invokeExact(context, rest, length) > 0;
        } catch (final Throwable e) {
            throw Linux.unexpected(e);
        }
    }

    @Override
    public void close() {
        cleanable.clean();
    }
}
