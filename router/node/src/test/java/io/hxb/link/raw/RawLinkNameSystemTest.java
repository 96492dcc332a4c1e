package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.config.SocketConfig;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.nic.NicFinder;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;

/** Raw links whose NICs get other names. */
@Tag("system")
class RawLinkNameSystemTest {
    private static final long A = 0x00_01;
    private static final long B = 0x00_02;
    private static final FrameConfig ETHERNET =
            new FrameConfig(
                    false,
                    32,
                    0x88B5,
                    0x88B6,
                    200_000_000L,
                    false,
                    FrameConfig.Encapsulation.ETHERNET);

    private final TestFrames frames = new TestFrames();
    private final BufferPool pool = frames.pool(64, 2_048);
    private final BufferPool.Share share = pool.newShare();
    private TestNamespaces namespaces;
    private String left;
    private String right;
    private RawLink a;
    private RawLink b;
    private LinkSender sender;

    @BeforeEach
    void setUp() {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        left = namespaces.add("a");
        right = namespaces.add("b");
    }

    @AfterEach
    void tearDown() {
        if (namespaces == null) {
            return;
        }
        if (b != null) {
            sender.close();
            a.close();
            frames.releaseAll();
            b.close();
        }
        namespaces.close();
    }

    @Test
    void shouldStayWithANicThatGetsAnotherName() throws IOException {
        // given
        namespaces.veth(left, "n0", right, "n0", 1500);
        open("n0");
        // when: its name is given to another NIC
        TestNamespaces.ipIn(
                right,
                "link set n0 down",
                "link set n0 name lan1",
                "link set lan1 up",
                "link add n0 type veth peer name n9",
                "link set n9 up",
                "link set n0 up");
        awaitUp();
        offer();
        // then
        awaitArrival();
        assertEquals("lan1", b.name());
        // and: once it has gone, the name decides
        TestNamespaces.ipIn(right, "link del lan1");
        b.refresh();
        assertEquals("n0", b.name());
        assertTrue(b.isUp());
    }

    @Test
    void shouldFindANicByItsMacAddressUnderAnyName() throws IOException {
        // given
        namespaces.veth(left, "n0", right, "n0", 1500);
        TestNamespaces.ipIn(right, "link set n0 address 02:00:00:00:00:0b");
        open("mac:02:00:00:00:00:0b");
        assertEquals("n0", b.name());
        // when: it is moved to another namespace and back, and plugged in again under another name
        final String other = namespaces.add("c");
        TestNamespaces.ipIn(right, "link set n0 netns " + other);
        b.refresh();
        assertFalse(b.isUp());
        TestNamespaces.ipIn(other, "link set n0 netns " + right);
        TestNamespaces.ipIn(right, "link set n0 up");
        awaitUp();
        TestNamespaces.ipIn(right, "link del n0");
        b.refresh();
        assertFalse(b.isUp());
        namespaces.veth(left, "n0", right, "usb7", 1500);
        TestNamespaces.ipIn(right, "link set usb7 address 02:00:00:00:00:0b");
        awaitUp();
        a.learn(2, b.localAddress());
        offer();
        // then
        awaitArrival();
        assertEquals("usb7", b.name());
        assertEquals(0x02_00_00_00_00_0bL, b.localAddress());
    }

    @Test
    void shouldKnowWhichBridgeHasANic() throws IOException {
        // given
        namespaces.veth(left, "n0", right, "n0", 1500);
        TestNamespaces.ipIn(left, "link add br7 type bridge");
        assertEquals("", master());
        // when
        TestNamespaces.ipIn(left, "link set n0 master br7");
        // then
        assertEquals("br7", master());
        TestNamespaces.ipIn(left, "link set n0 nomaster");
        assertEquals("", master());
    }

    private String master() throws IOException {
        final int ifindex = TestNamespaces.info(left, "n0").ifindex();
        return NetworkNamespace.run(left, () -> NicFinder.master(ifindex, NicFinder.all()));
    }

    private static RawLinkConfig config(
            final int index, final String nic, final String namespace, final long coordinates) {
        return new RawLinkConfig(
                index, nic, namespace, 0, coordinates, ETHERNET, SocketConfig.DEFAULT);
    }

    private void open(final String nic) throws IOException {
        a = RawLink.open(config(0, "n0", left, A), share);
        sender = a.newSender(16);
        b = RawLink.open(config(1, nic, right, B), share);
        a.learn(2, b.localAddress());
    }

    private void awaitUp() {
        TestNamespaces.await(
                "both links are up",
                () -> {
                    a.refresh();
                    b.refresh();
                    return a.isUp() && b.isUp();
                });
    }

    private void offer() {
        final long header = frames.frame(B, 1, 0);
        assertTrue(sender.offer(2, new OutgoingFrame().wrap(header, 64, frames, 1)));
        sender.flush();
    }

    private void awaitArrival() {
        TestNamespaces.await(
                "the frame has arrived",
                () -> {
                    b.receive(RawLink.POOL, frames, 64);
                    return !frames.arrivals().isEmpty();
                });
    }
}
