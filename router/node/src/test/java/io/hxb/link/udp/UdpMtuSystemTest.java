package io.hxb.link.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.SocketConfig;
import io.hxb.link.BufferPool;
import io.hxb.os.NetworkNamespace;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;

/** The MTU of UDP links over NICs, in network namespaces. */
@Tag("system")
class UdpMtuSystemTest {
    private static final long NEIGHBOUR = UdpAddress.parse("10.6.0.2:20000");
    private static final long FAR = UdpAddress.parse("10.7.0.2:20000");
    private static final long NOWHERE = UdpAddress.parse("10.8.0.2:20000");

    private final BufferPool pool = new TestFrames().pool(64, 66_048);
    private TestNamespaces namespaces;
    private String here;
    private UdpLink link;

    @BeforeEach
    void setUp() {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        here = namespaces.add("a");
        namespaces.veth(here, "w0", namespaces.add("b"), "w1", 1_500);
        TestNamespaces.ipIn(here, "addr add 10.6.0.1/24 dev w0");
    }

    @AfterEach
    void tearDown() {
        if (link != null) {
            link.close();
        }
        if (namespaces != null) {
            namespaces.close();
        }
    }

    private void open(final String address, final int mtuBytes, final long... peers)
            throws IOException {
        final SocketConfig socket = SocketConfig.DEFAULT.withSizes(mtuBytes, 1 << 17, 1 << 17);
        link =
                NetworkNamespace.run(
                        here,
                        () ->
                                UdpLink.open(
                                        new UdpLinkConfig(0, address, socket),
                                        UdpPeers.NONE.with(1, peers),
                                        pool.newShare()));
    }

    private boolean refresh() throws IOException {
        return NetworkNamespace.run(here, () -> link.refresh());
    }

    @Test
    void shouldSendFramesThatFitOnePacketOfTheNic() throws IOException {
        // given
        open("10.6.0.1:20000", 0, NEIGHBOUR);
        assertEquals(1_472, link.mtuBytes());
        assertFalse(refresh());
        // when
        TestNamespaces.ipIn(here, "link set w0 mtu 9000");
        // then
        assertTrue(refresh());
        assertEquals(8_972, link.mtuBytes());
        // and when
        TestNamespaces.ipIn(here, "link set w0 mtu 1400");
        // then
        assertTrue(refresh());
        assertEquals(1_372, link.mtuBytes());
    }

    @Test
    void shouldTakeTheLeastOfAllRoutes() throws IOException {
        // given
        TestNamespaces.ipIn(here, "route add 10.7.0.0/24 via 10.6.0.2 mtu 1280");
        // when
        open("10.6.0.1:20000", 0, NEIGHBOUR, FAR, NOWHERE);
        // then
        assertEquals(1_252, link.mtuBytes());
    }

    @Test
    void shouldKeepToTheConfiguredLength() throws IOException {
        // when
        open("10.6.0.1:20000", 4_000, NEIGHBOUR);
        // then
        assertEquals(4_000, link.mtuBytes());
        assertFalse(refresh());
    }

    @Test
    void shouldSendJumboFramesOverLoopback() throws IOException {
        // when
        open("127.0.0.1:0", 0, UdpAddress.parse("127.0.0.1:20001"));
        // then
        assertEquals(8_972, link.mtuBytes());
    }
}
