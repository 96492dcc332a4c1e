package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.linux.Descriptors;
import io.hxb.linux.Memory;
import io.hxb.os.Sockets;
import io.hxb.routing.DimensionOrder;
import io.hxb.testing.TestNamespaces;
import io.hxb.testing.TestNics;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.foreign.Arena;

/** Which neighbours are sent frames by IP, by their probes. */
@Tag("system")
class IpProbeSystemTest extends RawIpPair {
    @Test
    void shouldAnswerAFloodOfProbesWithAFewAndCountThoseOfStrangers() throws IOException {
        // given: a neighbour of which no hello has been heard
        open(FrameConfig.Encapsulation.UDP);
        b.learn(1, 0);
        b.refresh();
        final int socket = TestNics.openStranger(left, "n0");
        try (Arena arena = Arena.ofConfined()) {
            final long memory = arena.allocate(256, 8).address();
            // when: it seems to be at a thousand addresses
            for (int i = 0; i < 1_000; i++) {
                sendProbe(socket, memory, a.localAddress() + i, A);
                b.receive(RawLink.IP, frames, 64);
            }
            // then
            drainProbes();
            assertEquals(0, b.trains().unknownSenderProbes());
            final long answers = a.trains().trains();
            assertTrue(answers >= 10 && answers <= 20, "answers " + answers);
            // when: the neighbour is known, and others are not on this line
            b.learn(1, a.localAddress());
            for (int i = 0; i < 1_000; i++) {
                sendProbe(socket, memory, a.localAddress() + 1 + i, i % 2 == 0 ? A : ELSEWHERE);
                b.receive(RawLink.IP, frames, 64);
            }
            // then
            drainProbes();
            assertEquals(1_000, b.trains().unknownSenderProbes());
            assertEquals(answers, a.trains().trains());
        } finally {
            Descriptors.close(socket);
        }
        a.refresh();
        b.refresh();
        awaitIp();
        send(20, 8_000);
        take(20, 8_000);
    }

    private void sendProbe(
            final int socket, final long memory, final long mac, final long coordinates) {
        IpHeaders.write(
                memory,
                Long.reverseBytes(IpHeaders.other(b.localAddress())),
                Long.reverseBytes(IpHeaders.other(mac) << 16 | IpHeaders.ETHER_TYPE),
                IpHeaders.address(coordinates),
                IpHeaders.PROBE_ADDRESS,
                IpHeaders.ports(FrameConfig.DEFAULT.etherType(), DimensionOrder.DEFAULT),
                1,
                64,
                0);
        Memory.fill(memory + IpHeaders.LENGTH, 64, 0);
        Memory.putLong(memory + IpHeaders.LENGTH, 0x3120_7069_2042_5848L);
        Memory.putLong(memory + IpHeaders.LENGTH + 8, coordinates);
        assertTrue(Sockets.send(socket, memory, IpHeaders.LENGTH + 64) > 0);
    }

    private void drainProbes() {
        while (a.receive(RawLink.IP, frames, 64) + b.receive(RawLink.IP, frames, 64) > 0) {
            assertTrue(frames.arrivals().size() < 10_000);
        }
        assertEquals(0, frames.arrivals().size());
    }

    @Test
    void shouldSendEthernetFramesToNeighboursThatDoNotHearIp() throws IOException {
        // given
        open(FrameConfig.Encapsulation.ETHERNET);
        a.refresh();
        a.receive(RawLink.IP, frames, 64);
        // when
        send(20, 8_000);
        // then
        assertEquals(0, a.ipAddress(2));
        await(RawLink.POOL, 20);
        check(19, 19, 8_000);
        assertEquals(2, b.descriptorCount());
    }

    @Test
    void shouldSendEthernetFramesAgainWhenProbesStop() throws IOException {
        // given
        openByIp();
        send(2, 8_000);
        take(2, 8_000);
        // when: the neighbour does not answer any more
        TestNamespaces.await(
                "probes are missed",
                () -> {
                    a.refresh();
                    return a.ipAddress(2) == 0;
                });
        send(4, 8_000);
        // then
        await(RawLink.POOL, 4);
        frames.releaseAll();
        // when
        b.refresh();
        awaitIp();
        send(4, 8_000);
        // then
        take(4, 8_000);
    }

    @Test
    void shouldNotUseAnAddressThatIsNotTheNeighbours() throws IOException {
        // given: probes of another node at the same place
        open(FrameConfig.Encapsulation.UDP);
        a.learn(2, b.localAddress() ^ 1);
        // when
        a.refresh();
        b.refresh();
        TestNamespaces.await(
                "probes have arrived",
                () -> {
                    a.receive(RawLink.IP, frames, 64);
                    b.receive(RawLink.IP, frames, 64);
                    return b.ipAddress(1) != 0 || a.ipAddress(2) != 0 || probesOf(b) > 0;
                });
        // then
        assertEquals(0, a.ipAddress(2));
        // when
        a.learn(2, b.localAddress());
        b.refresh();
        awaitIp();
        // then
        assertEquals(IpHeaders.other(b.localAddress()), a.ipAddress(2));
    }

    private static long probesOf(final RawLink link) {
        return link.trains().trains();
    }
}
