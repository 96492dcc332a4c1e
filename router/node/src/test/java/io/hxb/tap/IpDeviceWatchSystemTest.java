package io.hxb.tap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hxb.os.NetworkNamespace;
import io.hxb.os.nic.NicInfo;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** What other programs do to the virtual NIC of a node that runs. */
@Tag("system")
class IpDeviceWatchSystemTest {
    private static final int MTU = 9_000;
    private static final String ROUTE4 = "10.77.0.0/24 dev hxb0 .*features ecn.*";
    private static final String ROUTE6 = "fd68:7862::/64 dev hxb0 .*features ecn.*";
    private static final String GATEWAY = "10.9.0.0/24 via 10.77.0.2 dev hxb0 .*features ecn.*";

    private TestNamespaces namespaces;
    private String namespace;
    private IpDevice device;

    @BeforeEach
    void open() throws IOException {
        TestNamespaces.assumeRoot();
        Assumptions.assumeTrue(
                Files.exists(Path.of("/dev/net/tun")), "skipped: there is no /dev/net/tun");
        namespaces = new TestNamespaces();
        namespace = namespaces.add("ip0");
        device =
                IpDevice.open(
                        namespace,
                        new IpDevice.Settings(
                                "hxb0",
                                0,
                                List.of(
                                        IpPrefix.parse("10.77.0.0/24"),
                                        IpPrefix.parse("fd68:7862::/64")),
                                MTU,
                                TapDevice.MAX_FRAME_LENGTH,
                                List.of(IpRoute.parse("10.9.0.0/24 via 1"))));
        assertTrue(isWhole(), this::shown);
    }

    @AfterEach
    void close() {
        if (device != null) {
            device.close();
        }
        if (namespaces != null) {
            namespaces.close();
        }
    }

    private String shown() {
        return output("address", "show", "dev", "hxb0") + output("route") + output("-6", "route");
    }

    private boolean isWhole() {
        final String shown = shown();
        return shown.contains("inet 10.77.0.1/24")
                && shown.contains("inet6 fd68:7862::1/64")
                && hasLine(shown, ROUTE4)
                && hasLine(shown, ROUTE6)
                && hasLine(shown, GATEWAY);
    }

    private static boolean hasLine(final String text, final String pattern) {
        return text.lines().anyMatch(line -> line.matches(pattern));
    }

    private String output(final String... words) {
        try {
            final Process ip =
                    new ProcessBuilder(
                                    Stream.concat(
                                                    Stream.of("ip", "-n", namespace),
                                                    Stream.of(words))
                                            .toList())
                            .redirectErrorStream(true)
                            .start();
            return new String(ip.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitWhole() {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!isWhole()) {
            if (System.nanoTime() - deadlineNs > 0) {
                fail("not put back: " + shown());
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    @Test
    void shouldPutBackAddressesThatAreFlushed() {
        TestNamespaces.ipIn(namespace, "address flush dev hxb0");
        awaitWhole();
    }

    /** The kernel removes IPv6 addresses and all routes of a NIC that is set down. */
    @Test
    void shouldPutBackWhatIsLostWhileItIsDown() throws IOException {
        // when
        TestNamespaces.ipIn(namespace, "link set hxb0 down");
        assertFalse(isWhole(), this::shown);
        // then: not set up by the node
        assertFalse(NetworkNamespace.run(namespace, () -> NicInfo.read("hxb0")).isUp());
        // when
        TestNamespaces.ipIn(namespace, "link set hxb0 up");
        // then
        awaitWhole();
    }

    @Test
    void shouldPutBackAnMtuThatIsTooLarge() throws IOException {
        // when
        TestNamespaces.ipIn(namespace, "link set hxb0 mtu 20000");
        // then
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (NetworkNamespace.run(namespace, () -> NicInfo.read("hxb0")).mtuBytes() != MTU) {
            assertTrue(System.nanoTime() - deadlineNs < 0, this::shown);
            LockSupport.parkNanos(20_000_000);
        }
    }

    @Test
    void shouldEndWithItsDevice() {
        // given
        assertEquals(1, watches());
        // when
        device.close();
        device = null;
        // then
        assertEquals(0, watches());
    }

    private static long watches() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("hxb-watch hxb0"))
                .count();
    }
}
