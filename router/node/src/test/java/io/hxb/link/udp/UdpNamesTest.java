package io.hxb.link.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.SocketConfig;
import io.hxb.link.BufferPool;
import io.hxb.testing.TestFrames;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Neighbours on real UDP links whose names get other addresses. */
@Tag("unit")
class UdpNamesTest {
    private static final int PORT = 4_000;

    private final TestFrames frames = new TestFrames();
    private final BufferPool pool = frames.pool(64, 2_048);
    private final BufferPool.Share share = pool.newShare();
    private final Map<String, long[]> known = new HashMap<>();
    private final List<String> asked = new ArrayList<>();
    private final Set<Integer> heard = new HashSet<>();
    private final UdpNames names = new UdpNames(this::resolve);
    private UdpLink link;

    @BeforeEach
    void opensALink() throws IOException {
        link = open(0);
        known.put("one", new long[] {address(1)});
        known.put("two", new long[] {address(2)});
    }

    private UdpLink open(final int index) throws IOException {
        return UdpLink.open(
                new UdpLinkConfig(
                        index,
                        "127.0.0.1:0",
                        SocketConfig.DEFAULT.withSizes(1_500, 1 << 17, 1 << 17)),
                UdpPeers.NONE.with(1, address(1)).with(2, address(2)).with(3, address(3)),
                share);
    }

    @AfterEach
    void closesTheLink() {
        names.close();
        link.close();
    }

    private static long address(final int host) {
        return UdpAddress.parse("192.0.2." + host + ":" + PORT);
    }

    private long[] resolve(final String host, final int port) throws UnknownHostException {
        assertEquals(PORT, port);
        asked.add(host);
        if (!known.containsKey(host)) {
            throw new UnknownHostException(host);
        }
        return known.get(host);
    }

    private void lookUp() {
        asked.clear();
        names.lookUp((index, neighbour) -> heard.contains(neighbour));
    }

    private boolean isAt(final int neighbour, final int... hosts) {
        final long[] addresses = new long[hosts.length];
        for (int i = 0; i < hosts.length; i++) {
            addresses[i] = address(hosts[i]);
        }
        return link.peers().isKnown(neighbour, addresses);
    }

    @Test
    void shouldFollowASilentNeighbourToItsNewAddressesAndLeaveOthersWhereTheyAre() {
        // given
        names.add(link, 1, "one", PORT);
        names.add(link, 2, "two", PORT);
        heard.add(2);
        // when
        known.put("one", new long[] {address(8), address(9)});
        known.put("two", new long[] {address(7)});
        lookUp();
        // then
        assertEquals(List.of("one"), asked, "who is heard need not be looked for");
        assertTrue(isAt(1, 9, 8));
        assertTrue(isAt(2, 2));
        assertTrue(isAt(3, 3));
        // when
        heard.clear();
        lookUp();
        // then
        assertTrue(isAt(2, 7));
    }

    @Test
    void shouldKeepTheAddressesOfANameThatIsNotKnownForTheMoment() {
        // given
        names.add(link, 1, "one", PORT);
        names.add(link, 2, "two", PORT);
        // when
        known.remove("one");
        known.put("two", new long[] {address(7)});
        lookUp();
        // then
        assertTrue(isAt(1, 1));
        assertTrue(isAt(2, 7), "the others are looked up all the same");
    }

    @Test
    void shouldNotChangeAnythingForTheSameAddressesInAnotherOrder() {
        // given
        names.add(link, 1, "one", PORT);
        known.put("one", new long[] {address(8), address(9)});
        lookUp();
        final UdpPeers before = link.peers();
        // when
        known.put("one", new long[] {address(9), address(8)});
        lookUp();
        // then
        assertSame(before, link.peers(), "the filter of the kernel is not replaced");
    }

    @Test
    void shouldAskForEachNameOnceWhateverLinksItIsOn() throws IOException {
        // given
        try (UdpLink other = open(1)) {
            names.add(link, 1, "one", PORT);
            names.add(other, 1, "one", PORT);
            // when
            known.put("one", new long[] {address(8)});
            lookUp();
            // then
            assertEquals(List.of("one"), asked);
            assertTrue(isAt(1, 8));
            assertTrue(other.peers().isKnown(1, address(8)));
        }
    }

    @Test
    void shouldAskForNoAddress() {
        names.add(link, 1, "192.0.2.1", PORT);
        lookUp();
        assertEquals(List.of(), asked);
    }

    @Test
    void shouldLeaveALinkAloneThatIsClosed() {
        // given
        names.add(link, 1, "one", PORT);
        known.put("one", new long[] {address(8)});
        // when
        link.close();
        lookUp();
        // then
        assertFalse(isAt(1, 8));
    }

    @Test
    void shouldAskNobodyAnyMoreOnceItIsClosed() {
        // given
        names.add(link, 1, "one", PORT);
        // when
        names.close();
        lookUp();
        // then
        assertEquals(List.of(), asked);
    }

    @Test
    void shouldResolveNamesOfTheSystem() throws UnknownHostException {
        assertEquals(
                UdpAddress.parse("127.0.0.1:" + PORT), UdpAddress.resolve("localhost", PORT)[0]);
    }
}
