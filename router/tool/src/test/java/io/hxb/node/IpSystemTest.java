package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.os.NetworkNamespace;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.LabNames;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import java.util.zip.CRC32C;

/**
 * Programs that know nothing of HXB: TCP and ping by the virtual NICs of real nodes, (0,0) - (1,0)
 * - (1,1), two links each.
 */
@Tag("system")
class IpSystemTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Shape SHAPE = Shape.of(2, 2);
    private static final int TIMEOUT_MS = 60_000;
    private static final int MAX_TRIES = 5;
    private static final int SOURCE = 0;
    private static final int NEIGHBOUR = 1;
    private static final int FAR = 3;
    private static final int MTU = 9_000;
    private static final long RATE_BPS = 2_000_000_000L;
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int BLOCKS = Integer.getInteger("hxb.ip.blocks", 100);

    @TempDir private Path folder;

    private final IpLab lab = new IpLab();

    @BeforeEach
    void start() throws IOException {
        TestNamespaces.assumeRoot();
        lab.start(folder, SHAPE, RATE_BPS, MTU);
    }

    @AfterEach
    void removeAll() throws Exception {
        lab.remove();
    }

    private long ofReceivers(final CounterType type) {
        return lab.nodes.get(NEIGHBOUR).counters().sum(type)
                + lab.nodes.get(FAR).counters().sum(type);
    }

    /** Sends the blocks over one connection; the longest time without a byte at the other end. */
    private long transfer(final int from, final int to, final IntConsumer beforeBlock)
            throws Exception {
        final ServerSocket listening = lab.listen(to);
        final CompletableFuture<long[]> received =
                CompletableFuture.supplyAsync(() -> receive(listening));
        final CRC32C sent = new CRC32C();
        try (Socket socket = lab.connect(from, listening, TIMEOUT_MS)) {
            final OutputStream output = socket.getOutputStream();
            final byte[] block = new byte[BLOCK_BYTES];
            for (int number = 0; number < BLOCKS; number++) {
                beforeBlock.accept(number);
                for (int i = 0; i < BLOCK_BYTES; i += 8) {
                    block[i] = (byte) (number * 31 + (i >> 3));
                }
                sent.update(block);
                output.write(block);
            }
        }
        final long[] result = received.get(60, TimeUnit.SECONDS);
        assertEquals((long) BLOCKS * BLOCK_BYTES, result[0], "bytes");
        assertEquals(sent.getValue(), result[1], "what arrived");
        return result[2];
    }

    private static long[] receive(final ServerSocket listening) {
        try (Socket socket = listening.accept()) {
            final InputStream input = socket.getInputStream();
            final byte[] block = new byte[BLOCK_BYTES];
            final CRC32C checksum = new CRC32C();
            long bytes = 0;
            long pauseNs = 0;
            int count = input.read(block);
            while (count >= 0) {
                bytes += count;
                checksum.update(block, 0, count);
                final long beginNs = System.nanoTime();
                count = input.read(block);
                pauseNs = Math.max(pauseNs, System.nanoTime() - beginNs);
            }
            return new long[] {bytes, checksum.getValue(), pauseNs};
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private boolean answersPing(final int from, final int to) throws IOException {
        return NetworkNamespace.run(
                lab.namespace(from),
                () -> InetAddress.getByName(IpLab.PREFIX.address(to)).isReachable(TIMEOUT_MS));
    }

    @Test
    void shouldAnswerPingsAndCarryOneConnectionToTheNeighbourAndThroughARelay() throws Exception {
        // when, then
        for (final int to : new int[] {NEIGHBOUR, FAR}) {
            assertTrue(answersPing(SOURCE, to), "ping " + to);
            transfer(SOURCE, to, number -> {});
        }
        TestNamespaces.await(
                "bytes", () -> lab.sum(CounterType.IP_RECEIVED_BYTES) >= 2L * BLOCKS * BLOCK_BYTES);
        // Of those that the data is for; what the source receives are acknowledgements.
        final long bytes = ofReceivers(CounterType.IP_RECEIVED_BYTES);
        final long packets = ofReceivers(CounterType.IP_RECEIVED_PACKETS);
        assertTrue(bytes / packets > 10_000, "super-packets: " + bytes + " / " + packets);
        assertEquals(0, lab.sum(CounterType.IP_REFUSED_PACKETS));
        assertEquals(0, lab.sum(CounterType.IP_DROPPED_DEVICE_PACKETS));
        assertEquals(0, lab.sum(CounterType.IP_GAPS_EVENTS));
    }

    @Test
    void shouldKeepAConnectionWhileALinkIsPulled() throws Exception {
        // when: a machine that is busy with something else makes some pauses longer, but not all
        long pauseNs = pauseWhileALinkIsPulled();
        for (int tries = 1; tries < MAX_TRIES && pauseNs >= SECOND; tries++) {
            pauseNs = pauseWhileALinkIsPulled();
        }
        // then
        assertTrue(lab.sum(CounterType.LINK_STATE_CHANGED_EVENTS) > 0, "the link was pulled");
        assertTrue(pauseNs < SECOND, "pause of " + pauseNs / 1_000_000 + " ms");
    }

    private long pauseWhileALinkIsPulled() throws Exception {
        final String nic = LabNames.nic(0, 0);
        final AtomicLong commandNs = new AtomicLong();
        final long pauseNs =
                transfer(
                        SOURCE,
                        NEIGHBOUR,
                        number -> {
                            if (number == BLOCKS / 3) {
                                commandNs.addAndGet(timedIp("link set " + nic + " down"));
                            } else if (number == BLOCKS * 2 / 3) {
                                commandNs.addAndGet(timedIp("link set " + nic + " up"));
                            }
                        });
        // While a command starts on a busy machine, nothing is sent.
        return pauseNs - commandNs.get();
    }

    /** Runs a command at the source; how long that took. */
    private long timedIp(final String arguments) {
        final long startNs = System.nanoTime();
        lab.ip(SOURCE, arguments);
        return System.nanoTime() - startNs;
    }

    @Test
    void shouldCarryManyConnectionsBothWays() throws Exception {
        // given
        final byte[] request = new byte[1_000];
        final List<CompletableFuture<byte[]>> answers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            final int from = i % 4;
            final int to = (i + 1 + i / 4) % 4;
            final ServerSocket listening = lab.listen(to);
            answers.add(CompletableFuture.supplyAsync(() -> echo(listening)));
            final Socket socket = lab.connect(from, listening, TIMEOUT_MS);
            // when
            for (int round = 0; round < 50; round++) {
                request[0] = (byte) round;
                socket.getOutputStream().write(request);
                assertArrayEquals(request, socket.getInputStream().readNBytes(request.length));
            }
            socket.shutdownOutput();
        }
        // then
        for (final CompletableFuture<byte[]> answer : answers) {
            assertEquals(50, answer.get(60, TimeUnit.SECONDS)[0]);
        }
    }

    private static byte[] echo(final ServerSocket listening) {
        try (Socket socket = listening.accept()) {
            byte count = 0;
            byte[] request = socket.getInputStream().readNBytes(1_000);
            while (request.length > 0) {
                socket.getOutputStream().write(request);
                count++;
                request = socket.getInputStream().readNBytes(1_000);
            }
            return new byte[] {count};
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }
}
