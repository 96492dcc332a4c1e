package io.hxb.pm.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

@Tag("unit")
class DestinationSharesTest {
    private static final int BUFFERS = 256;

    private final DestinationShares shares = new DestinationShares(BUFFERS);

    /** Takes all that a destination may have; returns how many it has then. */
    private int fill(final int context) {
        final int share = shares.of(0, context);
        int free = BUFFERS - taken();
        while (free > 0 && shares.mayTake(share)) {
            shares.onTaken(share);
            free--;
        }
        return shares.messages(share);
    }

    private int taken() {
        int taken = 0;
        for (int context = 0; context < 1_000; context++) {
            final int share = shares.find(0, context);
            taken += share == DestinationShares.NONE ? 0 : shares.messages(share);
        }
        return taken;
    }

    @Test
    void shouldGiveOneAloneMostBuffers() {
        assertEquals(200, fill(1));
        assertTrue(shares.mayTake(shares.of(0, 2)));
    }

    @Test
    void shouldGiveSeveralThatTakeNothingEqualPartsAndLeaveSome() {
        // given: each takes one in turn, as long as any may
        boolean isAny = true;
        while (isAny) {
            isAny = false;
            for (int context = 0; context < 16; context++) {
                final int share = shares.of(0, context);
                if (taken() < BUFFERS && shares.mayTake(share)) {
                    shares.onTaken(share);
                    isAny = true;
                }
            }
        }
        // then
        for (int context = 0; context < 16; context++) {
            assertEquals(12, shares.messages(shares.of(0, context)), 1);
        }
        assertTrue(BUFFERS - taken() >= 48, BUFFERS - taken() + " are left");
    }

    @Test
    void shouldGiveOneOfWhichNothingIsDoneAnEighth() {
        // given
        final int late = shares.of(0, 1);
        final int quick = shares.of(0, 2);
        shares.onTaken(late);
        // when
        for (int i = 0; i < 2 * BUFFERS + 1; i++) {
            shares.onTaken(quick);
            shares.onDone(quick);
            shares.onFree(quick, 0);
        }
        // then
        assertEquals(BUFFERS / 8, fill(1));
        assertTrue(fill(2) > 150, "one that is not late");
        // when: it takes something
        shares.onDone(late);
        // then
        assertTrue(shares.mayTake(late));
    }

    @Test
    void shouldLeaveSomeWhenSeveralTakeAllThatTheyMayOneAfterTheOther() {
        for (int context = 0; context < 8; context++) {
            assertTrue(fill(context) >= 4);
        }
        assertTrue(fill(8) >= 4);
        assertTrue(BUFFERS - taken() >= 4, BUFFERS - taken() + " are left");
    }

    @Test
    void shouldGrantTheFirstBufferAlways() {
        for (int context = 0; context < BUFFERS; context++) {
            final int share = shares.of(0, context);
            assertTrue(shares.mayTake(share));
            shares.onTaken(share);
        }
    }

    @Test
    void shouldKeepToTheOptionsOfADestination() {
        // given
        final int share = shares.of(3, 4);
        // when
        shares.set(share, 5, 6, true);
        // then
        for (int i = 0; i < 5; i++) {
            assertTrue(shares.mayTake(share));
            shares.onTaken(share);
        }
        assertFalse(shares.mayTake(share));
        assertEquals(6, shares.maxWaitNs(share));
        assertTrue(shares.isDropping(share));
        // when
        shares.set(share, Integer.MAX_VALUE, Long.MAX_VALUE, false);
        // then
        assertTrue(shares.mayTake(share));
    }

    /** Whatever comes and goes, each destination has what it took, and options stay. */
    @Test
    void shouldKnowAnyNumberOfDestinations() {
        final Random random = new Random(42);
        final Map<Integer, Integer> taken = new HashMap<>();
        final ArrayDeque<Integer> order = new ArrayDeque<>();
        for (int i = 0; i < 100; i++) {
            shares.set(shares.of(7, 50_000 + i), 1 + i, Long.MAX_VALUE, false);
        }
        for (int i = 0; i < 200_000; i++) {
            final int context = random.nextInt(50_000);
            if (order.size() < BUFFERS && random.nextInt(4) > 0) {
                final int share = shares.of(7, context);
                if (shares.mayTake(share)) {
                    shares.onTaken(share);
                    shares.onFilled(share, context);
                    taken.merge(context, 1, Integer::sum);
                    order.add(context);
                }
            } else if (!order.isEmpty()) {
                final int done = order.poll();
                final int share = shares.find(7, done);
                assertEquals(taken.get(done), shares.messages(share));
                assertEquals((long) taken.get(done) * done, shares.bytes(share));
                shares.onDone(share);
                shares.onFree(share, done);
                taken.merge(done, -1, Integer::sum);
            }
        }
        for (int i = 0; i < 100; i++) {
            assertTrue(shares.find(7, 50_000 + i) != DestinationShares.NONE, "options of " + i);
        }
    }
}
