package io.hxb.tap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class IpPrefixTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.77.0.0/16",
                "192.168.5.0/24",
                "172.16.0.128/25",
                "10.0.0.0/8",
                "10.0.0.4/30",
                "fd68:7862::/64",
                "2001:db8:0:1::/64",
                "fd00::1:0:0:0/80",
                "fd00:1:2:3:4:5:6:0/112",
                "fd00::/8",
                "fd00::4/126"
            })
    void shouldWriteAsItWasRead(final String text) {
        assertEquals(text, IpPrefix.parse(text).toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.77.0.1/16 | must end after its length: 10.77.0.0/16",
                "fd68::1/64 | must end after its length: fd68::/64",
                "10.77.0.0/31 | must have a length of 8..30",
                "10.77.0.0/7 | must have a length of 8..30",
                "fd68::/127 | must have a length of 8..126",
                "10.77.0.0/999999999999 | must be addresses such as",
                "10.77.0.0 | must be addresses such as",
                "10.77.0.256/16 | must be addresses such as",
                "10.77/16 | must be addresses such as",
                "10.77.0.0/16/16 | must be addresses such as",
                "fd68:::/64 | must be addresses such as",
                "::ffff:10.0.0.0/104 | must be addresses such as",
                "localhost/24 | must be addresses such as",
                "'' | must be addresses such as",
                "0.0.0.0/8 | must be addresses that a NIC may have",
                "127.0.0.0/8 | must be addresses that a NIC may have",
                "169.254.0.0/16 | must be addresses that a NIC may have",
                "224.0.0.0/8 | must be addresses that a NIC may have",
                "240.0.0.0/8 | must be addresses that a NIC may have",
                "::/64 | must be addresses that a NIC may have",
                "fe80::/64 | must be addresses that a NIC may have",
                "ff02::/64 | must be addresses that a NIC may have"
            })
    void shouldSayWhatIsWrong(final String text, final String message) {
        // when
        final IllegalArgumentException thrown =
                assertThrows(IllegalArgumentException.class, () -> IpPrefix.parse(text));
        // then
        assertTrue(thrown.getMessage().startsWith(message), thrown.getMessage());
    }

    @Test
    void shouldGiveEachNodeAnAddress() {
        final IpPrefix ipv4 = IpPrefix.parse("10.77.0.0/16");
        final IpPrefix ipv6 = IpPrefix.parse("fd68:7862::/64");
        assertEquals("10.77.0.1", ipv4.address(0));
        assertEquals("10.77.1.0", ipv4.address(255));
        assertEquals("fd68:7862::1", ipv6.address(0));
        assertEquals("fd68:7862::10:0", ipv6.address((1 << 20) - 1));
    }

    @Test
    void shouldHaveRoomForNodesBesideItsSpecialAddresses() {
        assertEquals(2, IpPrefix.parse("10.77.0.0/30").room());
        assertEquals(254, IpPrefix.parse("10.77.0.0/24").room());
        assertEquals((1 << 24) - 2, IpPrefix.parse("10.0.0.0/8").room());
        assertEquals(3, IpPrefix.parse("fd68::/126").room());
        assertEquals(Integer.MAX_VALUE, IpPrefix.parse("fd68::/64").room());
    }
}
