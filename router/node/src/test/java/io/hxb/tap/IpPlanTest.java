package io.hxb.tap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/** Node 1 of a cluster of 300 with 10.77.0.0/16 and fd68:7862::/64. */
@Tag("unit")
class IpPlanTest {
    private static final int NODES = 300;
    private static final String OWN = "026878000001";
    private static final String OTHER = "02687800012b";
    private static final String ALL = "ffffffffffff";
    private static final String OWN_IPV6 = "fd687862000000000000000000000002";
    private static final String OTHER_IPV6 = "fd68786200000000000000000000012c";
    private static final String OTHER_LINK_LOCAL = "fe80000000000000006878fffe00012b";
    private static final int ROOM = 256;

    private final IpPlan plan =
            new IpPlan(
                    NODES,
                    1,
                    List.of(IpPrefix.parse("10.77.0.0/16"), IpPrefix.parse("fd68:7862::/64")));
    private final MemorySegment memory = Arena.ofAuto().allocate(ROOM, 8);
    private final long frame = memory.address();

    private int put(final String hex) {
        final byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        memory.fill((byte) 0xA5);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return bytes.length;
    }

    private int destination(final String hex) {
        return plan.destination(frame, put(hex));
    }

    private String taken(final int lengthBytes) {
        return HexFormat.of()
                .formatHex(memory.asSlice(0, lengthBytes).toArray(ValueLayout.JAVA_BYTE));
    }

    private static String ipv4(final String destination, final String source) {
        return destination + source + "0800" + "45000014000000004011000001020304" + "05060708";
    }

    private static String arp(
            final String destination,
            final int operation,
            final String mac,
            final String sender,
            final String target) {
        return destination
                + OWN
                + "0806"
                + "000108000604"
                + "%04x".formatted(operation)
                + mac
                + sender
                + "000000000000"
                + target;
    }

    private static String solicitation(final String source, final String target) {
        return "3333ff00012c"
                + OWN
                + "86dd"
                + "6000000000203aff"
                + source
                + ("ff0200000000000000000001ff" + target.substring(26))
                + "87001234"
                + "00000000"
                + target
                + ("0101" + OWN);
    }

    @Test
    void shouldKnowTheAddressesOfNodes() {
        assertEquals(0x0268_7800_012BL, IpPlan.mac(299));
        assertEquals("02:68:78:00:01:2b", IpPlan.macText(299));
        assertEquals("02:68:78:0f:ff:ff", IpPlan.macText((1 << 20) - 1));
    }

    @Test
    void shouldSendPacketsToTheNodeOfTheirMac() {
        assertEquals(299, destination(ipv4(OTHER, OWN)));
        assertEquals(0, destination(ipv4("026878000000", OWN)));
        assertEquals(IpPlan.BROADCAST, destination(ipv4(ALL, OWN)));
        assertEquals(IpPlan.BROADCAST, destination(ipv4("01005e0000fb", OWN)));
    }

    @Test
    void shouldDropWhatIsNotOfThisNicOrForNoNode() {
        assertEquals(IpPlan.FOREIGN_SOURCE, destination(ipv4(OTHER, "026878000002")));
        assertEquals(IpPlan.FOREIGN_SOURCE, destination(ipv4(ALL, OTHER)));
        assertEquals(IpPlan.FOREIGN_DESTINATION, destination(ipv4("02687800012c", OWN)));
        assertEquals(IpPlan.FOREIGN_DESTINATION, destination(ipv4("026877ffffff", OWN)));
        assertEquals(IpPlan.FOREIGN_DESTINATION, destination(ipv4("5254001234ab", OWN)));
        assertEquals(IpPlan.FOREIGN_DESTINATION, destination(ipv4(OWN, OWN)));
    }

