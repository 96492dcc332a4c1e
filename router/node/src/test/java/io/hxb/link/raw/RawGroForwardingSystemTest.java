package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Descriptors;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicFeature;
import io.hxb.os.nic.NicMark;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;

/** What becomes of a feature of the NIC that links by IP switch on. */
@Tag("system")
class RawGroForwardingSystemTest extends RawIpPair {
    private static final long OWN_PID = ProcessHandle.current().pid();

    private boolean isOn() throws IOException {
        return NetworkNamespace.run(right, () -> NicFeature.UDP_GRO_FORWARDING.isOn("n0"));
    }

    private List<Long> owners() throws IOException {
        return NicMark.owners(right, TestNamespaces.info(right, "n0").ifindex());
    }

    private void switchOn() throws IOException {
        NetworkNamespace.run(
                right,
                () -> {
                    final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
                    try {
                        return NicFeature.UDP_GRO_FORWARDING.set(fd, "n0", true);
                    } finally {
                        Descriptors.close(fd);
                    }
                });
        assertTrue(isOn());
    }

    private void closeB() {
        frames.releaseAll();
        b.close();
    }

    @Test
    void shouldMarkTheNicWhileItIsChanged() throws IOException {
        // when
        openByIp();
        // then
        assertTrue(isOn());
        assertEquals(List.of(OWN_PID), owners());
        // and when
        closeB();
        // then
        assertFalse(isOn());
        assertEquals(List.of(), owners());
    }

    @Test
    void shouldPutBackWhatAKilledNodeHasLeft() throws Exception {
        // given: as a node that was killed leaves it
        final Process ended = new ProcessBuilder("true").start();
        assertEquals(0, ended.waitFor());
        switchOn();
        NicMark.put(right, TestNamespaces.info(right, "n0").ifindex(), ended.pid());
        // when
        openByIp();
        // then
        assertEquals(List.of(OWN_PID), owners());
        closeB();
        assertFalse(isOn());
        assertEquals(List.of(), owners());
    }

    @Test
    void shouldLeaveWhatSomebodyElseHasSwitchedOn() throws IOException {
        // given
        switchOn();
        // when
        openByIp();
        // then
        assertEquals(List.of(), owners());
        closeB();
        assertTrue(isOn());
    }

    @Test
    void shouldLeaveWhatANodeThatRunsHasSwitchedOn() throws Exception {
        // given
        switchOn();
        final Process running = new ProcessBuilder("sleep", "60").start();
        try {
            NicMark.put(right, TestNamespaces.info(right, "n0").ifindex(), running.pid());
            // when
            openByIp();
            closeB();
            // then
            assertTrue(isOn());
            assertEquals(List.of(running.pid()), owners());
        } finally {
            running.destroyForcibly().onExit().join();
        }
    }
}
