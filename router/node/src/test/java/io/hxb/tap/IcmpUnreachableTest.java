package io.hxb.tap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.HexFormat;
import java.util.List;

/** Messages that a node cannot be reached, byte for byte. */
@Tag("unit")
class IcmpUnreachableTest {
    private static final int UNREACHED = 2;
    private static final String OWN = "026878000000";
    private static final String THEIRS = "026878000002";
    private static final String ETHERNET = THEIRS + OWN;
    private static final String TO_THIRD = "0a4d00010a4d0003";
    private static final String UDP = "0102030400080000";
    private static final String FD = "fd687862000000000000000000000001";
    private static final String FD_THIRD = "fd687862000000000000000000000003";

    private final Arena arena = Arena.ofConfined();
    private final long frame = arena.allocate(70_000, 8).address();
    private final long answer = arena.allocate(IpPlan.UNREACHABLE_LENGTH, 8).address();
    private final IpPlan plan =
            new IpPlan(
                    4,
                    0,
                    List.of(IpPrefix.parse("10.77.0.0/24"), IpPrefix.parse("fd68:7862::/64")));

    @AfterEach
    void close() {
        arena.close();
    }

    private int put(final String hex) {
        final byte[] bytes = HexFormat.of().parseHex(hex);
        for (int i = 0; i < bytes.length; i++) {
            Memory.putByte(frame + i, bytes[i]);
        }
        return bytes.length;
    }

    private String answer(final String hex) {
        return answer(put(hex));
    }

    private String answer(final int lengthBytes) {
        final byte[] bytes = new byte[plan.unreachable(frame, lengthBytes, UNREACHED, answer)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = Memory.getByte(answer + i);
        }
        return HexFormat.of().formatHex(bytes);
    }

    private static String ipv4(final String fragment, final String protocol, final String rest) {
        return "45000000" + "0000" + fragment + "40" + protocol + "0000" + rest;
    }

    private static String ipv6(final String next, final String rest) {
        return "60000000" + "0008" + next + "40" + rest;
    }

    private String answerIpv4(final String packet) {
        return answer(ETHERNET + "0800" + packet);
    }

    private String answerIpv6(final String packet) {
        return answer(ETHERNET + "86dd" + packet);
    }

    /** Sum of words of 16 bits with their carries: 0xFFFF if a checksum is right. */
    private static int sum(final String hex) {
        int sum = 0;
        for (int i = 0; i < hex.length(); i += 4) {
            final String word = (hex + "00").substring(i, i + 4);
            sum += Integer.parseInt(word, 16);
            sum = (sum & 0xFFFF) + (sum >>> 16);
        }
        return sum;
    }

    @Test
    void shouldTellThatAHostIsUnreachable() {
        // given
        final String packet = ipv4("4000", "11", TO_THIRD + UDP);
        // when
        final String message = answerIpv4(packet);
        // then: from the node, to this one, IPv4 with 20 + 8 + 28 bytes
        assertEquals(OWN + THEIRS + "0800", message.substring(0, 28));
        final String ip = message.substring(28);
        assertEquals("45c00038" + "00004000" + "4001", ip.substring(0, 20));
        assertEquals("0a4d0003" + "0a4d0001", ip.substring(24, 40));
        assertEquals(0xFFFF, sum(ip.substring(0, 40)));
        assertEquals("0301", ip.substring(40, 44));
        assertEquals("00000000" + packet, ip.substring(48));
        assertEquals(0xFFFF, sum(ip.substring(40)));
    }

    @Test
    void shouldTellThatAnAddressIsUnreachable() {
        // given
        final String packet = ipv6("11", FD + FD_THIRD + UDP);
        // when
        final String message = answerIpv6(packet);
        // then
        assertEquals(OWN + THEIRS + "86dd", message.substring(0, 28));
        final String ip = message.substring(28);
        assertEquals("60000000" + "00383a40" + FD_THIRD + FD, ip.substring(0, 80));
        assertEquals("0103", ip.substring(80, 84));
        assertEquals("00000000" + packet, ip.substring(88));
        assertEquals(0xFFFF, sum(FD_THIRD + FD + "00000038" + "0000003a" + ip.substring(80)));
    }

    @Test
    void shouldAnswerFromTheLinkLocalAddressWhenThatWasAsked() {
        // when
        final String message =
                answerIpv6(
                        ipv6(
                                "11",
                                "fe80000000000000006878fffe000000"
                                        + "fe80000000000000006878fffe000002"
                                        + UDP));
        // then
        assertEquals("fe80000000000000006878fffe000002", message.substring(44, 76));
    }

