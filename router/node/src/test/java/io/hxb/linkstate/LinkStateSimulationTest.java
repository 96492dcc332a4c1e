package io.hxb.linkstate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.testing.Seeds;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Random;

/** Random clusters in virtual time, whose cables and nodes fail and come back. */
@Tag("simulation")
class LinkStateSimulationTest {
    private static final long MS = LinkStateNetwork.MS;
    private static final long FIRST = Long.getLong("hxb.sim.firstSeed", 0);
    private static final int SEEDS =
            Integer.getInteger("hxb.sim.linkStateSeeds", 1_000 * Seeds.TIMES);
    private static final int MAX_NODES = 24;

    /** With a fifth of the frames lost, and changes held for up to a second. */
    private static final long LIMIT_NS = 10_000 * MS;

    private static String replay(final long seed) {
        return "replay with -Dhxb.sim.firstSeed=" + seed + " -Dhxb.sim.linkStateSeeds=1";
    }

    @Test
    void shouldHaveOneMapOnAllNodesAfterTheLastChangeAndThenBeSilent() {
        // when
        final long changes = Seeds.sum(SEEDS, i -> run(FIRST + i));
        // then
        assertTrue(changes >= 3L * SEEDS, "only " + changes + " changes");
    }

    private static long run(final long seed) {
        // given
        final Random random = new Random(seed);
        final LinkStateNetwork network =
                new LinkStateNetwork(2 + random.nextInt(MAX_NODES - 1), seed);
        network.loss = random.nextInt(3) * 0.1;
        network.jitterNs = random.nextInt(3) * MS;
        network.noticeNs = random.nextInt(30) * MS;
        network.joinAtRandom(random.nextInt(2 * network.nodes));
        network.startAll(1_000);
        // when
        final int changes = 3 + random.nextInt(10);
        for (int i = 0; i < changes; i++) {
            change(network, random);
            network.run(random.nextLong(random.nextBoolean() ? 20 * MS : 600 * MS));
        }
        // then
        final long ns = network.run(LIMIT_NS, 50 * MS, () -> network.difference() == null);
        assertTrue(ns >= 0, () -> network.difference() + ", " + replay(seed));
        beSilent(network, seed);
        return changes;
    }

    // What is not acknowledged is sent again after 200 ms at most, a change is held for 1 s.
    private static void beSilent(final LinkStateNetwork network, final long seed) {
        network.run(1_300 * MS);
        final long ns =
                network.run(
                        LIMIT_NS, 100 * MS, () -> network.nowNs - network.lastFrameNs > 1_300 * MS);
        assertTrue(ns >= 0, () -> "not silent, " + replay(seed));
        final long frames = network.frames;
        final long unheard = network.unheardFrames;
        network.run(3_000 * MS);
        assertEquals(frames, network.frames, () -> "frames after silence, " + replay(seed));
        assertNull(network.difference(), () -> replay(seed));
        // Those that nobody hears go to the far ends of cables that work one way.
        final long oneWay =
                network.cables.stream().filter(cable -> cable.isThere != cable.isBack).count();
        final long most = oneWay * 16;
        assertTrue(network.unheardFrames - unheard <= most, () -> "unheard, " + replay(seed));
        assertEquals(0, network.count(LinkStateCount.TOO_MANY), () -> replay(seed));
        assertEquals(0, network.claims.size(), () -> replay(seed));
    }

    private static void change(final LinkStateNetwork network, final Random random) {
        final LinkStateNetwork.Cable cable =
                network.cables.get(random.nextInt(network.cables.size()));
        final int node = random.nextInt(network.nodes);
        switch (random.nextInt(9)) {
            case 0, 1 -> network.set(cable, false, false);
            case 2 -> network.set(cable, true, true);
            case 3 -> network.set(cable, random.nextBoolean(), random.nextBoolean());
            case 4 -> {
                cable.links = 1 + random.nextInt(4);
                cable.capacity = 1_000 << random.nextInt(5);
                network.notice(cable);
            }
            case 5 -> add(network, random);
            case 6 -> restart(network, node, random);
            case 7 -> part(network, random);
            default ->
                    network.cables.stream()
                            .filter(one -> !one.isTwoWay())
                            .forEach(one -> network.set(one, true, true));
        }
    }

    private static void add(final LinkStateNetwork network, final Random random) {
        final int one = random.nextInt(network.nodes);
        final int other = random.nextInt(network.nodes);
        if (!network.isJoined(one, other)) {
            network.notice(network.join(one, other));
        }
    }

    // With a clock that went on, stood still or went back; others may not notice that it was gone.
    private static void restart(
            final LinkStateNetwork network, final int node, final Random random) {
        if (random.nextBoolean()) {
            network.kill(node);
            network.run(random.nextLong(100 * MS));
        }
        network.start(node, 998 + random.nextInt(5));
    }

    private static void part(final LinkStateNetwork network, final Random random) {
        final boolean[] isLeft = new boolean[network.nodes];
        for (int node = 0; node < isLeft.length; node++) {
            isLeft[node] = random.nextBoolean();
        }
        network.cables.stream()
                .filter(cable -> isLeft[cable.one] != isLeft[cable.other])
                .forEach(cable -> network.set(cable, false, false));
    }

    @Test
    void shouldAgreeWithin50MsWhenOneCableIsPulled() {
        // when
        final long messages = Seeds.sum(200, seed -> pull(16, 12, seed));
        // then: the records of both ends, and an acknowledgement of each, over 27 cables at most
        assertTrue(messages > 200 * 15 && messages < 200 * 4 * 27, messages + " messages");
    }

