package io.hxb.crypto;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.HexFormat;

@Tag("unit")
class HkdfTest {
    // Source: RFC 5869, A.1 to A.3.
    @ParameterizedTest
    @CsvSource({
        "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b, 000102030405060708090a0b0c,"
                + " f0f1f2f3f4f5f6f7f8f9, 3cb25f25faacd57a90434f64d0362f2a"
                + "2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b, '', '',"
                + " 8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
                + "9d201395faa4b61a96c8",
    })
    void shouldDeriveTheKeysOfTheStandard(
            final String key, final String salt, final String info, final String expected) {
        // when
        final byte[] derived =
                Hkdf.derive(bytes(key), bytes(salt), bytes(info), expected.length() / 2);
        // then
        assertEquals(expected, HexFormat.of().formatHex(derived));
    }

    @Test
    void shouldWriteLabelsAndNumbersOfFixedWidth() {
        // when
        final byte[] info = Hkdf.info("ab", 1, -2);
        // then
        assertEquals("61620000000000000001fffffffffffffffe", HexFormat.of().formatHex(info));
    }

    private static byte[] bytes(final String hex) {
        return HexFormat.of().parseHex(hex);
    }
}
