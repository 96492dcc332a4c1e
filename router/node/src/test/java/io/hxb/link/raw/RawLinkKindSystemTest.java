package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.config.SocketConfig;
import io.hxb.link.BufferPool;
import io.hxb.os.nic.NicInfo;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;

/** NICs that cannot carry a raw link. */
@Tag("system")
class RawLinkKindSystemTest {
    private final BufferPool pool = new TestFrames().pool(64, 9_216);

    private String refusal(final String namespace, final String nic) {
        final RawLinkConfig config =
                new RawLinkConfig(
                        0, nic, namespace, 0, 0, FrameConfig.DEFAULT, SocketConfig.DEFAULT);
        return assertThrows(IOException.class, () -> RawLink.open(config, pool.newShare()))
                .getMessage();
    }

    @Test
    void shouldRefuseNicsWithoutEthernetAndNameAnotherWay() {
        TestNamespaces.assumeRoot();
        try (TestNamespaces namespaces = new TestNamespaces()) {
            // given
            final String namespace = namespaces.add("a");
            TestNamespaces.ipIn(namespace, "tuntap add ts0 mode tun", "tuntap add tp0 mode tap");
            // when, then
            final String tunnel = refusal(namespace, "ts0");
            assertTrue(tunnel.contains("NIC ts0 has no Ethernet headers"), tunnel);
            assertTrue(tunnel.contains("backend: udp"), tunnel);
            final String loopback = refusal(namespace, "lo");
            assertTrue(loopback.contains("NIC lo is the loopback"), loopback);
            // and: a tunnel for frames of Ethernet is as good as a NIC
            assertEquals(NicInfo.Kind.ETHERNET, TestNamespaces.info(namespace, "tp0").kind());
        }
    }
}
