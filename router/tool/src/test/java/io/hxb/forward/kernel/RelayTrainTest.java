package io.hxb.forward.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FrameConfig;
import io.hxb.frame.DropReason;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameValidator;
import io.hxb.linux.LinuxException;
import io.hxb.os.bpf.BpfCode;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/** Runs the program of one port in the kernel, on trains by IP that are on no NIC. */
@Tag("system")
@SuppressWarnings("ByteBufferBackingArray") // all buffers are whole arrays
class RelayTrainTest extends PortProgram {
    private static final Shape SHAPE = Shape.of(3, 3);
    private static final int FROM = 2;
    private static final int IP = TrainBytes.IP;
    private static final int FRAME = 300;
    private static final int HOPS = TrainBytes.HOPS;

    private static final TrainBytes TRAIN =
            new TrainBytes(
                    CLUSTER,
                    SHAPE.parseCoordinates("2,1"),
                    SHAPE.parseCoordinates("1,0"),
                    mac(PORT, FROM),
                    ownMac(PORT));

    RelayTrainTest() {
        super(SHAPE, FrameConfig.DEFAULT.withEncapsulation(FrameConfig.Encapsulation.UDP));
    }

    /** Frames from the neighbour at (2,1) to (1,0), the last one maybe shorter. */
    private static ByteBuffer train(final int payloadBytes) {
        return TRAIN.of(payloadBytes, FRAME);
    }

    private void assertLeftToTheNode(final ByteBuffer train) throws LinuxException {
        assertLeftToTheNode(train, FRAME);
    }

