package io.hxb.link.pcap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.SocketConfig;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.link.udp.UdpLink;
import io.hxb.link.udp.UdpLinkConfig;
import io.hxb.link.udp.UdpPeers;
import io.hxb.testing.TestFrames;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

@Tag("unit")
class PcapLinkTest {
    private static final PcapName NAME = new PcapName("lab-0/x.0", "node 0, link x.0");
    private static final long TIME_NS = 1_700_000_000_123_456_789L;

    private final TestFrames frames = new TestFrames();
    @TempDir private Path folder;

    @Test
    void shouldWriteReceivedAndSentFramesAsBlocksOfPcapng() throws IOException {
        // given
        final BufferPool pool = frames.pool(256, 2048);
        final BufferPool.Share share = pool.newShare();
        final Path path = folder.resolve("capture.pcapng");
        final PcapFile file = PcapFile.create(path, () -> TIME_NS);
        final UdpLinkConfig config = new UdpLinkConfig(0, "127.0.0.1:0", SocketConfig.DEFAULT);
        final UdpLink plain = UdpLink.open(config, UdpPeers.NONE, share);
        plain.hear(UdpPeers.NONE.with(1, plain.localAddress()));
        try (PcapLink link = new PcapLink(plain, file, false, 0x88B5, NAME);
                LinkSender sender = link.newSender(8)) {
            // when
            final boolean isTaken =
                    sender.offer(
                            1,
                            new OutgoingFrame()
                                    .wrap(frames.frame(7, 42, 3), 64, frames, 0)
                                    .payload(frames.frame(0, 0, 9), 3));
            sender.flush();
            TestNamespaces.await("the frame is back", () -> link.receive(0, frames, 8) == 1);
            // then
            assertTrue(isTaken);
            assertEquals(link, frames.arrivals().getFirst().link());
            frames.releaseAll();
        }
        file.close();
        final List<ByteBuffer> blocks = blocks(Files.readAllBytes(path));
        assertEquals(5, blocks.size());
        assertEquals(0x0A0D0D0A, blocks.get(0).getInt(0));
        assertEquals(1, blocks.get(1).getInt(0));
        assertEquals(1, blocks.get(1).getShort(8));
        checkFrame(blocks.get(2), 2);
        checkFrame(blocks.get(3), 1);
        checkStatistics(blocks.get(4));
        assertEquals(2, file.writtenFrames());
        assertEquals(0, pool.outstanding());
    }

    private static void checkFrame(final ByteBuffer block, final int direction) {
        final int frame = 14 + 64 + 3;
        assertEquals(6, block.getInt(0));
        assertEquals(0, block.getInt(8));
        assertEquals(TIME_NS, (long) block.getInt(12) << 32 | (block.getInt(16) & 0xFFFF_FFFFL));
        assertEquals(frame, block.getInt(20));
        assertEquals(frame, block.getInt(24));
        assertEquals(127, block.get(28));
        assertEquals((short) 0xB588, block.getShort(28 + 12));
        assertEquals(42, block.getInt(28 + 14 + 40));
        final int options = 28 + 84;
        assertEquals(2, block.getShort(options));
        assertEquals(direction, block.getInt(options + 4));
    }

    private static void checkStatistics(final ByteBuffer block) {
        assertEquals(5, block.getInt(0));
        assertEquals(4, block.getShort(20), "isb_ifrecv");
        assertEquals(2, block.getLong(24));
        assertEquals(5, block.getShort(32), "isb_ifdrop");
        assertEquals(0, block.getLong(36));
        assertEquals(7, block.getShort(44), "isb_osdrop");
        assertEquals(0, block.getLong(48));
    }

    // Also checks that each block ends with its own length.
    private static List<ByteBuffer> blocks(final byte[] bytes) {
        final ByteBuffer all = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        final List<ByteBuffer> blocks = new ArrayList<>();
        int position = 0;
        while (position < bytes.length) {
            final int length = all.getInt(position + 4);
            assertEquals(0, length % 4);
            assertEquals(length, all.getInt(position + length - 4));
            blocks.add(all.slice(position, length).order(ByteOrder.LITTLE_ENDIAN));
            position += length;
        }
        return blocks;
    }

    @Test
    void shouldPutTheTagBackAndKeepFramesLargerThanTheBufferLeft() throws IOException {
        // given
        final Path path = folder.resolve("tags.pcapng");
        final long frame = frames.frame(1, 1, 60_000);
        // when
        try (PcapFile file = PcapFile.create(path, () -> TIME_NS)) {
            final PcapInterface eth0 = file.addInterface(NAME);
            for (int i = 0; i < 20; i++) {
                eth0.received(0x0102_0304_0506L, 9, 0xA02A, 0x88B6, frame, 60_064);
            }
        }
        // then
        final List<ByteBuffer> blocks = blocks(Files.readAllBytes(path));
        assertEquals(22, blocks.size());
        final ByteBuffer last = blocks.getLast().order(ByteOrder.BIG_ENDIAN);
        assertEquals(0x0102_0304, last.getInt(28));
        assertEquals(0x8100_A02A, last.getInt(28 + 12));
        assertEquals((short) 0x88B6, last.getShort(28 + 16));
    }

    @Test
    void shouldStopAndCountWhenTheDiskIsFull() throws IOException {
        // given
        final Path full = Path.of("/dev/full");
        final long frame = frames.frame(1, 1, 0);
        final PcapFile file =
                new PcapFile(full, FileChannel.open(full, StandardOpenOption.WRITE), () -> 0);
        final PcapInterface eth0 = file.addInterface(NAME);
        // when
        eth0.sent(1, 2, 0x88B5, frame, 64);
        file.flush();
        eth0.sent(1, 2, 0x88B5, frame, 64);
        file.close();
        // then
        assertEquals(1, file.writtenFrames());
        assertEquals(1, file.lostFrames());
    }

    @Test
    void shouldReplaceALinkAndLeaveWhatItLedTo() throws IOException {
        // given
        final Path secret = Files.writeString(folder.resolve("secret"), "text");
        final Path path = Files.createSymbolicLink(folder.resolve("a.pcapng"), secret);

        // when
        PcapFile.create(path, () -> TIME_NS).close();

        // then
        assertEquals("text", Files.readString(secret));
        assertFalse(Files.isSymbolicLink(path));
        assertEquals(1, blocks(Files.readAllBytes(path)).size());
    }

    @Test
    void shouldNotCaptureWhereOthersMayWrite() throws IOException {
        final Path open = Files.createDirectory(folder.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        final IOException thrown =
                assertThrows(
                        IOException.class,
                        () -> PcapFile.create(open.resolve("a.pcapng"), () -> TIME_NS).close());
        assertTrue(thrown.getMessage().contains("chmod go-w " + open), thrown.getMessage());
    }
}