    @Test
    void shouldQuoteLongPacketsInPart() {
        // given
        put(ETHERNET + "0800" + ipv4("0000", "06", TO_THIRD));
        // when, then
        final String message = answer(65_549);
        assertEquals(14 + 576, message.length() / 2);
        assertEquals(0xFFFF, sum(message.substring(68)));
        // an odd number of bytes
        final String odd = answer(14 + 33);
        assertEquals(14 + 28 + 33, odd.length() / 2);
        assertEquals(0xFFFF, sum(odd.substring(68)));
        // given
        put(ETHERNET + "86dd" + ipv6("06", FD + FD_THIRD));
        // when, then
        assertEquals(IpPlan.UNREACHABLE_LENGTH, answer(65_549).length() / 2);
    }

    // RFC 1122, 3.2.2.
    @Test
    void shouldNotAnswerErrorsFragmentsAndPacketsForOrFromMany() {
        for (final String type : List.of("03", "04", "05", "0b", "0c")) {
            assertEquals("", answerIpv4(ipv4("0000", "01", TO_THIRD + type + "01ffff")));
        }
        assertEquals("", answerIpv4(ipv4("0000", "01", TO_THIRD)), "ICMP without a type");
        assertEquals("", answerIpv4(ipv4("2001", "11", TO_THIRD + UDP)));
        for (final String addresses :
                List.of(
                        "000000000a4d0003",
                        "7f0000010a4d0003",
                        "e00000fb0a4d0003",
                        "0a4d0001e00000fb",
                        "0a4d0001ffffffff")) {
            assertEquals("", answerIpv4(ipv4("0000", "11", addresses + UDP)), addresses);
        }
        assertEquals(
                "", answer("ffffffffffff" + OWN + "0800" + ipv4("0000", "11", TO_THIRD + UDP)));
        assertEquals("", answer(ETHERNET + "0806" + ipv4("0000", "11", TO_THIRD + UDP)));
        assertEquals("", answer(ETHERNET + "0800" + "45"));
        assertEquals("", answer("00"));
        assertTrue(!answerIpv4(ipv4("0000", "01", TO_THIRD + "0800ffff")).isEmpty(), "ping");
        assertTrue(!answerIpv4(ipv4("2000", "11", TO_THIRD + UDP)).isEmpty(), "first fragment");
    }

    // RFC 4443, 2.4 (e).
    @Test
    void shouldNotAnswerErrorsFragmentsAndPacketsForOrFromManyOfIpv6() {
        final String none = "00".repeat(16);
        final String many = "ff0200000000000000000000000000fb";
        assertEquals("", answerIpv6(ipv6("3a", FD + FD_THIRD + "01030000")));
        assertEquals("", answerIpv6(ipv6("3a", FD + FD_THIRD + "89000000")), "redirect");
        assertEquals("", answerIpv6(ipv6("3a", FD + FD_THIRD)), "no type");
        assertEquals("", answerIpv6(ipv6("11", none + FD_THIRD + UDP)));
        assertEquals("", answerIpv6(ipv6("11", many + FD_THIRD + UDP)));
        assertEquals("", answerIpv6(ipv6("11", FD + many + UDP)));
        assertEquals("", answerIpv6(ipv6("3c", FD + FD_THIRD + "3a00")), "cut off");
        assertEquals("", answerIpv6(ipv6("3c", FD + FD_THIRD + "3a00000000000000" + "01030000")));
        assertEquals("", answerIpv6(ipv6("2c", FD + FD_THIRD + "1100000900000001" + UDP)));
        assertTrue(!answerIpv6(ipv6("3a", FD + FD_THIRD + "80000000")).isEmpty(), "ping");
        assertTrue(
                !answerIpv6(ipv6("2c", FD + FD_THIRD + "1100000100000001" + UDP)).isEmpty(),
                "first fragment");
    }

    @Test
    void shouldNotAnswerAFamilyWithoutAPrefix() {
        // given
        final IpPlan other = new IpPlan(4, 0, List.of(IpPrefix.parse("fd68:7862::/64")));
        // when
        final int length = put(ETHERNET + "0800" + ipv4("0000", "11", TO_THIRD + UDP));
        // then
        assertEquals(0, other.unreachable(frame, length, UNREACHED, answer));
    }
}