    @Test
    void shouldSendATrainOnWithNewAddressesAndOneHopLess() throws LinuxException {
        // given
        final ByteBuffer train = train(10 * FRAME);
        final ByteBuffer expected = copy(train);
        TrainBytes.putMac(expected, 0, mac(LINKS, 0) ^ LOCAL_BIT);
        TrainBytes.putMac(expected, 6, ownMac(LINKS) ^ LOCAL_BIT);
        expected.put(IP + 8, (byte) (HOPS - 1));
        TrainBytes.putSum(expected);
        // when
        final int result = run(train, FRAME);
        // then
        assertEquals(BpfCode.TCX_REDIRECT, result);
        assertArrayEquals(expected.array(), train.array());
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 300, 301, 364, 600, 900, 3300})
    void shouldCountTheFramesInWhatItRelays(final int payload) throws LinuxException {
        // given: a short last frame has to have a header
        final boolean isValid = payload % FRAME == 0 || payload % FRAME >= 64;
        final int frames = (payload + FRAME - 1) / FRAME;
        // when
        final int result = run(train(payload), payload > FRAME ? FRAME : 0);
        // then
        assertEquals(isValid ? BpfCode.TCX_REDIRECT : BpfCode.TCX_NEXT, result);
        final int counted = isValid ? frames : 0;
        assertEquals(counted, table.relayedFrames());
        assertEquals(isValid && frames > 1 ? 1 : 0, table.relayedTrains());
        assertEquals(counted, table.heardFrames(PORT, FROM));
        assertEquals(counted, table.sentFrames(LINKS, 0));
        assertEquals(counted, table.count(PORT, RelayTable.RECEIVED_FRAMES_OFFSET));
        assertEquals(counted, table.count(LINKS, RelayTable.SENT_FRAMES_OFFSET));
        final int bytes = isValid ? payload : 0;
        assertEquals(bytes, table.count(PORT, RelayTable.RECEIVED_BYTES_OFFSET));
        assertEquals(bytes, table.count(LINKS, RelayTable.SENT_BYTES_OFFSET));
    }

    @Test
    void shouldKeepTheChecksumRightAtEveryHopCount() throws LinuxException {
        for (int hops = 2; hops < 256; hops++) {
            for (int address = 0; address < 0x100; address += 37) {
                // given
                final ByteBuffer train = train(FRAME);
                train.put(IP + 8, (byte) hops).put(IP + 15, (byte) address);
                TrainBytes.putSum(train);
                // when
                assertEquals(BpfCode.TCX_REDIRECT, run(train, 0));
                // then
                assertEquals(
                        0xFFFF, TrainBytes.sum(train), "hops " + hops + ", address " + address);
                assertEquals((byte) (hops - 1), train.get(IP + 8));
            }
        }
    }

    @Test
    void shouldUseOnlyLinksWhoseNeighbourHearsIp() throws LinuxException {
        // given
        table.learnIp(LINKS, 0, 0);
        // when
        for (int i = 0; i < 10; i++) {
            assertEquals(BpfCode.TCX_REDIRECT, run(train(2 * FRAME), FRAME));
        }
        // then
        assertEquals(20, table.sentFrames(LINKS + 1, 0));
        // when
        table.learnIp(LINKS + 1, 0, 0);
        // then
        assertLeftToTheNode(train(2 * FRAME));
    }

    @Test
    void shouldLookAtTheLongestFrameOfATrainNotAtTheTrain() throws LinuxException {
        // given
        table.open(LINKS, 100, 14 + FRAME, ownMac(LINKS));
        table.open(LINKS + 1, 101, 14 + FRAME, ownMac(LINKS + 1));
        // then
        assertEquals(BpfCode.TCX_REDIRECT, run(train(3 * FRAME), FRAME));
        // given
        table.open(LINKS, 100, 13 + FRAME, ownMac(LINKS));
        table.open(LINKS + 1, 101, 13 + FRAME, ownMac(LINKS + 1));
        // then
        assertLeftToTheNode(train(3 * FRAME));
    }

    @Test
    void shouldLeaveTrainsToTheNodeThatAreNotToBeRelayed() throws LinuxException {
        assertEquals(BpfCode.TCX_REDIRECT, run(train(2 * FRAME), FRAME));
        final ByteBuffer tired = train(2 * FRAME);
        tired.put(IP + 8, (byte) 1);
        assertLeftToTheNode(tired);
        final ByteBuffer detour = train(2 * FRAME);
        for (int at = TrainBytes.HEADERS; at < detour.capacity(); at += FRAME) {
            detour.putInt(at + FrameHeaderFlyweight.ORDER_OFFSET, 0xF654_3210);
        }
        assertLeftToTheNode(detour);
        final ByteBuffer own = train(FRAME);
        own.putLong(TrainBytes.HEADERS + FrameHeaderFlyweight.DESTINATION_OFFSET, here);
        assertLeftToTheNode(own, 0);
        final ByteBuffer mine = train(FRAME);
        mine.putLong(TrainBytes.HEADERS + FrameHeaderFlyweight.SOURCE_OFFSET, here);
        assertLeftToTheNode(mine, 0);
        final ByteBuffer linkLocal = train(FRAME);
        linkLocal.putLong(TrainBytes.HEADERS + FrameHeaderFlyweight.DESTINATION_OFFSET, -1);
        assertLeftToTheNode(linkLocal, 0);
        final ByteBuffer flooded = train(2 * FRAME);
        TrainBytes.putMac(flooded, 0, ownMac(PORT));
        assertLeftToTheNode(flooded);
        final ByteBuffer stranger = train(2 * FRAME);
        TrainBytes.putMac(stranger, 6, mac(PORT, FROM));
        assertLeftToTheNode(stranger);
        table.weight(LINKS, 0, 0);
        table.shut(LINKS + 1);
        assertLeftToTheNode(train(2 * FRAME));
    }

    @Test
    void shouldLeaveDatagramsToTheNodeThatAreNotOfTheCluster() throws LinuxException {
        final int[] places = {IP, IP + 6, IP + 7, IP + 9, IP + 22, IP + 3};
        final int[] values = {0x46, 0x20, 0x01, 6, 0x12, 0x01};
        for (int i = 0; i < places.length; i++) {
            final ByteBuffer foreign = train(2 * FRAME);
            foreign.put(places[i], (byte) values[i]);
            assertLeftToTheNode(foreign);
        }
        assertLeftToTheNode(ByteBuffer.wrap(Arrays.copyOf(train(FRAME).array(), 105)), 0);
    }

    @Test
    void shouldLeaveTrainsToTheNodeWhoseSizesLie() throws LinuxException {
        assertLeftToTheNode(train(2 * FRAME), 63);
        assertLeftToTheNode(train(2 * FRAME), FRAME - 1);
        assertLeftToTheNode(train(2 * FRAME), FRAME + 1);
        assertLeftToTheNode(train(2 * FRAME), 2 * FRAME);
        assertLeftToTheNode(train(2 * FRAME), 3 * FRAME);
    }

    @Test
    void shouldCountFramesWithoutABody() throws LinuxException {
        // given
        final int frames = 52;
        final int size = FrameHeaderFlyweight.LENGTH;
        final ByteBuffer train = train(frames * size);
        for (int i = 0; i < frames; i++) {
            TRAIN.putHeader(train, i * size, size);
        }
        // when
        final int result = run(train, size);
        // then
        assertEquals(BpfCode.TCX_REDIRECT, result);
        assertEquals(frames, table.relayedFrames());
    }

    // Else they are counted as sent, never as arrived, and the next link is thought to lose frames.
    @Test
    void shouldRelayNoTrainWithAFrameThatTheNextNodeDropsUncounted() throws LinuxException {
        // given
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        int relayed = 0;
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment memory = arena.allocate(4_000, 8);
            for (int i = 0; i < 5000; i++) {
                final int frames = 1 + random.nextInt(10);
                final int last = 64 + random.nextInt(FRAME - 63);
                final int payload = (frames - 1) * FRAME + last;
                final ByteBuffer train = train(payload);
                final int at = TrainBytes.HEADERS + random.nextInt(frames) * FRAME;
                final boolean isChanged = random.nextBoolean();
                if (isChanged) {
                    train.put(at + random.nextInt(64), (byte) random.nextInt());
                }
                // when
                if (run(train, frames > 1 ? FRAME : 0) != BpfCode.TCX_REDIRECT) {
                    continue;
                }
                // then
                relayed++;
                MemorySegment.copy(
                        MemorySegment.ofArray(train.array()),
                        TrainBytes.HEADERS,
                        memory,
                        0,
                        payload);
                for (int frame = 0; frame < frames; frame++) {
                    final long header = memory.address() + (long) frame * FRAME;
                    final String what = "seed " + seed + ", train " + i + ", frame " + frame;
                    memory.asSlice((long) frame * FRAME)
                            .set(
                                    ValueLayout.JAVA_BYTE,
                                    FrameHeaderFlyweight.HOP_LIMIT_OFFSET,
                                    train.get(IP + 8));
                    assertEquals(
                            DropReason.NONE,
                            FrameValidator.checkHeader(
                                    header, Math.min(FRAME, payload - frame * FRAME), CLUSTER),
                            what);
                    final FrameHeaderFlyweight read = new FrameHeaderFlyweight().wrap(header);
                    final FrameHeaderFlyweight first =
                            new FrameHeaderFlyweight().wrap(memory.address());
                    assertEquals(first.destination(), read.destination(), what);
                    assertEquals(first.source(), read.source(), what);
                    assertNotEquals(FrameHeaderFlyweight.ANY_DESTINATION, read.destination(), what);
                }
            }
        }
        assertTrue(relayed > 3000, "only " + relayed + " of seed " + seed);
    }
}
