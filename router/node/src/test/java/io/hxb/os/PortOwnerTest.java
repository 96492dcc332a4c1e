package io.hxb.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

@Tag("system")
class PortOwnerTest {
    /** As Netty's native library words it. */
    private static final String TAKEN = "bind(..) failed with error(-98): Address already in use";

    @Test
    void shouldNameWhoListensOnATcpPort() throws IOException {
        // given
        final String self = "pid " + ProcessHandle.current().pid() + " (";
        final InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        final InetSocketAddress address;
        try (ServerSocket taken = new ServerSocket(0, 1, loopback)) {
            address = new InetSocketAddress(loopback, taken.getLocalPort());
            // when, then
            final String why = PortOwner.whyNot(address, new IOException(TAKEN));
            assertTrue(why.startsWith(self) && why.endsWith(" listens there"), why);
            assertEquals("", PortOwner.ofUdp(loopback, taken.getLocalPort()));
        }
        // and: on all addresses
        try (ServerSocket all = new ServerSocket(0)) {
            assertTrue(PortOwner.ofTcp(loopback, all.getLocalPort()).startsWith(self));
        }
    }

    @Test
    void shouldSayWhatTheSystemSaidOtherwise() throws IOException {
        final InetSocketAddress nobody;
        try (ServerSocket free = new ServerSocket(0)) {
            nobody = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), free.getLocalPort());
        }
        assertEquals("Address already in use", PortOwner.whyNot(nobody, new IOException(TAKEN)));
        assertEquals(
                "Permission denied",
                PortOwner.whyNot(
                        new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 1),
                        new IOException("bind(..) failed with error(-13): Permission denied")));
        assertEquals("null", PortOwner.whyNot(nobody, new IOException()));
    }
}
