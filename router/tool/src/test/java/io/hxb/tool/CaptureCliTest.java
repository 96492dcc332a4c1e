package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.linux.Memory;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** {@code hxb capture}: what it refuses, and what it writes of a link. */
@Tag("system")
class CaptureCliTest {
    @TempDir private Path folder;
    private DatagramSocket first;
    private DatagramSocket second;
    private String config;

    @BeforeEach
    void setUp() throws IOException {
        final InetAddress loopback = InetAddress.getLoopbackAddress();
        first = new DatagramSocket(new InetSocketAddress(loopback, 0));
        second = new DatagramSocket(new InetSocketAddress(loopback, 0));
        final Path file = folder.resolve("cluster.yaml");
        Files.writeString(
                file,
                """
                name: seen
                shape: 2
                backend: udp
                links: 1
                nodes:
                  0: {links: {x: ["127.0.0.1:%d"]}}
                  1: {links: {x: ["127.0.0.1:%d"]}}
                """
                        .formatted(first.getLocalPort(), second.getLocalPort()));
        config = file.toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 y.0 --write {}/a          | node 0 has no link y.0; it has x.0",
                "7 --write {}/a              | 7",
                "pc-z --write {}/a           | NODE: no node of this cluster is called 'pc-z'",
                "0 --ring 3 --write {}/a     | --ring needs --write FILE and --size SIZE",
                "0 --ring 3 --size 1MB       | --ring needs --write FILE and --size SIZE",
                "0 --size 1kB --write {}/a   | --size must be 64KiB or more: 1kB",
                "0 --snap 60 --write {}/a    | --snap must be 78..65553: 60",
                "0 --count -1 --write {}/a   | --count must be 0 or more: -1",
                "0 --seconds 0 --write {}/a  | --seconds must be above 0",
                "0 --json                    | --json needs --write",
                "0 --write {}/none/a         | there is no folder",
                "0 --filter dst --write {}/a | --filter: word 2 is the end",
            })
    void shouldRefuseWhatCannotBeMeant(final String words, final String message) {
        final HxbOutput refused = run(words);
        assertEquals(ExitStatus.USAGE, refused.status(), refused::errors);
        assertTrue(refused.errors().contains(message), refused::errors);
        assertFalse(Files.exists(folder.resolve("a")));
    }

    @Test
    void shouldWriteTheFramesOfTheLinkThatTheFilterTakesInFilesOfASize() throws Exception {
        // given
        assumeTrue(Privileges.isRoot(), "skipped: capturing needs root");
        final CompletableFuture<Void> end = new CompletableFuture<>();
        final Thread sender = Thread.ofPlatform().start(() -> send(end));

        // when
        final HxbOutput captured =
                run(
                        "0 x.0 --count 800 --ring 2 --size 64KiB --snap 120 --json --write"
                                + " {}/seen.pcapng --filter dst_1");

        // then
        end.complete(null);
        sender.join();
        assertEquals(ExitStatus.OK, captured.status(), captured::errors);
        final Map<?, ?> report = Json.parse(captured.text().strip(), Map.class, "capture");
        assertEquals(800, ((Map<?, ?>) ((List<?>) report.get("links")).getFirst()).get("frames"));
        final List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.filter(file -> file.toString().endsWith("pcapng")).sorted().toList();
        }
        assertEquals(2, files.size(), files::toString);
        assertTrue(files.getLast().endsWith("seen.3.pcapng"), files::toString);
        assertTrue(PcapBlocks.read(files.getFirst()).frames() > 100, files::toString);
        for (final Path file : files) {
            final PcapBlocks blocks = PcapBlocks.read(file);
            assertEquals(1, blocks.interfaces());
            assertEquals(blocks.frames(), blocks.framesOfEtherType(0x0800));
            assertTrue(Files.size(file) < (64 << 10) + 1_000, file::toString);
        }
    }

    private HxbOutput run(final String words) {
        final String all =
                "capture --config " + config + " " + words.replace("{}", folder.toString());
        return HxbOutput.of(
                Stream.of(all.split(" +", -1))
                        .filter(word -> !word.isEmpty())
                        .map(word -> word.startsWith("dst_") ? word.replace('_', ' ') : word)
                        .toArray(String[]::new));
    }

    // Frames for node 1 and as many for node 0, which the filter leaves.
    private void send(final CompletableFuture<Void> end) {
        final byte[] there = frame(1);
        final byte[] back = frame(0);
        try {
            while (!end.isDone()) {
                first.send(new DatagramPacket(there, there.length, second.getLocalSocketAddress()));
                first.send(new DatagramPacket(back, back.length, second.getLocalSocketAddress()));
                LockSupport.parkNanos(100_000);
            }
        } catch (final IOException e) {
            end.completeExceptionally(e);
        }
    }

    private static byte[] frame(final long destination) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment frame = arena.allocate(300, 8);
            Memory.putByte(frame.address(), FrameHeaderFlyweight.VERSION);
            new FrameHeaderFlyweight()
                    .wrap(frame.address())
                    .type(FrameType.DATA)
                    .destination(destination);
            return frame.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
        }
    }
}