    @Test
    void shouldDropWhatIsNotIp() {
        final String header = OTHER + OWN;
        assertEquals(IpPlan.TAGGED, destination(header + "8100000a0800" + "00".repeat(40)));
        assertEquals(IpPlan.TAGGED, destination(header + "88a8000a0800" + "00".repeat(40)));
        assertEquals(IpPlan.NOT_IP, destination(header + "88cc" + "00".repeat(40)));
        assertEquals(IpPlan.NOT_IP, destination(header + "0026" + "00".repeat(40)));
        assertEquals(IpPlan.MALFORMED, destination(header + "0800" + "65" + "00".repeat(40)));
        assertEquals(IpPlan.MALFORMED, destination(header + "86dd" + "45" + "00".repeat(40)));
    }

    @Test
    void shouldDropWhatIsShorterThanItsHeaders() {
        final int length = put(ipv4(OTHER, OWN));
        for (int i = -1; i < length; i++) {
            assertEquals(IpPlan.MALFORMED, plan.destination(frame, i), i + " bytes");
        }
        final int arpLength = put(arp(ALL, 1, OWN, "0a4d0002", "0a4d012c"));
        for (int i = 0; i < arpLength; i++) {
            assertEquals(IpPlan.MALFORMED, plan.destination(frame, i), i + " bytes");
        }
        assertEquals(IpPlan.MALFORMED, plan.destination(frame, Integer.MIN_VALUE));
    }

    @Test
    void shouldAnswerArpForEveryOtherNode() {
        // given
        final String asked = arp(ALL, 1, OWN, "0a4d0002", "0a4d012c");
        // when
        final int destination = destination(asked);
        final int length = plan.reply(frame);
        // then
        assertEquals(IpPlan.LOCAL_REPLY, destination);
        assertEquals(
                OWN + OTHER + "0806" + "0001080006040002" + OTHER + "0a4d012c" + OWN + "0a4d0002",
                taken(length));
    }

    @Test
    void shouldAnswerArpThatIsSentToTheNodeItself() {
        assertEquals(IpPlan.LOCAL_REPLY, destination(arp(OTHER, 1, OWN, "0a4d0002", "0a4d012c")));
    }

    @Test
    void shouldLetNobodyAnswerForThisNodeOrForNone() {
        assertEquals(IpPlan.UNANSWERED, destination(arp(ALL, 1, OWN, "00000000", "0a4d0002")));
        assertEquals(IpPlan.UNANSWERED, destination(arp(ALL, 1, OWN, "0a4d0002", "0a4d012d")));
        assertEquals(IpPlan.UNANSWERED, destination(arp(ALL, 1, OWN, "0a4d0002", "0a4d0000")));
        assertEquals(IpPlan.UNANSWERED, destination(arp(ALL, 1, OWN, "0a4d0002", "0a4dffff")));
        assertEquals(IpPlan.UNANSWERED, destination(solicitation("0".repeat(32), OWN_IPV6)));
        assertEquals(
                IpPlan.UNANSWERED,
                destination(solicitation(OWN_IPV6, "fd6878620000000000000000deadbeef")));
    }

    @Test
    void shouldAskAllNodesForAddressesBeyondThePrefix() {
        assertEquals(IpPlan.BROADCAST, destination(arp(ALL, 1, OWN, "0a4d0002", "0a4e012c")));
        assertEquals(IpPlan.BROADCAST, destination(arp(ALL, 2, OWN, "0a4e0002", "0a4e0002")));
        assertEquals(299, destination(arp(OTHER, 2, OWN, "0a4e0002", "0a4d012c")));
        assertEquals(
                IpPlan.BROADCAST,
                destination(solicitation(OWN_IPV6, "fd687863000000000000000000000001")));
        assertEquals(
                IpPlan.BROADCAST,
                destination(solicitation(OWN_IPV6, "fe80000000000000006878fffe00012c")));
    }

    @Test
    void shouldDropArpOfAnotherSenderOrKind() {
        assertEquals(IpPlan.MALFORMED, destination(arp(ALL, 1, OTHER, "0a4d0002", "0a4d012c")));
        final String hardware = arp(ALL, 1, OWN, "0a4d0002", "0a4d012c");
        assertEquals(
                IpPlan.MALFORMED,
                destination(hardware.replace("00010800060400", "00060800060400")));
        assertEquals(
                IpPlan.MALFORMED,
                destination(hardware.replace("00010800060400", "00010800080400")));
    }