    private static long pull(final int nodes, final int more, final long seed) {
        final LinkStateNetwork network = new LinkStateNetwork(nodes, seed);
        network.joinAtRandom(more);
        network.startAll(1_000);
        network.run(3_000 * MS);
        assertNull(network.difference(), () -> "seed " + seed);
        final long before = network.frames;
        final LinkStateNetwork.Cable cable =
                network.cables.get(network.random.nextInt(network.cables.size()));
        network.set(cable, false, false);
        network.run(50 * MS);
        assertNull(network.difference(), () -> "seed " + seed);
        final long messages = network.frames - before;
        final long most = 4L * network.cables.size();
        assertTrue(messages <= most, () -> messages + " of " + most + ", seed " + seed);
        network.run(3_000 * MS);
        assertEquals(before + messages, network.frames, () -> "seed " + seed);
        return messages;
    }

    @Test
    void shouldAgreeWithin50MsInTheLargestClusters() {
        // given: six cables each, at random
        final int nodes = LinkStates.MAX_NODES;
        final LinkStateNetwork network = new LinkStateNetwork(nodes, 7);
        final int[] degrees = new int[nodes];
        for (int node = 0; node < nodes; node++) {
            cable(network, degrees, node, (node + 1) % nodes);
        }
        for (int tries = 0; tries < 100_000; tries++) {
            final int one = network.random.nextInt(nodes);
            final int other = network.random.nextInt(nodes);
            if (!network.isJoined(one, other) && degrees[one] < 6 && degrees[other] < 6) {
                cable(network, degrees, one, other);
            }
        }
        // when: all start together
        network.startAll(1_000);
        final long startNs = network.run(10_000 * MS, 10 * MS, () -> network.difference() == null);
        // then
        assertTrue(startNs >= 0, network::difference);
        final long startBytes = network.bytes;
        final long startFrames = network.frames;
        network.run(5_000 * MS);
        // when: one cable is pulled
        final long frames = network.frames;
        final long bytes = network.bytes;
        network.set(network.cables.get(100), false, false);
        final long ns = network.run(50 * MS, MS, () -> network.difference() == null);
        // then
        assertTrue(ns >= 0, network::difference);
        network.run(100 * MS);
        final long edges = network.cables.size();
        final long sentFrames = network.frames - frames;
        final long sentBytes = network.bytes - bytes;
        final String figures =
                String.format(
                        "%d cables; start %d ms, %d frames, %d bytes; change %d ms, %d frames, %d"
                                + " bytes",
                        edges,
                        startNs / MS,
                        startFrames,
                        startBytes,
                        ns / MS,
                        sentFrames,
                        sentBytes);
        // Two records, each twice over a cable at most, or once and acknowledged.
        assertTrue(sentFrames <= 4 * edges, figures);
        assertTrue(sentBytes <= 4 * edges * 140, figures);
        System.out.println("link states of " + nodes + " nodes: " + figures);
    }

    private static void cable(
            final LinkStateNetwork network, final int[] degrees, final int one, final int other) {
        network.join(one, other);
        degrees[one]++;
        degrees[other]++;
    }

    @Test
    void shouldForgetNodesThatAreGoneAndKeepThoseThatLive() {
        // given
        final LinkStateNetwork network = new LinkStateNetwork(8, 5);
        network.joinAtRandom(8);
        network.loss = 0.1;
        network.startAll(1_000);
        network.run(60_000 * MS);
        assertNull(network.difference());
        // when
        network.kill(3);
        network.run(69_000 * MS);
        // then: it is forgotten 100 s after its last record, which is up to 30 s old
        assertTrue(network.states[0].graph().isKnown(3));
        network.run(35_000 * MS);
        for (final int node : network.component(0)) {
            final NodeGraph graph = network.states[node].graph();
            for (int other = 0; other < 8; other++) {
                assertEquals(other != 3, graph.isKnown(other), node + " of " + other);
            }
        }
        assertTrue(network.count(LinkStateCount.FORGOTTEN) >= 7);
        assertTrue(network.count(LinkStateCount.PUBLISHED) > 7 * 5);
    }

    @Test
    void shouldNotKeepRecordsOfTheDeadAliveWhereCablesComeAndGo() {
        // given
        final LinkStateNetwork network = new LinkStateNetwork(6, 1);
        network.joinAtRandom(10);
        network.startAll(1_000);
        network.run(1_000 * MS);
        // when
        network.kill(5);
        final Random random = new Random(1);
        for (int i = 0; i < 1_000; i++) {
            final LinkStateNetwork.Cable cable =
                    network.cables.get(random.nextInt(network.cables.size()));
            final boolean isUp = random.nextBoolean();
            network.set(cable, isUp, isUp);
            network.run(120 * MS);
        }
        // then
        for (int node = 0; node < 5; node++) {
            assertTrue(!network.states[node].graph().isKnown(5), "node " + node);
        }
    }

    @Test
    void shouldHoldBackChangesOfACableThatFailsAndRecoversAllTheTime() {
        // given
        final LinkStateNetwork network = new LinkStateNetwork(8, 2);
        network.joinAtRandom(8);
        network.startAll(1_000);
        network.run(20_000 * MS);
        final long published = network.count(LinkStateCount.PUBLISHED);
        // when: it does so 100 times a second
        final LinkStateNetwork.Cable cable = network.cables.getFirst();
        for (int i = 0; i < 1_000; i++) {
            network.set(cable, i % 2 == 0, i % 2 == 0);
            network.run(10 * MS);
        }
        // then: both ends tell ever less often, 1 s apart in the end; others refresh once
        final long told = network.count(LinkStateCount.PUBLISHED) - published;
        assertTrue(told > 10 && told <= 2 * 20 + 8, told + " records");
        network.set(cable, false, false);
        network.run(1_100 * MS);
        assertNull(network.difference());
    }
}
