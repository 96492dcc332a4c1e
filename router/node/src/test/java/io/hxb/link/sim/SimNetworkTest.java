package io.hxb.link.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.link.FrameSink;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.linux.Memory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

@Tag("unit")
class SimNetworkTest {
    private static final int FRAME_BYTES = 962;
    private final Arena arena = Arena.ofConfined();
    private final BufferPool pool =
            new BufferPool(arena.allocate(256L * 2_048, 64).address(), 256, 2_048);
    private final BufferPool.Share share = pool.newShare();
    private final List<String> heard = new ArrayList<>();
    private SimClock clock = new SimClock(0);
    private SimNetwork network = new SimNetwork(clock, 1);
    private SimLink[] links;
    private LinkSender sender;

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void shouldCarryAFrameIntoAPoolBufferThatARelayCanSendOn() {
        // given
        plug(3, SimFaults.NONE);
        final LinkSender onward = links[1].newSender(8);
        send(1, 42);
        final boolean[] isRelayed = {false};
        run(
                1,
                (link, owner, id, header, length, source, tci) ->
                        isRelayed[0] =
                                onward.offer(
                                        2, new OutgoingFrame().wrap(header, length, owner, id)));
        assertTrue(isRelayed[0]);
        assertEquals(1, pool.outstanding());
        // when
        onward.flush();
        run(2, this::record);
        // then
        assertEquals(List.of("42@20000"), heard);
        assertEquals(0, pool.outstanding());
    }

    @Test
    void shouldLetAllOthersHearABroadcast() {
        // given
        plug(4, SimFaults.NONE);
        // when
        send(Link.BROADCAST, 7);
        // then
        for (int node = 0; node < 4; node++) {
            heard.clear();
            run(node, this::record);
            assertEquals(node == 0 ? 0 : 1, heard.size());
        }
    }

    @Test
    void shouldKeepTheRateAndBlockWhenTheQueueIsFull() {
        // given: 1,000 bytes on the wire are 8 us at 1 Gbit/s
        plug(2, SimFaults.NONE.withRate(1_000_000_000L, 4));
        // when
        for (int i = 0; i < 6; i++) {
            send(1, i);
        }
        // then
        assertTrue(sender.isBlocked());
        assertEquals(2, sender.queuedFrames());
        run(1, this::record);
        assertEquals(
                List.of("0@18000", "1@26000", "2@34000", "3@42000", "4@50000", "5@58000"), heard);
        assertFalse(sender.isBlocked());
    }

    @Test
    void shouldLoseEverythingInACutUntilItIsHealed() {
        // given
        plug(2, SimFaults.NONE);
        network.cut(links[0], links[1], true);
        send(1, 1);
        // when
        network.cut(links[0], links[1], false);
        send(1, 2);
        run(1, this::record);
        // then
        assertEquals(List.of("2@10000"), heard);
        assertEquals(1, network.cutFrames());
    }

    @Test
    void shouldCountWhatItDoesToFramesAndRepeatItForTheSameSeed() {
        // given
        final List<String> first = faulty(5);
        final long lost = network.lostFrames();
        // when
        final List<String> again = faulty(5);
        final List<String> other = faulty(6);
        // then
        assertTrue(lost > 50 && lost < 150, "lost " + lost);
        assertTrue(network.duplicatedFrames() > 0);
        assertTrue(network.reorderedFrames() > 0);
        assertTrue(network.corruptedFrames() > 0);
        assertEquals(first, again);
        assertNotEquals(first, other);
    }

    @Test
    void shouldDropAndCountWhenThePoolIsEmpty() {
        // given
        plug(2, SimFaults.NONE);
        while (share.acquire() != BufferPool.NONE) {
            assertTrue(pool.outstanding() <= 256);
        }
        // when
        send(1, 1);
        run(1, this::record);
        // then
        assertEquals(List.of(), heard);
        assertEquals(1, links[1].poolDrops());
    }

    @Test
    void shouldSendNothingToANeighbourItDoesNotKnow() {
        // given
        plug(2, SimFaults.NONE);
        // when
        links[0].learn(1, 0);
        // then
        assertFalse(
                sender.offer(1, new OutgoingFrame().wrap(newFrame(), FRAME_BYTES, token -> {}, 0)));
    }

    @Test
    void shouldLetFramesOfATrainArriveTogetherAndInOrder() {
        // given: 1,000 bytes on the wire are 8 us at 1 Gbit/s
        plug(2, SimFaults.NONE.withRate(1_000_000_000L, 64).withTrains(4, 0, 0));
        // when
        sendTogether(0, 6);
        run(1, this::record);
        // then
        assertEquals(
                List.of("0@42000", "1@42000", "2@42000", "3@42000", "4@58000", "5@58000"), heard);
        assertEquals(2, network.trains());
    }