    @ParameterizedTest
    @ValueSource(strings = {OTHER_IPV6, OTHER_LINK_LOCAL})
    void shouldAnswerNeighbourSolicitations(final String target) {
        // when
        final int destination = destination(solicitation(OWN_IPV6, target));
        final int length = plan.reply(frame);
        // then
        assertEquals(IpPlan.LOCAL_REPLY, destination);
        assertEquals(IpPlan.REPLY_LENGTH, length);
        final String reply = taken(length);
        assertEquals(
                OWN + OTHER + "86dd" + "6000000000203aff" + target + OWN_IPV6,
                reply.substring(0, 108));
        assertEquals("8800", reply.substring(108, 112));
        assertEquals("60000000" + target + "0201" + OTHER, reply.substring(116));
        assertEquals(0xFFFF, sum());
    }

    @Test
    void shouldTellAMachineThatAnotherNodeHasTheAddressItWants() {
        // when: a solicitation without an option, from no address
        final String asked = solicitation("0".repeat(32), OTHER_IPV6);
        final int destination = destination(asked.substring(0, asked.length() - 16));
        final int length = plan.reply(frame);
        // then
        assertEquals(IpPlan.LOCAL_REPLY, destination);
        final String reply = taken(length);
        assertTrue(reply.startsWith("333300000001" + OTHER + "86dd"), reply);
        assertEquals("ff02" + "0".repeat(27) + "1", reply.substring(76, 108));
        assertEquals("20000000", reply.substring(116, 124));
        assertEquals(0xFFFF, sum());
    }

    /** The sum of an ICMPv6 packet with its pseudo-header, by 32 bits. */
    private int sum() {
        long sum = 32 + 58;
        for (int offset = 22; offset < 86; offset += 2) {
            sum +=
                    ((memory.get(ValueLayout.JAVA_BYTE, offset) & 0xFF) << 8)
                            | (memory.get(ValueLayout.JAVA_BYTE, offset + 1) & 0xFF);
        }
        while (sum >>> 16 != 0) {
            sum = (sum & 0xFFFF) + (sum >>> 16);
        }
        return (int) sum;
    }

    @Test
    void shouldSendSolicitationsThatRoutersCouldHaveForgedToTheirMac() {
        final String asked = solicitation(OWN_IPV6, OTHER_IPV6).replace("3aff", "3a40");
        assertEquals(IpPlan.BROADCAST, destination(asked));
    }

    @Test
    void shouldTakeOnlyPacketsOfTheNodeThatSentThem() {
        // given
        final int length = put(ipv4(OWN, OTHER));
        // then
        assertTrue(plan.isFrom(frame, length, 299));
        assertFalse(plan.isFrom(frame, length, 298));
        assertFalse(plan.isFrom(frame, 33, 299));
        assertTrue(plan.isFrom(frame, put(ipv4(ALL, OTHER)), 299));
        assertFalse(plan.isFrom(frame, put(ipv4("026878000002", OTHER)), 299));
        assertFalse(plan.isFrom(frame, put(OWN + OTHER + "88cc" + "00".repeat(40)), 299));
        assertFalse(plan.isFrom(frame, put(OWN + OTHER + "8100" + "00".repeat(40)), 299));
    }

