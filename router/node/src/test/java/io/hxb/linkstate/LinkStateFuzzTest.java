package io.hxb.linkstate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.LinkStateFlyweight;
import io.hxb.testing.Seeds;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Neighbours that make up what they send. */
@Tag("property")
class LinkStateFuzzTest {
    private static final long MS = LinkStateNetwork.MS;
    private static final long FIRST = Long.getLong("hxb.sim.firstSeed", 0);
    private static final int SEEDS = Integer.getInteger("hxb.sim.linkStateSeeds", 40 * Seeds.TIMES);
    private static final int NODES = 6;
    private static final int FRAMES = 400;

    private static String replay(final long seed) {
        return "replay with -Dhxb.sim.firstSeed=" + seed + " -Dhxb.sim.linkStateSeeds=1";
    }

    @Test
    void shouldHaveTheTrueMapAgainOnceForgeriesAreTooOld() {
        // when
        final long taken = Seeds.sum(SEEDS, i -> run(FIRST + i));
        // then
        assertTrue(taken > 30L * SEEDS, taken + " of " + SEEDS * FRAMES + " were taken");
    }

    private static long run(final long seed) {
        // given
        final LinkStateNetwork network = new LinkStateNetwork(NODES, seed);
        network.joinAtRandom(4);
        network.startAll(1_000);
        network.run(1_000 * MS);
        assertNull(network.difference(), () -> replay(seed));
        final long before = network.count(LinkStateCount.TAKEN);
        // when
        final Random random = new Random(seed);
        for (int i = 0; i < FRAMES; i++) {
            final LinkStateNetwork.Cable cable =
                    network.cables.get(random.nextInt(network.cables.size()));
            final boolean isOne = random.nextBoolean();
            network.deliver(
                    isOne ? cable.one : cable.other, isOne ? cable.other : cable.one, body(random));
            network.run(random.nextLong(4 * MS));
        }
        final long taken = network.count(LinkStateCount.TAKEN) - before;
        // then: nothing made up lasts for more than 100 s, and a node is refreshed after 30 s
        network.run(135_000 * MS);
        assertNull(network.difference(), () -> network.difference() + ", " + replay(seed));
        for (int node = 0; node < NODES; node++) {
            assertEquals(NODES, network.states[node].nodes());
        }
        return taken;
    }

    // Entries of few nodes with numbers that are likely to meet others, some of them damaged.
    private static byte[] body(final Random random) {
        final MemorySegment memory = Arena.ofAuto().allocate(2_048, 8);
        final LinkStateFlyweight entry = new LinkStateFlyweight();
        int bytes = 0;
        for (int i = random.nextInt(3); i >= 0; i--) {
            entry.wrap(memory.address() + bytes);
            final int node = random.nextInt(NODES + 1);
            if (random.nextInt(4) == 0) {
                entry.acknowledgement();
            } else {
                final int adjacencies = random.nextInt(NODES - 1);
                entry.record(adjacencies, new byte[random.nextInt(6)])
                        .ageMs(random.nextInt(LinkStateFlyweight.MAX_AGE_MS + 1));
                for (int adjacency = 0; adjacency < adjacencies; adjacency++) {
                    entry.adjacency(
                            adjacency,
                            adjacency + (adjacency >= node ? 1 : 0),
                            random.nextInt(4),
                            random.nextInt(),
                            random.nextInt());
                }
            }
            entry.origin(
                    node,
                    random.nextInt(5) - 2,
                    1_000 + random.nextInt(3) - 1,
                    random.nextInt(6),
                    random.nextInt(3) - 1);
            if (random.nextInt(20) == 0) {
                entry.origin(node, 0, -1, -1, -1);
            }
            bytes += entry.length();
        }
        final byte[] body = memory.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
        if (random.nextInt(3) == 0) {
            body[random.nextInt(body.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return body;
    }
}
