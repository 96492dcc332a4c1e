package io.hxb.crypto;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.Random;

import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

@Tag("unit")
class CmacTest {
    private static final String KEY = "2b7e151628aed2a6abf7158809cf4f3c";
    private static final String MESSAGE =
            "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                    + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";

    private final MemorySegment memory = Arena.ofAuto().allocate(8192, 8);
    private final MacInput input = new MacInput();

    private static byte[] bytes(final String hex) {
        return HexFormat.of().parseHex(hex);
    }

    private String tag(final Cmac key, final byte[] message) {
        MemorySegment.copy(MemorySegment.ofArray(message), 0, memory, 0, message.length);
        input.begin(key).putBytes(memory.address(), message.length).finish();
        input.writeTag(memory.address() + 8000);
        final byte[] tag = new byte[16];
        MemorySegment.copy(memory, 8000, MemorySegment.ofArray(tag), 0, tag.length);
        return HexFormat.of().formatHex(tag);
    }

    // Source: RFC 4493, section 4.
    @ParameterizedTest
    @CsvSource({
        "0, bb1d6929e95937287fa37d129b756746",
        "16, 070a16b46b4d4144f79bdd9dd04a287c",
        "40, dfa66747de9ae63030ca32611497c827",
        "64, 51f0bebf7e3b9d92fc49741779363cfe",
    })
    void shouldComputeTheCodesOfTheStandard(final int length, final String expected) {
        // given
        final byte[] message = java.util.Arrays.copyOf(bytes(MESSAGE), length);
        // when
        final String tag = tag(new Cmac(bytes(KEY)), message);
        // then
        assertEquals(expected, tag);
    }

    // The definition, block by block.
    private static String reference(final byte[] key, final byte[] message) throws Exception {
        final Cipher aes = Cipher.getInstance("AES/ECB/NoPadding");
        aes.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"));
        final boolean isWhole = message.length > 0 && message.length % 16 == 0;
        final byte[] padded = java.util.Arrays.copyOf(message, (message.length + 16) / 16 * 16);
        final int length = isWhole ? message.length : padded.length;
        java.math.BigInteger subkey = new java.math.BigInteger(1, aes.doFinal(new byte[16]));
        for (int i = 0; i < (isWhole ? 1 : 2); i++) {
            subkey = subkey.shiftLeft(1);
            subkey = subkey.testBit(128) ? subkey.clearBit(128).xor(big(0x87)) : subkey;
        }
        if (!isWhole) {
            padded[message.length] = (byte) 0x80;
        }
        final byte[] mixed = bytes(String.format("%032x", subkey));
        byte[] state = new byte[16];
        for (int block = 0; block < length; block += 16) {
            for (int i = 0; i < 16; i++) {
                state[i] ^= padded[block + i];
                state[i] ^= block + 16 == length ? mixed[i] : 0;
            }
            state = aes.doFinal(state);
        }
        return HexFormat.of().formatHex(state);
    }

    private static java.math.BigInteger big(final long value) {
        return java.math.BigInteger.valueOf(value);
    }

    @Test
    void shouldAgreeWithTheDefinitionForMessagesOfAnyLength() throws Exception {
        // given
        final Random random = new Random(4493);
        final byte[] key = new byte[16];
        random.nextBytes(key);
        final Cmac cmac = new Cmac(key);
        for (int length = 0; length < 5000; length += length < 100 ? 1 : 1 + random.nextInt(97)) {
            final byte[] message = new byte[length];
            random.nextBytes(message);
            // when
            final String tag = tag(cmac, message);
            // then
            assertEquals(reference(key, message), tag, "length " + length);
        }
    }

    @Test
    void shouldTakeAMessageInPieces() {
        // given
        final Cmac key = new Cmac(bytes(KEY));
        final byte[] message = new byte[3000];
        new Random(1).nextBytes(message);
        final String whole = tag(key, message);
        // when
        input.begin(key);
        int done = 0;
        while (done < 2000) {
            input.putLong(Memory.getLong(memory.address() + done));
            done += 8;
        }
        input.putBytes(memory.address() + done, 7);
        input.putBytes(memory.address() + done + 7, 3000 - done - 7).finish();
        // then
        input.writeTag(memory.address() + 8000);
        final byte[] tag = new byte[16];
        MemorySegment.copy(memory, 8000, MemorySegment.ofArray(tag), 0, tag.length);
        assertEquals(whole, HexFormat.of().formatHex(tag));
    }

    @Test
    void shouldKnowATagFromEveryOtherThatDiffersInOneBit() {
        // given
        tag(new Cmac(bytes(KEY)), bytes(MESSAGE));
        final long address = memory.address() + 8000;
        assertTrue(input.isTag(address));
        for (int bit = 0; bit < 128; bit++) {
            // when
            Memory.putByte(
                    address + bit / 8, Memory.getUnsignedByte(address + bit / 8) ^ 1 << bit % 8);
            // then
            assertFalse(input.isTag(address), "bit " + bit);
            Memory.putByte(
                    address + bit / 8, Memory.getUnsignedByte(address + bit / 8) ^ 1 << bit % 8);
        }
    }
}
