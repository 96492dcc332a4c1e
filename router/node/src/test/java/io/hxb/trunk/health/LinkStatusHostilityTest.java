package io.hxb.trunk.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.LinkStatusFlyweight;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Status frames that nobody honest sends: counted, and without effect. */
@Tag("unit")
class LinkStatusHostilityTest {
    private static final long MS = TrunkWorld.MS;

    /** What the victim announced first to this incarnation of its neighbour. */
    private static final int HEARD = 2;

    private final TrunkWorld world = TrunkWorld.ofTwo(2);
    private final TrunkWorld.End victim = world.end(0);
    private final long neighbour = world.end(1).links[0].localAddress();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final LinkStatusFlyweight status = new LinkStatusFlyweight();
    private final long address = world.frames.frame(0, 0, 0);

    /** A status as node 1 would send it next, but that both links have failed. */
    private void send(final long sourceAddress, final Consumer<LinkStatusFlyweight> change) {
        write(change);
        victim.discovery.onFrame(0, address, sourceAddress, world.clock.nanoTime());
    }

    private void write(final Consumer<LinkStatusFlyweight> change) {
        header.wrap(address)
                .clear()
                .type(FrameType.LINK_STATUS)
                .sourceIncarnation(2)
                .destinationIncarnation(1)
                .source(1)
                .destination(FrameHeaderFlyweight.ANY_DESTINATION);
        status.wrap(header.bodyAddress())
                .clear(2)
                .neighbour(0)
                .sequence(1_000)
                .acknowledgement(HEARD)
                .failed(3);
        change.accept(status);
        header.bodyLength(status.length());
    }

    private void assertHarmless(final long bad, final long stale) {
        final CounterBlock counters = victim.health.counters();
        assertEquals(bad, counters.value(CounterType.LINK_STATUS_BAD_FRAMES, 0));
        assertEquals(stale, counters.value(CounterType.LINK_STATUS_STALE_FRAMES, 0));
        assertTrue(victim.isUsed(0) && victim.isUsed(1));
        world.run(100 * MS);
        assertTrue(victim.isUsed(0) && victim.isUsed(1));
    }

    @Test
    void shouldRefuseAForgedSource() {
        send(neighbour + 77, body -> {});
        assertHarmless(1, 0);
    }

    @Test
    void shouldRefuseWhatComesFromAnotherLineOrFromItself() {
        send(neighbour, body -> header.source(0));
        send(neighbour, body -> header.source(0x0101));
        assertHarmless(2, 0);
    }

    @Test
    void shouldRefuseUnknownLinksAndWhatIsForOthers() {
        send(neighbour, body -> body.linkNumber(1));
        send(neighbour, body -> body.dimension(1));
        send(neighbour, body -> body.neighbour(5));
        send(
                neighbour,
                body ->
                        body.clear(3)
                                .neighbour(0)
                                .sequence(1_000)
                                .acknowledgement(HEARD)
                                .failed(7));
        assertHarmless(4, 0);
    }

    @Test
    void shouldIgnoreOtherIncarnations() {
        send(neighbour, body -> header.sourceIncarnation(1));
        send(neighbour, body -> header.destinationIncarnation(9));
        assertHarmless(0, 2);
    }

    @Test
    void shouldIgnoreNeighboursThatWereNeverHeard() {
        // given
        final TrunkWorld strangers = new TrunkWorld(3, 2, TrunkWorld.CONFIG, 1);
        strangers.end(2).isAsleep = true;
        strangers.run(300 * MS);
        // when: nobody has that address, nobody was heard there.
        write(body -> {});
        strangers.end(0).discovery.onFrame(0, address, 99, strangers.clock.nanoTime());
        header.source(2);
        strangers.end(0).discovery.onFrame(0, address, 99, strangers.clock.nanoTime());
        // then
        assertEquals(
                1, strangers.end(0).health.counters().value(CounterType.LINK_STATUS_BAD_FRAMES, 0));
        assertEquals(
                1,
                strangers.end(0).health.counters().value(CounterType.LINK_STATUS_STALE_FRAMES, 0));
        assertTrue(strangers.end(0).isUsed(0));
    }

    @Test
    void shouldRefuseContradictions() {
        // given: what was acknowledged was never announced; the same number announces something
        // else.
        send(neighbour, body -> body.acknowledgement(1_000_000));
        assertHarmless(1, 0);
        send(neighbour, body -> body.failed(0));
        // when
        send(neighbour, body -> body.failed(1));
        // then
        assertHarmless(2, 0);
    }

    @Test
    void shouldRefuseWhatAcknowledgesNothingThatWasAnnounced() {
        // when: nothing, though the neighbour has acknowledged before; what came before the first
        send(neighbour, body -> body.acknowledgement(0));
        send(neighbour, body -> body.acknowledgement(-1));
        send(neighbour, body -> body.acknowledgement(Integer.MIN_VALUE));
        // and what has no number itself
        send(neighbour, body -> body.sequence(0));
        // then
        assertHarmless(4, 0);
    }

    @Test
    void shouldIgnoreOldNews() {
        // given
        send(neighbour, body -> body.failed(0));
        // when
        send(neighbour, body -> body.sequence(999));
        // then
        assertHarmless(0, 0);
    }

    @Test
    void shouldComeBackFromANeighbourThatReportsAllLinksFailed() {
        // when: a lie with the right addresses and numbers.
        send(neighbour, body -> body.sequence(1_000));
        // then: it is believed, and nothing else is touched.
        assertTrue(!victim.isUsed(0) && !victim.isUsed(1));
        assertEquals(0, victim.health.counters().value(CounterType.LINK_STATUS_BAD_FRAMES, 0));
        // and when: the truth, numbered after the lie.
        send(neighbour, body -> body.sequence(1_001).failed(0));
        assertTrue(victim.isUsed(0) && victim.isUsed(1));
    }

    @Test
    void shouldSurviveAnythingThatPassesTheValidator() {
        final SplittableRandom random = new SplittableRandom(11);
        for (int i = 0; i < 20_000; i++) {
            send(
                    random.nextBoolean() ? neighbour : random.nextLong(),
                    body -> {
                        body.linkNumber(random.nextInt(2))
                                .dimension(random.nextInt(10) == 0 ? random.nextInt(8) : 0)
                                .beat(random.nextInt())
                                .sequence(random.nextInt())
                                .acknowledgement(random.nextInt(5) - 2)
                                .failed(random.nextInt(4))
                                .asking(random.nextBoolean())
                                .sentFrames(random.nextInt(2), random.nextInt())
                                .weight(random.nextInt(2), 1 + random.nextInt(64));
                        header.sourceIncarnation(1 + random.nextInt(3));
                    });
            if (i % 100 == 0) {
                world.run(MS);
            }
        }
        // then
        world.run(MS);
        assertTrue(victim.health.counters().value(CounterType.LINK_STATUS_BAD_FRAMES, 0) > 1_000);
        assertEquals(0, victim.outstanding());
    }
}