    @Test
    void shouldEndATrainWithAShorterFrameAndBeforeALongerOne() {
        // given
        plug(2, SimFaults.NONE.withRate(1_000_000_000L, 64).withTrains(8, 0, 0));
        final List<Long> arrivals = new ArrayList<>();
        // when
        for (final int length : new int[] {962, 962, 462, 962, 1_212}) {
            assertTrue(
                    sender.offer(1, new OutgoingFrame().wrap(newFrame(), length, token -> {}, 0)));
        }
        sender.flush();
        run(
                1,
                (link, owner, id, header, length, source, tci) -> {
                    arrivals.add(clock.nanoTime());
                    owner.release(id);
                });
        // then: 20 us for three frames, 8 and 10 us for one each
        assertEquals(List.of(30_000L, 30_000L, 30_000L, 38_000L, 48_000L), arrivals);
        assertEquals(1, network.trains());
    }

    @Test
    void shouldLoseTrainsAsAWhole() {
        // given
        plug(2, SimFaults.NONE.withTrains(4, 0.5, 0));
        // when
        for (int i = 0; i < 100; i++) {
            sendTogether(4 * i, 4);
        }
        run(1, this::record);
        // then
        assertEquals(100, network.trains());
        assertTrue(network.lostTrains() > 20 && network.lostTrains() < 80);
        assertEquals(4 * network.lostTrains(), network.lostFrames());
        assertEquals(400 - network.lostFrames(), heard.size());
        for (int i = 0; i < heard.size(); i++) {
            assertEquals(i % 4, number(heard.get(i)) % 4, "part of a train arrived");
        }
    }

    @Test
    void shouldLoseAndReorderFramesOfATrainThatIsCutOneByOne() {
        // given
        plug(2, SimFaults.NONE.withLoss(0.2, 0).withReordering(0.3, 50_000).withTrains(4, 0, 1));
        // when
        for (int i = 0; i < 40; i++) {
            sendTogether(4 * i, 4);
        }
        run(1, this::record);
        // then
        assertEquals(40, network.cutTrains());
        assertEquals(0, network.lostTrains());
        assertTrue(network.lostFrames() > 0 && network.lostFrames() % 4 != 0);
        assertEquals(160 - network.lostFrames(), heard.size());
        assertNotEquals(heard.stream().sorted(this::byNumber).toList(), heard);
    }

    private int byNumber(final String one, final String other) {
        return Integer.compare(number(one), number(other));
    }

    private static int number(final String entry) {
        return Integer.parseInt(entry.substring(0, entry.indexOf('@')));
    }

    private void sendTogether(final int first, final int count) {
        for (int i = first; i < first + count; i++) {
            final long frame = newFrame();
            Memory.putLong(frame, i);
            assertTrue(
                    sender.offer(1, new OutgoingFrame().wrap(frame, FRAME_BYTES, token -> {}, 0)));
        }
        sender.flush();
    }

    private List<String> faulty(final long seed) {
        heard.clear();
        clock = new SimClock(0);
        network = new SimNetwork(clock, seed);
        plug(
                2,
                SimFaults.NONE
                        .withLoss(0.1, 0.05)
                        .withReordering(0.2, 50_000)
                        .withCorruption(0.05));
        for (int i = 0; i < 1_000; i++) {
            send(1, i);
            network.advance(clock.nanoTime() + 1_000);
            links[1].receive(0, this::record, 64);
        }
        run(1, this::record);
        return List.copyOf(heard);
    }

    private void plug(final int count, final SimFaults faults) {
        final SimSegment segment = network.newSegment(faults);
        links = new SimLink[count];
        for (int i = 0; i < count; i++) {
            links[i] = network.newLink(segment, 0, i, 1_500, share);
        }
        segment.introduce();
        sender = links[0].newSender(16);
    }

    // Frames that wait in the sender still belong to it, so each has memory of its own.
    private long newFrame() {
        return arena.allocate(2_048, 64).address() + 64;
    }

    private void send(final int neighbour, final long number) {
        final long frame = newFrame();
        Memory.putLong(frame, number);
        assertTrue(
                sender.offer(
                        neighbour, new OutgoingFrame().wrap(frame, FRAME_BYTES, token -> {}, 0)));
        sender.flush();
    }

    private void run(final int node, final FrameSink sink) {
        while (network.nextEventNs() != Long.MAX_VALUE) {
            network.advance(network.nextEventNs());
            sender.flush();
            links[node].receive(0, sink, 64);
        }
        while (links[node].waitingFrames() > 0) {
            links[node].receive(0, sink, 64);
        }
    }

    private void record(
            final Link link,
            final FrameOwner owner,
            final long token,
            final long headerAddress,
            final int lengthBytes,
            final long sourceAddress,
            final int vlanTci) {
        assertEquals(FRAME_BYTES, lengthBytes);
        heard.add(Memory.getLong(headerAddress) + "@" + clock.nanoTime());
        owner.release(token);
    }
}
