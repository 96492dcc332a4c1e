package io.hxb.trunk.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.link.sim.SimLink;
import io.hxb.trunk.LinkReason;
import io.hxb.trunk.LinkState;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A link on which frames over some length are lost, while short ones pass; in virtual time. */
@Tag("simulation")
class LongFramesLostTest {
    private static final long MS = TrunkWorld.MS;
    private static final int SHORT_BYTES = 500;

    private static void limit(final TrunkWorld world, final int maxBytes) {
        final SimLink one = world.end(0).links[1];
        world.network.limit(one, world.end(1).links[1], maxBytes);
    }

    private static long used(final TrunkWorld world) {
        return world.end(1).events.stream()
                .filter(event -> event.number() == 1 && event.state() == LinkState.GOOD)
                .count();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveALinkOutUntilLongFramesPass(final boolean hasKey) {
        // given
        final TrunkWorld world = hasKey ? TrunkWorld.ofTwoWithKey(3) : TrunkWorld.ofTwo(3);
        world.end(0).sendTo(1, 10_000);
        world.run(100 * MS);
        final long usedBefore = used(world);
        // when
        limit(world, SHORT_BYTES);
        world.runUntil(() -> !world.isUsed(1), 1_000 * MS);
        world.run(5_000 * MS);
        // then
        assertEquals(usedBefore, used(world), "it is not used again");
        assertFalse(world.end(1).isUsed(1));
        assertEquals(LinkReason.LONG_LOST, world.end(1).ports[1].reason(0));
        assertEquals(LinkReason.LONG_LOST, world.end(1).lastReason());
        // and when
        limit(world, Integer.MAX_VALUE);
        // then
        world.runUntil(() -> world.isUsed(1), 15_000 * MS);
        assertEquals(LinkReason.HEALED, world.end(1).lastReason());
    }

    @Test
    void shouldUseALinkForShortFramesWhereThereIsNoOther() {
        // given: the neighbour cannot be heard for a while
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        world.end(0).sendTo(1, 200);
        world.end(1).sendTo(0, 200);
        world.cutBoth(0, true);
        world.cutBoth(1, true);
        world.runUntil(() -> !world.end(1).isUsed(0) && !world.end(1).isUsed(1), 3_000 * MS);
        // when
        limit(world, SHORT_BYTES);
        world.cutBoth(1, false);
        // then
        world.runUntil(() -> world.end(0).isUsed(1) && world.end(1).isUsed(1), 1_000 * MS);
        assertTrue(world.network.cutFrames() > 0);
    }
}
