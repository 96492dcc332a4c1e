package io.hxb.link.pcap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Memory;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicInfo;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.foreign.Arena;

@Tag("system")
class CaptureSocketSystemTest {
    private static final int SNAP_BYTES = 100;
    private static final int FRAME_BYTES = 150;
    private static final int MARK_OFFSET = 80;
    private static final long BROADCAST = 0xFFFF_FFFF_FFFFL;

    private final Arena arena = Arena.ofAuto();
    private TestNamespaces namespaces;
    private String left;
    private String right;
    private CaptureSocket capture;
    private int fromLeft = -1;
    private int fromRight = -1;

    @BeforeEach
    void setUp() throws IOException {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        left = namespaces.add("a");
        right = namespaces.add("b");
        namespaces.veth(left, "v0", right, "v0", 1500);
        fromLeft = sender(left);
        fromRight = sender(right);
    }

    @AfterEach
    void tearDown() {
        if (capture != null) {
            capture.close();
        }
        for (final int descriptor : new int[] {fromLeft, fromRight}) {
            if (descriptor >= 0) {
                Descriptors.close(descriptor);
            }
        }
        if (namespaces != null) {
            namespaces.close();
        }
    }

    @Test
    void shouldSeeFramesOfTheLinkInBothDirectionsWithTheirTagsAndNoOthers() throws IOException {
        // given
        open(CaptureFilter.ofRaw(0x88B5, 0x88B6, SNAP_BYTES), SNAP_BYTES);

        // when
        send(fromRight, 1, 0x9999);
        send(fromRight, 2, 0x88B5);
        send(fromRight, 3, 0x88B6);
        send(fromRight, 4, 0x8100, 0x2005, 0x88B5);
        send(fromRight, 5, 0x8100, 0x2005, 0x9999);

        // then
        expect(2, false, PcapWriter.UNTAGGED);
        expect(3, false, PcapWriter.UNTAGGED);
        expect(4, false, 0x2005);

        // and: what is sent may be seen before what arrives at the same time
        send(fromLeft, 6, 0x88B5);
        expect(6, true, PcapWriter.UNTAGGED);
        sendPacket(fromRight, 7, 17, 0x88B5);
        sendPacket(fromRight, 8, 17, 0x88B4);
        sendPacket(fromRight, 9, 6, 0x88B5);
        expect(7, false, PcapWriter.UNTAGGED);
        expect(9, false, PcapWriter.UNTAGGED);
        assertFalse(capture.hasFrame());
        assertEquals(0, capture.drops());
    }

    @Test
    void shouldSeeDatagramsFromAndToThePortOfAUdpLink() throws IOException {
        // given
        open(CaptureFilter.ofUdp(4_711, false, SNAP_BYTES), SNAP_BYTES);

        // when
        sendPacket(fromRight, 1, 17, 4_711);
        sendPacket(fromRight, 2, 6, 4_711);
        sendPacket(fromRight, 3, 17, 4_712);

        // then
        expect(1, false, PcapWriter.UNTAGGED);
        sendPacket(fromLeft, 4, 17, 4_711);
        expect(4, true, PcapWriter.UNTAGGED);
        assertFalse(capture.hasFrame());
    }

    @Test
    void shouldCountWhatFindsNoRoomAndGoOn() throws IOException {
        // given
        final int frames = 400;
        open(
                CaptureFilter.ofRaw(0x88B5, 0x88B6, CaptureSocket.MAX_SNAP_BYTES),
                CaptureSocket.MAX_SNAP_BYTES);

        // when
        for (int i = 0; i < frames; i++) {
            send(fromLeft, i, 0x88B5);
        }

        // then
        int kept = 0;
        while (capture.hasFrame()) {
            assertEquals(kept, Memory.getInt(capture.frameAddress() + MARK_OFFSET));
            assertEquals(FRAME_BYTES, capture.capturedBytes());
            capture.next();
            kept++;
        }
        assertTrue(kept > 0 && kept < frames, () -> "the ring was never full");
        assertEquals(frames - kept, capture.drops());
        send(fromLeft, frames, 0x88B5);
        TestNamespaces.await("there is room again", capture::hasFrame);
        assertEquals(frames - kept, capture.drops());
    }

    private void open(final long[] filter, final int snapBytes) throws IOException {
        capture =
                NetworkNamespace.run(
                        left,
                        () -> {
                            final NicInfo nic = NicInfo.read("v0");
                            return CaptureSocket.open(nic.ifindex(), "v0", filter, snapBytes);
                        });
    }

    private static int sender(final String namespace) throws IOException {
        return NetworkNamespace.run(
                namespace,
                () -> {
                    final int descriptor = PacketSocket.open();
                    PacketSocket.bind(descriptor, 0, NicInfo.read("v0").ifindex(), "v0");
                    return descriptor;
                });
    }

    private void send(final int descriptor, final int mark, final int... types) {
        final long frame = arena.allocate(FRAME_BYTES, 8).address();
        Memory.putLong(frame, Long.reverseBytes(BROADCAST << 16));
        Memory.putByte(frame + 6, 2);
        for (int i = 0; i < types.length; i++) {
            Memory.putShortBigEndian(frame + 12 + 2L * i, types[i]);
        }
        sendMarked(descriptor, frame, mark);
    }

    private void sendPacket(
            final int descriptor, final int mark, final int protocol, final int port) {
        final long frame = arena.allocate(FRAME_BYTES, 8).address();
        Memory.putLong(frame, Long.reverseBytes(BROADCAST << 16));
        Memory.putByte(frame + 6, 2);
        Memory.putShortBigEndian(frame + 12, 0x0800);
        Memory.putByte(frame + 14, 0x45);
        Memory.putByte(frame + 23, protocol);
        Memory.putShortBigEndian(frame + 36, port);
        sendMarked(descriptor, frame, mark);
    }

    private static void sendMarked(final int descriptor, final long frame, final int mark) {
        Memory.putInt(frame + MARK_OFFSET, mark);
        assertEquals(FRAME_BYTES, Sockets.send(descriptor, frame, FRAME_BYTES));
    }

    private void expect(final int mark, final boolean isSent, final int tci) {
        TestNamespaces.await("frame " + mark + " is there", capture::hasFrame);
        final int tagBytes = tci < 0 ? 0 : 4;
        assertEquals(mark, Memory.getInt(capture.frameAddress() + MARK_OFFSET - tagBytes));
        assertEquals(isSent, capture.isSent(), () -> "direction of frame " + mark);
        assertEquals(tci, capture.tci());
        assertEquals(SNAP_BYTES, capture.capturedBytes());
        assertEquals(FRAME_BYTES - tagBytes, capture.originalBytes());
        assertTrue(capture.timeNs() > 1_600_000_000_000_000_000L);
        capture.next();
    }
}
