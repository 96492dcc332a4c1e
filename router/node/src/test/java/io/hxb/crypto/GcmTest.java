package io.hxb.crypto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

@Tag("unit")
class GcmTest {
    private final MemorySegment memory = Arena.ofAuto().allocate(40_000, 64);
    private final long associated = memory.address();
    private final long plain = memory.address() + 100;
    private final long sealed = memory.address() + 12_000;
    private final long opened = memory.address() + 24_000;

    private static List<Gcm> encrypting(final byte[] key) {
        final Gcm jdk = new JdkGcm(key, true);
        return Libcrypto.isPresent() ? List.of(jdk, new LibcryptoGcm(key, true)) : List.of(jdk);
    }

    private static List<Gcm> decrypting(final byte[] key) {
        final Gcm jdk = new JdkGcm(key, false);
        return Libcrypto.isPresent() ? List.of(jdk, new LibcryptoGcm(key, false)) : List.of(jdk);
    }

    private String hex(final long address, final int length) {
        final byte[] bytes = new byte[length];
        MemorySegment.copy(
                memory, address - memory.address(), MemorySegment.ofArray(bytes), 0, bytes.length);
        return HexFormat.of().formatHex(bytes);
    }

    // Source: The Galois/Counter Mode of Operation, McGrew and Viega, test case 2.
    @Test
    void shouldEncryptTheVectorOfTheAuthors() {
        for (final Gcm gcm : encrypting(new byte[Gcm.KEY_LENGTH])) {
            // given
            memory.fill((byte) 0);
            // when
            gcm.begin(0, associated, 0);
            gcm.update(plain, sealed, 16);
            gcm.finish(sealed + 16);
            // then
            assertEquals(
                    "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf",
                    hex(sealed, 32));
            gcm.close();
        }
    }

    @Test
    void shouldOpenWhatTheOtherImplementationSealedAndNothingElse() {
        final Random random = new Random(38);
        final byte[] key = new byte[Gcm.KEY_LENGTH];
        random.nextBytes(key);
        for (int length = 0; length < 9_000; length += 1 + random.nextInt(700)) {
            for (int i = 0; i < 12_000; i++) {
                Memory.putByte(memory.address() + i, random.nextInt());
            }
            final long counter = random.nextLong();
            for (final Gcm from : encrypting(key)) {
                final int first = length == 0 ? 0 : random.nextInt(length);
                from.begin(counter, associated, 56);
                from.update(plain, sealed, first);
                from.update(plain + first, sealed + first, length - first);
                from.finish(sealed + length);
                for (final Gcm to : decrypting(key)) {
                    // when
                    to.begin(counter, associated, 56);
                    to.update(sealed, opened, length);
                    // then
                    assertTrue(to.verify(sealed + length));
                    assertEquals(hex(plain, length), hex(opened, length));
                    // given
                    final int bit = random.nextInt(8 * (length + 16));
                    flip(sealed, bit);
                    to.begin(counter, associated, 56);
                    to.update(sealed, opened, length);
                    assertFalse(to.verify(sealed + length), "bit " + bit);
                    flip(sealed, bit);
                    to.begin(counter + 1, associated, 56);
                    to.update(sealed, opened, length);
                    assertFalse(to.verify(sealed + length), "another counter");
                    to.begin(counter, associated, 55);
                    to.update(sealed, opened, length);
                    assertFalse(to.verify(sealed + length), "another header");
                    to.close();
                }
                from.close();
            }
        }
    }

    private static void flip(final long address, final int bit) {
        final long at = address + bit / 8;
        Memory.putByte(at, Memory.getUnsignedByte(at) ^ 1 << bit % 8);
    }
}
