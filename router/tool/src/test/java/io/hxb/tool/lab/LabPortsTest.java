package io.hxb.tool.lab;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.report.ToolException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;

@Tag("system")
class LabPortsTest {
    @Test
    void shouldGiveOtherPortsToALabThatBeginsBeforeTheNodesOfAnotherHaveBoundTheirs() {
        try (LabPorts first = LabPorts.reserve(100);
                LabPorts second = LabPorts.reserve(10)) {
            assertTrue(
                    second.first() + 10 <= first.first() || second.first() >= first.first() + 100,
                    first.first() + " and " + second.first());
        }
    }

    @Test
    void shouldLeaveOutARangeInWhichAStrangerListens() throws SocketException {
        final int taken;
        try (LabPorts ports = LabPorts.reserve(10)) {
            taken = ports.first() + 5;
        }
        try (DatagramSocket stranger =
                        new DatagramSocket(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), taken));
                LabPorts ports = LabPorts.reserve(10)) {
            final int offset = stranger.getLocalPort() - ports.first();
            assertFalse(offset >= 0 && offset < 10, "port " + taken + " is taken");
        }
    }

    @Test
    void shouldRefuseMorePortsThanThereAre() {
        final ToolException refused =
                assertThrows(ToolException.class, () -> LabPorts.reserve(12_001));
        assertTrue(refused.getMessage().contains("12001 free UDP ports"), refused.getMessage());
    }
}