    @Test
    void shouldTakeNoClaimsOfAddressesOfThirdNodes() {
        final IpPlan other =
                new IpPlan(
                        NODES,
                        299,
                        List.of(IpPrefix.parse("10.77.0.0/16"), IpPrefix.parse("fd68:7862::/64")));
        // ARP of node 1 for its own address, for that of node 299, and for one beyond the prefix.
        assertTrue(other.isFrom(frame, put(arp(ALL, 2, OWN, "0a4d0002", "0a4d0002")), 1));
        assertFalse(other.isFrom(frame, put(arp(ALL, 2, OWN, "0a4d012c", "0a4d0002")), 1));
        assertTrue(other.isFrom(frame, put(arp(ALL, 2, OWN, "0a4e0001", "0a4e0001")), 1));
        assertFalse(other.isFrom(frame, put(arp(ALL, 2, OTHER, "0a4d0002", "0a4d0002")), 1));
        // Neighbour discovery likewise.
        assertTrue(other.isFrom(frame, put(solicitation(OWN_IPV6, OTHER_IPV6)), 1));
        assertFalse(other.isFrom(frame, put(solicitation(OTHER_IPV6, OTHER_IPV6)), 1));
        final String advertised =
                solicitation(OWN_IPV6, OTHER_IPV6).replace("87001234", "88001234");
        assertFalse(other.isFrom(frame, put(advertised), 1));
        assertTrue(other.isFrom(frame, put(advertised.replace(OTHER_IPV6, OWN_IPV6)), 1));
    }

    // A node that passes packets on could write its own MAC there.
    @Test
    void shouldTakeNoMacOfAThirdNodeInNeighbourDiscovery() {
        final IpPlan other = new IpPlan(NODES, 299, List.of(IpPrefix.parse("fd68:7862::/64")));
        final String asked = solicitation(OWN_IPV6, OTHER_IPV6);
        final String option = "0101" + OWN;
        final String claimed = "0201" + "026878000002";
        final String advertised =
                asked.replace("87001234", "88001234").replace(OTHER_IPV6, OWN_IPV6);
        assertTrue(asked.contains(option), asked);
        // when, then
        assertTrue(other.isFrom(frame, put(advertised), 1));
        assertFalse(other.isFrom(frame, put(advertised.replace(option, claimed)), 1));
        assertFalse(other.isFrom(frame, put(asked.replace(option, claimed)), 1));
        assertFalse(other.isFrom(frame, put(asked.replace(option, "0100" + OWN)), 1), "no length");
        // Of routers: solicitation, advertisement; a redirection to many.
        for (final String type : List.of("8500", "8600", "8900")) {
            final int kept = "8600".equals(type) ? 32 : 16;
            final String message =
                    asked.replace("87001234", type + "1234")
                            .replace("00000000" + OTHER_IPV6, "0".repeat(kept - 8));
            assertEquals(!"8900".equals(type), other.isFrom(frame, put(message), 1), message);
            assertFalse(other.isFrom(frame, put(message.replace(option, claimed)), 1), message);
            assertFalse(other.isFrom(frame, put(message.replace(OWN_IPV6, OTHER_IPV6)), 1));
        }
        // Behind an extension header.
        final String hidden = asked.replace("3aff" + OWN_IPV6, "3cff" + OWN_IPV6);
        final int at = hidden.indexOf("87001234");
        assertFalse(
                other.isFrom(
                        frame,
                        put(hidden.substring(0, at) + "3a00010400000000" + hidden.substring(at)),
                        1));
    }

    @Test
    void shouldKnowWhosePacketForAllNodesItIs() {
        assertEquals(299, plan.senderToAll(frame, put(ipv4(ALL, OTHER))));
        assertEquals(-1, plan.senderToAll(frame, put(ipv4(OWN, OTHER))));
        assertEquals(-1, plan.senderToAll(frame, put(ipv4(ALL, "02687800012c"))));
        assertEquals(-1, plan.senderToAll(frame, put(ipv4(ALL, "020000000001"))));
        assertEquals(-1, plan.senderToAll(frame, 13));
    }

    @Test
    void shouldBroadcastRequestsOfFamiliesWithoutPrefix() {
        final IpPlan none = new IpPlan(NODES, 1, List.of());
        assertEquals(
                IpPlan.BROADCAST,
                none.destination(frame, put(arp(ALL, 1, OWN, "0a4d0002", "0a4d012c"))));
        assertEquals(
                IpPlan.BROADCAST, none.destination(frame, put(solicitation(OWN_IPV6, OTHER_IPV6))));
    }

