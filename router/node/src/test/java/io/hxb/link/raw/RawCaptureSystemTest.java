package io.hxb.link.raw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.config.SocketConfig;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.link.pcap.PcapFile;
import io.hxb.link.pcap.PcapLink;
import io.hxb.link.pcap.PcapName;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The captures of two nodes that are joined by a raw link. */
@Tag("system")
class RawCaptureSystemTest {
    private static final long A = 0x00_01;
    private static final long B = 0x00_02;
    private static final long BEYOND_B = 0x01_02;
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
    @TempDir private Path folder;

    @Test
    void shouldWriteFramesWithTheEtherTypeThatTheyHaveOnTheWire() throws IOException {
        TestNamespaces.assumeRoot();
        // given
        final Path path = folder.resolve("a.pcapng");
        final BufferPool.Share share = frames.pool(512, 2_048).newShare();
        try (TestNamespaces namespaces = new TestNamespaces();
                PcapFile file = PcapFile.create(path, () -> 1)) {
            final String left = namespaces.add("a");
            final String right = namespaces.add("b");
            namespaces.veth(left, "n0", right, "n0", 1500);
            try (PcapLink a = open(left, A, "a", share, file);
                    PcapLink b = open(right, B, "b", share, file);
                    LinkSender sender = sender(a, b)) {
                // when
                offer(sender, B, 1);
                offer(sender, BEYOND_B, 2);
                sender.flush();
                TestNamespaces.await(
                        "both frames have arrived",
                        () -> {
                            b.receive(RawLink.POOL, frames, 8);
                            b.receive(RawLink.RING, frames, 8);
                            return frames.arrivals().size() == 2;
                        });
                frames.releaseAll();
            }
        }

        // then: interface, direction (1 in, 2 out) and EtherType
        final List<String> written = written(Files.readAllBytes(path));
        assertEquals(List.of("0 2 88b5", "0 2 88b6"), written.subList(0, 2));
        assertEquals(
                List.of("1 1 88b5", "1 1 88b6"), written.subList(2, 4).stream().sorted().toList());
    }

    private static PcapLink open(
            final String namespace,
            final long coordinates,
            final String name,
            final BufferPool.Share share,
            final PcapFile file)
            throws IOException {
        final RawLinkConfig config =
                new RawLinkConfig(
                        0, "n0", namespace, 0, coordinates, ETHERNET, SocketConfig.DEFAULT);
        final RawLink link = RawLink.open(config, share);
        return new PcapLink(link, file, true, 0x88B5, new PcapName(name, name));
    }

    private static LinkSender sender(final PcapLink from, final PcapLink to) {
        from.learn(2, to.localAddress());
        return from.newSender(8);
    }

    private void offer(final LinkSender sender, final long destination, final int sequence) {
        final long header = frames.frame(destination, sequence, 10);
        assertTrue(sender.offer(2, new OutgoingFrame().wrap(header, 74, frames, sequence)));
    }

    private static List<String> written(final byte[] bytes) {
        final ByteBuffer all = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        final List<String> written = new ArrayList<>();
        for (int at = 0; at < bytes.length; at += all.getInt(at + 4)) {
            if (all.getInt(at) == 6) {
                final int captured = all.getInt(at + 20);
                final int flags = at + 28 + (captured + 3 & -4) + 4;
                final int type = Short.toUnsignedInt(Short.reverseBytes(all.getShort(at + 40)));
                written.add("%d %d %04x".formatted(all.getInt(at + 8), all.getInt(flags), type));
            }
        }
        return written;
    }
}
