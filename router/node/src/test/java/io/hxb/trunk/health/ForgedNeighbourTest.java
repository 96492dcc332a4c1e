package io.hxb.trunk.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.LinkStatusFlyweight;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * An attacker sends in the name of a neighbour, in a cluster without a key. The real neighbour is
 * believed again within a second of the last forged frame.
 */
@Tag("simulation")
class ForgedNeighbourTest {
    private static final long MS = TrunkWorld.MS;
    private static final long BELIEVED_NS = 1_000 * MS;

    private final TrunkWorld world = TrunkWorld.ofTwo(2);
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final LinkStatusFlyweight status = new LinkStatusFlyweight();
    private final long address = world.frames.frame(0, 0, 0);

    // As the other end sent it in an earlier life.
    private void replayHello(final int victim, final int link, final int incarnation) {
        final TrunkWorld.End end = world.end(victim);
        end.health.onHello(
                end.ports[link],
                1 - victim,
                end.ports[link].number(),
                world.end(1 - victim).links[link].localAddress(),
                incarnation,
                world.clock.nanoTime());
    }

    private void forgeStatus(
            final int victim, final int link, final Consumer<LinkStatusFlyweight> change) {
        header.wrap(address)
                .clear()
                .type(FrameType.LINK_STATUS)
                .sourceIncarnation(2 - victim)
                .destinationIncarnation(1 + victim)
                .source(1 - victim)
                .destination(FrameHeaderFlyweight.ANY_DESTINATION);
        status.wrap(header.bodyAddress()).clear(2).neighbour(victim).linkNumber(link);
        change.accept(status);
        header.bodyLength(status.length());
        world.end(victim)
                .discovery
                .onFrame(
                        link,
                        address,
                        world.end(1 - victim).links[link].localAddress(),
                        world.clock.nanoTime());
    }

    private void carryFrames(final double framesASecond) {
        world.end(0).sendTo(1, framesASecond);
        world.end(1).sendTo(0, framesASecond);
    }

    private boolean areAllUsed() {
        return world.isUsed(0) && world.isUsed(1);
    }

    // Both ends still agree about a link that fails and comes back.
    private void assertThatLinksFailAndComeBack() {
        for (int link = 0; link < 2; link++) {
            final int cut = link;
            world.cut(link, 0, true);
            world.runUntil(() -> !world.end(0).isUsed(cut) && !world.end(1).isUsed(cut), 200 * MS);
            assertTrue(world.isUsed(1 - link), "the other link is used");
            world.cut(link, 0, false);
            world.runUntil(this::areAllUsed, BELIEVED_NS);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldAgreeAgainAfterAHelloOfAnEarlierIncarnation(final int victim) {
        // given
        carryFrames(20_000);
        world.run(100 * MS);
        // when
        replayHello(victim, 0, 77);
        world.runUntil(this::areAllUsed, BELIEVED_NS);
        world.run(BELIEVED_NS / 2);
        // then
        assertTrue(areAllUsed());
        assertThatLinksFailAndComeBack();
    }

    @Test
    void shouldAgreeAgainAfterManyHellosOfManyIncarnationsAtBothEnds() {
        // given
        carryFrames(20_000);
        final SplittableRandom random = new SplittableRandom(5);
        // when
        for (int i = 0; i < 200; i++) {
            replayHello(random.nextInt(2), random.nextInt(2), 10 + random.nextInt(3));
            world.run(random.nextLong(10 * MS));
        }
        world.run(BELIEVED_NS);
        // then
        assertTrue(areAllUsed());
        assertThatLinksFailAndComeBack();
    }

    @Test
    void shouldAgreeAgainOnAnIdleTrunk() {
        // when
        replayHello(0, 0, 77);
        world.run(BELIEVED_NS);
        // then
        assertTrue(areAllUsed());
        carryFrames(20_000);
        world.run(100 * MS);
        assertThatLinksFailAndComeBack();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 20_000})
    void shouldNotAcceptForLongWhatIsNumberedAfterTheTruth(final int framesASecond) {
        // given: an attacker who sees what the nodes send
        carryFrames(framesASecond);
        world.run(100 * MS);
        for (int i = 1; i <= 50; i++) {
            final int number = 1_000_000 * i;
            forgeStatus(0, i & 1, body -> body.sequence(number).acknowledgement(2).failed(3));
            world.run(5 * MS);
        }
        assertFalse(world.end(0).isUsed(0));
        // when
        world.run(BELIEVED_NS);
        // then
        assertTrue(areAllUsed());
        carryFrames(20_000);
        world.run(100 * MS);
        assertThatLinksFailAndComeBack();
    }

    @Test
    void shouldFindASilentLinkAfterForgedCountsOfSentFrames() {
        // given
        carryFrames(20_000);
        world.run(100 * MS);
        forgeStatus(
                0,
                0,
                body ->
                        body.sequence(2)
                                .acknowledgement(2)
                                .sentFrames(0, 1 << 30)
                                .sentFrames(1, 1 << 30));
        world.run(BELIEVED_NS);
        assertTrue(areAllUsed());
        // then
        assertThatLinksFailAndComeBack();
    }

    @Test
    void shouldAnswerAFloodOfWhatProvesNothingALimitedNumberOfTimes() {
        // given
        final CounterBlock counters = world.end(0).health.counters();
        final long before =
                counters.value(CounterType.LINK_STATUS_SENT_FRAMES, 0)
                        + counters.value(CounterType.LINK_STATUS_SENT_FRAMES, 1);
        // when
        for (int i = 1; i <= 10_000; i++) {
            final int number = i;
            forgeStatus(0, 0, body -> body.sequence(number).acknowledgement(-number).failed(3));
            if (i % 100 == 0) {
                world.run(MS);
            }
        }
        // then: in 100 ms
        final long sent =
                counters.value(CounterType.LINK_STATUS_SENT_FRAMES, 0)
                        + counters.value(CounterType.LINK_STATUS_SENT_FRAMES, 1)
                        - before;
        assertTrue(sent > 0 && sent <= 30, sent + " answers");
        assertTrue(areAllUsed());
        assertEquals(10_000, counters.value(CounterType.LINK_STATUS_BAD_FRAMES, 0));
    }
}