    @Test
    void shouldDependOnNoByteBeyondTheLength() {
        // given
        final long seed = 20_261_128;
        final Random random = new Random(seed);
        final List<String> samples =
                List.of(
                        ipv4(OTHER, OWN),
                        arp(ALL, 1, OWN, "0a4d0002", "0a4d012c"),
                        solicitation(OWN_IPV6, OTHER_IPV6),
                        solicitation("0".repeat(32), OTHER_LINK_LOCAL),
                        ipv4(OWN, OTHER));
        for (int i = 0; i < 200_000; i++) {
            final int length = put(samples.get(i % samples.size()));
            for (int change = random.nextInt(4); change > 0; change--) {
                memory.set(ValueLayout.JAVA_BYTE, random.nextInt(length), (byte) random.nextInt());
            }
            final int given = random.nextInt(length + 1);
            final MemorySegment rest = memory.asSlice(given);
            // when
            rest.fill((byte) 0);
            final int destination = plan.destination(frame, given);
            final boolean isTaken = plan.isFrom(frame, given, 299);
            rest.fill((byte) random.nextInt());
            // then
            assertEquals(destination, plan.destination(frame, given), "seed " + seed);
            assertEquals(isTaken, plan.isFrom(frame, given, 299), "seed " + seed);
            assertTrue(destination >= IpPlan.UNANSWERED && destination < NODES);
            assertTrue(destination != 1);
            if (destination == IpPlan.LOCAL_REPLY) {
                checkReply(seed);
            }
        }
    }

    private void checkReply(final long seed) {
        final byte[] before = memory.asSlice(IpPlan.REPLY_LENGTH).toArray(ValueLayout.JAVA_BYTE);
        final int length = plan.reply(frame);
        assertTrue(length == 42 || length == IpPlan.REPLY_LENGTH, "seed " + seed);
        assertArrayEquals(
                before, memory.asSlice(IpPlan.REPLY_LENGTH).toArray(ValueLayout.JAVA_BYTE));
        assertTrue(length == 42 || sum() == 0xFFFF, "seed " + seed);
    }

    @Test
    void shouldRefusePlansThatDoNotFit() {
        final List<IpPrefix> small = List.of(IpPrefix.parse("10.77.0.0/24"));
        assertThrows(IllegalArgumentException.class, () -> new IpPlan(300, 0, small));
        assertThrows(IllegalArgumentException.class, () -> new IpPlan(4, 4, small));
        assertThrows(IllegalArgumentException.class, () -> new IpPlan(4, -1, small));
        assertThrows(IllegalArgumentException.class, () -> new IpPlan(0, 0, small));
        assertThrows(IllegalArgumentException.class, () -> new IpPlan((1 << 24) + 1, 0, List.of()));
    }

    @Test
    void shouldKnowWhichAddressesAreInAPrefix() {
        final IpPrefix wide = IpPrefix.parse("fd00::/8");
        assertTrue(wide.contains(0xFDFFL << 48, -1));
        assertFalse(wide.contains(0xFCFFL << 48, -1));
        final IpPrefix narrow = IpPrefix.parse("fd00::10/124");
        assertTrue(narrow.contains(0xFD00L << 48, 0x1F));
        assertFalse(narrow.contains(0xFD00L << 48, 0x20));
        assertFalse(narrow.contains(0xFD01L << 48, 0x1F));
        final IpPrefix half = IpPrefix.parse("fd00::/64");
        assertTrue(half.contains(0xFD00L << 48, -1));
        assertFalse(half.contains(0xFD00L << 48 | 1, 0));
        final IpPrefix ipv4 = IpPrefix.parse("10.77.0.0/16");
        assertTrue(ipv4.contains(0, 0x0A4D_FFFFL));
        assertFalse(ipv4.contains(0, 0x0A4E_0000L));
    }
}
