package io.hxb.vlan.health;

import static io.hxb.vlan.health.HealthNetwork.MS;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.PathHealthConfig;
import io.hxb.fabric.vlan.NicSpread;
import io.hxb.session.ClusterKey;
import io.hxb.session.KeyRing;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Paths that die and come back, between hosts in virtual time. */
@Tag("simulation")
class PathHealthTest {
    private static final PathHealthConfig CONFIG = PathHealthConfig.DEFAULT;
    private static final PathHealthConfig SHORT_HOLD =
            new PathHealthConfig(
                    true,
                    CONFIG.heartbeatNs(),
                    100 * MS,
                    CONFIG.silenceNs(),
                    CONFIG.framesPerSecond(),
                    CONFIG.healBeats(),
                    CONFIG.lossPercent(),
                    100 * MS,
                    1_000 * MS);
    private static final long LONG = 1_000_000 * MS;

    private static HealthNetwork network(final long seed) {
        return new HealthNetwork(CONFIG, 16, 4, 4, KeyRing.NONE, seed);
    }

    /** Pairs of hosts with traffic in one or both directions. */
    private static List<int[]> pairs(final HealthNetwork network, final int count) {
        final List<int[]> pairs = new ArrayList<>();
        while (pairs.size() < count) {
            final int a = network.random().nextInt(network.hosts());
            final int b = network.random().nextInt(network.hosts());
            if (a != b) {
                pairs.add(new int[] {a, b});
                network.traffic(a, b, LONG);
                if (network.random().nextBoolean()) {
                    network.traffic(b, a, LONG);
                }
            }
        }
        return pairs;
    }

    private static long broken(final HealthNetwork network, final List<int[]> pairs) {
        return pairs.stream().filter(pair -> !network.isWhole(pair[0], pair[1])).count();
    }

    /** Time until no pair is broken, in ms; fails after a limit. */
    private static long mend(
            final HealthNetwork network,
            final List<int[]> pairs,
            final int limitMs,
            final long seed) {
        for (int ms = 1; ms <= limitMs; ms++) {
            network.runFor(MS);
            if (broken(network, pairs) == 0) {
                return ms;
            }
        }
        throw new AssertionError(
                "seed %d: %d of %d pairs are broken after %d ms"
                        .formatted(seed, broken(network, pairs), pairs.size(), limitMs));
    }

    @Test
    void shouldMoveAllPairsOfADeadSwitchWithinFiftyMs() {
        long worst = 0;
        long cut = 0;
        for (long seed = 0; seed < 15; seed++) {
            // given
            final HealthNetwork network = network(seed);
            final List<int[]> pairs = pairs(network, 12);
            network.runFor(1_000 * MS + network.random().nextLong(20 * MS));
            assertEquals(0, broken(network, pairs), "seed " + seed);
            // when
            network.setLoss(network.random().nextInt(4), 1);
            cut += broken(network, pairs);
            // then
            worst = Math.max(worst, mend(network, pairs, 50, seed));
        }
        assertTrue(cut > 20, "pairs that were cut: " + cut);
        assertTrue(worst > 10, "took no time: " + worst);
    }

    @Test
    void shouldMoveBothEndsWhereOneDirectionDies() {
        for (long seed = 0; seed < 15; seed++) {
            // given
            final HealthNetwork network = network(seed);
            final List<int[]> pairs = pairs(network, 12);
            network.runFor(1_000 * MS + network.random().nextLong(20 * MS));
            // when
            network.setUpLoss(network.random().nextInt(4), network.random().nextInt(4), 1);
            // then
            mend(network, pairs, 50, seed);
            network.runFor(20 * MS);
            assertEquals(0, broken(network, pairs), "seed " + seed);
        }
    }

    @Test
    void shouldReturnWhenASwitchIsBackAndWaitLongerEachTime() {
        for (long seed = 0; seed < 4; seed++) {
            // given
            final HealthNetwork network = network(seed);
            network.traffic(0, 5, LONG);
            network.runFor(1_000 * MS);
            final int wanted = network.wanted(0, 5);
            assertEquals(wanted, network.host(0).vidTo(5));
            long firstMs = 0;
            for (int failure = 0; failure < 4; failure++) {
                // when
                network.setLoss(wanted - network.vid(0), 1);
                network.runFor(60 * MS);
                assertNotEquals(wanted, network.host(0).vidTo(5), "seed " + seed);
                network.setLoss(wanted - network.vid(0), 0);
                // then
                long ms = 0;
                while (network.host(0).vidTo(5) != wanted || network.host(5).vidTo(0) != wanted) {
                    network.runFor(MS);
                    assertTrue(++ms < 60_000, "seed " + seed + " does not return");
                }
                if (failure == 0) {
                    firstMs = ms;
                    assertTrue(ms < 3_000, "seed " + seed + ": " + ms + " ms");
                }
                if (failure == 3) {
                    assertTrue(ms > 2 * firstMs, firstMs + " ms first, then " + ms);
                }
            }
        }
    }

    @Test
    void shouldChangeNothingWhereAHostStandsStillOrGoes() {
        for (long seed = 0; seed < 8; seed++) {
            // given
            final HealthNetwork network = network(seed);
            final List<int[]> pairs = pairs(network, 12);
            network.runFor(1_000 * MS);
            // when
            final int host = network.random().nextInt(16);
            network.host(host).pause((5 + network.random().nextLong(1_000)) * MS);
            network.runFor(1_500 * MS);
            // then
            for (int i = 0; i < 16; i++) {
                assertEquals(0, network.host(i).counts().failures(), "seed " + seed);
            }
            assertEquals(0, broken(network, pairs), "seed " + seed);
        }
    }

    @Test
    void shouldLeaveLossyPathsAndStayOnThoseThatLoseLittle() {
        for (long seed = 0; seed < 4; seed++) {
            // given
            final HealthNetwork network = network(seed);
            network.traffic(0, 5, LONG);
            network.traffic(1, 6, LONG);
            network.runFor(1_000 * MS);
            final int lossy = network.wanted(0, 5) - network.vid(0);
            final int fair = network.wanted(1, 6) - network.vid(0);
            assertNotEquals(lossy, fair);
            // when
            network.setLoss(lossy, 0.3);
            network.setLoss(fair, 0.01);
            network.runFor(5_000 * MS);
            // then
            assertNotEquals(network.wanted(0, 5), network.host(0).vidTo(5), "seed " + seed);
            assertTrue(network.isTogether(0, 5), "seed " + seed);
            network.runFor(10_000 * MS);
            assertEquals(network.wanted(1, 6), network.host(1).vidTo(6), "seed " + seed);
        }
    }

    @Test
    void shouldKeepAClaimOnADeadVidAndMoveTheTraffic() {
        // given
        final HealthNetwork network = network(3);
        network.traffic(0, 5, LONG);
        network.runFor(1_000 * MS);
        final int claimed =
                network.wanted(0, 5) == network.vid(2) ? network.vid(1) : network.vid(2);
        network.setLoss(claimed - network.vid(0), 1);
        // when
        network.host(0).claim(5, claimed);
        network.host(5).claim(0, claimed);
        network.runFor(60 * MS);
        // then
        assertTrue(network.isWhole(0, 5));
        assertNotEquals(claimed, network.host(0).vidTo(5));
        // when: it is set again while it is known to be dead
        final int other = network.host(0).vidTo(5);
        network.host(0).claim(5, claimed);
        // then
        assertEquals(other, network.host(0).vidTo(5));
        // when
        network.setLoss(claimed - network.vid(0), 0);
        network.runFor(5_000 * MS);
        // then
        assertEquals(claimed, network.host(0).vidTo(5));
        assertEquals(claimed, network.host(5).vidTo(0));
    }

    private static long unheard(final HealthNetwork network) {
        return IntStream.range(0, network.hosts())
                .filter(host -> !network.isHeardByAll(host))
                .count();
    }

    /** Time until broadcasts of all hosts reach all others again, in ms. */
    private static long mendDefaults(
            final HealthNetwork network, final int limitMs, final long seed) {
        for (int ms = 1; ms <= limitMs; ms++) {
            network.runFor(MS);
            if (unheard(network) == 0) {
                return ms;
            }
        }
        throw new AssertionError(
                "seed %d: broadcasts of %d hosts are lost after %d ms"
                        .formatted(seed, unheard(network), limitMs));
    }

    private static HealthNetwork broadcasting(final long seed) {
        final HealthNetwork network = network(seed);
        for (int host = 0; host < network.hosts(); host++) {
            network.broadcasts(host, LONG);
        }
        network.runFor(1_000 * MS + network.random().nextLong(20 * MS));
        assertEquals(0, unheard(network), "seed " + seed);
        return network;
    }

    @Test
    void shouldMoveTheDefaultVidOffADeadSwitchWithinFiftyMs() {
        long worst = 0;
        for (long seed = 0; seed < 15; seed++) {
            // given: hosts that talk to nobody in the plan
            final HealthNetwork network = broadcasting(seed);
            // when
            final int dead = network.random().nextInt(4);
            network.setLoss(dead, 1);
            assertTrue(unheard(network) > 0);
            // then
            worst = Math.max(worst, mendDefaults(network, 50, seed));
            for (int host = 0; host < network.hosts(); host++) {
                final boolean isHit = network.tableDefault(host) == network.vid(dead);
                assertEquals(
                        isHit ? 1 : 0,
                        network.host(host).counts().defaultMoves(),
                        "seed " + seed + " host " + host);
            }
        }
        assertTrue(worst > 10, "took no time: " + worst);
    }

    @Test
    void shouldMoveTheDefaultVidWhereOneLeafIsNotReached() {
        for (long seed = 0; seed < 15; seed++) {
            // given
            final HealthNetwork network = broadcasting(seed);
            // when: one direction of one link dies
            network.setUpLoss(network.random().nextInt(4), network.random().nextInt(4), 1);
            assertTrue(unheard(network) > 0);
            // then
            mendDefaults(network, 50, seed);
        }
    }

    @Test
    void shouldTakeTheDefaultVidAgainWhenItIsBack() {
        for (long seed = 0; seed < 4; seed++) {
            // given
            final HealthNetwork network = broadcasting(seed);
            final int wanted = network.tableDefault(3);
            network.setLoss(wanted - network.vid(0), 1);
            mendDefaults(network, 50, seed);
            final int standIn = network.host(3).defaultVid();
            network.runFor(3_000 * MS);
            assertEquals(standIn, network.host(3).defaultVid(), "seed " + seed);
            // when: the VID that stands in dies, too
            network.setLoss(standIn - network.vid(0), 1);
            mendDefaults(network, 50, seed);
            // when: both are back
            network.setLoss(wanted - network.vid(0), 0);
            network.setLoss(standIn - network.vid(0), 0);
            network.runFor(5_000 * MS);
            // then
            assertEquals(wanted, network.host(3).defaultVid(), "seed " + seed);
        }
    }

    @Test
    void shouldFindADeadDefaultVidWhenItIsUsedAndReturnWithoutTraffic() {
        for (long seed = 0; seed < 4; seed++) {
            // given: it dies while nobody uses it
            final HealthNetwork network = network(seed);
            network.runFor(1_000 * MS);
            final int wanted = network.tableDefault(6);
            network.setLoss(wanted - network.vid(0), 1);
            network.runFor(1_000 * MS);
            assertEquals(wanted, network.host(6).defaultVid());
            // when
            network.broadcasts(6, network.nowNs() + 200 * MS);
            network.runFor(170 * MS);
            // then
            assertTrue(network.isHeardByAll(6), "seed " + seed);
            network.runFor(20_000 * MS);
            assertTrue(network.isHeardByAll(6), "seed " + seed);
            // when
            network.setLoss(wanted - network.vid(0), 0);
            network.runFor(5_000 * MS);
            // then
            assertEquals(wanted, network.host(6).defaultVid(), "seed " + seed);
        }
    }

    @Test
    void shouldNotMoveTheDefaultVidWhereWitnessesStandStillOrGo() {
        for (long seed = 0; seed < 8; seed++) {
            // given
            final HealthNetwork network = broadcasting(seed);
            // when
            for (int i = 0; i < 4; i++) {
                network.host(network.random().nextInt(16))
                        .pause((5 + network.random().nextLong(3_000)) * MS);
            }
            network.runFor(4_000 * MS);
            // then
            for (int host = 0; host < 16; host++) {
                assertEquals(0, network.host(host).counts().defaultMoves(), "seed " + seed);
            }
        }
    }

    @Test
    void shouldMoveAllPairsOfADeadNicToAnotherWithinFiftyMs() {
        long cut = 0;
        for (long seed = 0; seed < 15; seed++) {
            // given: two NICs with four VIDs each
            final HealthNetwork network =
                    new HealthNetwork(
                            CONFIG,
                            16,
                            8,
                            4,
                            KeyRing.NONE,
                            seed,
                            NicSpread.of(0, 0, 0, 0, 1, 1, 1, 1));
            final List<int[]> pairs = pairs(network, 12);
            network.broadcasts(pairs.getFirst()[0], LONG);
            network.runFor(1_000 * MS + network.random().nextLong(20 * MS));
            assertEquals(0, broken(network, pairs), "seed " + seed);
            // when
            final int nic = network.random().nextInt(2);
            network.setNicLoss(pairs.getFirst()[0], nic, 1);
            cut += broken(network, pairs);
            // then
            final long tookMs = mend(network, pairs, 50, seed);
            network.runFor((50 - tookMs) * MS);
            assertTrue(network.isHeardByAll(pairs.getFirst()[0]), "seed " + seed);
            // when: it is back, and the other one dies
            network.setNicLoss(pairs.getFirst()[0], nic, 0);
            network.runFor(3_000 * MS);
            network.setNicLoss(pairs.getFirst()[0], 1 - nic, 1);
            // then
            mend(network, pairs, 50, seed);
        }
        assertTrue(cut > 8, "pairs that were cut: " + cut);
    }

    @Test
    void shouldReportHalfOfAPairUntilItIsHealed() {
        // given: no traffic at all
        final HealthNetwork network = network(4);
        final int claimed =
                network.wanted(0, 5) == network.vid(2) ? network.vid(1) : network.vid(2);
        network.runFor(100 * MS);
        // when
        network.host(0).claim(5, claimed);
        network.runFor(5_000 * MS);
        // then: both ends know
        assertEquals(1, network.host(0).counts().halfPairs());
        assertEquals(1, network.host(5).counts().halfPairs());
        assertTrue(network.host(0).log().stream().anyMatch(line -> line.contains(" half 5 ")));
        // when
        network.host(5).claim(0, claimed);
        network.runFor(2_000 * MS);
        // then
        assertEquals(0, network.host(0).counts().halfPairs());
        assertEquals(0, network.host(5).counts().halfPairs());
        assertTrue(network.host(5).log().getLast().contains(" whole 0 "));
    }

    @Test
    void shouldMoveHundredsOfPairsWithFewProbes() {
        // given: every host talks to all others
        final int hosts = 32;
        final HealthNetwork network = new HealthNetwork(CONFIG, hosts, 8, 8, KeyRing.NONE, 7);
        final List<int[]> pairs = new ArrayList<>();
        for (int a = 0; a < hosts; a++) {
            for (int step = 1; step < hosts / 2; step++) {
                network.traffic(a, (a + step) % hosts, LONG);
                pairs.add(new int[] {a, (a + step) % hosts});
            }
        }
        network.runFor(500 * MS);
        final long before = network.host(3).frames();
        network.runFor(1_000 * MS);
        final long probes = network.host(3).frames() - before;
        assertTrue(probes < CONFIG.framesPerSecond(), "probes of one host in a second: " + probes);
        // when
        network.setLoss(3, 1);
        assertTrue(broken(network, pairs) > 30);
        // then
        mend(network, pairs, 100, 7);
    }

    @Test
    void shouldAgreeAfterAnything() {
        long moves = 0;
        for (long seed = 0; seed < 12; seed++) {
            // given
            final HealthNetwork network =
                    new HealthNetwork(SHORT_HOLD, 16, 4, 4, KeyRing.NONE, seed);
            final List<int[]> pairs = pairs(network, 10);
            // when: anything happens for a while
            for (int step = 0; step < 12; step++) {
                final int vid = network.random().nextInt(4);
                final int leaf = network.random().nextInt(4);
                switch (network.random().nextInt(5)) {
                    case 0 -> network.setLoss(vid, 1);
                    case 1 -> network.setLoss(vid, 0);
                    case 2 -> network.setUpLoss(leaf, vid, network.random().nextDouble());
                    case 3 -> network.host(network.random().nextInt(16)).start();
                    default ->
                            network.host(network.random().nextInt(16))
                                    .pause(network.random().nextLong(200 * MS));
                }
                network.runFor(network.random().nextLong(300 * MS));
            }
            for (int vid = 0; vid < 4; vid++) {
                network.setLoss(vid, 0);
            }
            network.runFor(300 * MS);
            // then: the ends of each pair agree, and return at last
            for (final int[] pair : pairs) {
                assertTrue(network.isWhole(pair[0], pair[1]), "seed " + seed + ": " + pair[0]);
            }
            network.runFor(12_000 * MS);
            for (final int[] pair : pairs) {
                assertEquals(
                        network.wanted(pair[0], pair[1]),
                        network.host(pair[0]).vidTo(pair[1]),
                        "seed " + seed);
            }
            for (int host = 0; host < 16; host++) {
                moves += network.host(host).counts().moves();
            }
        }
        assertTrue(moves > 100, "moves: " + moves);
    }

    @Test
    void shouldRejectFramesThatAreForgedRepeatedOrOfAnotherKey() {
        // given
        final byte[] secret = new byte[ClusterKey.LENGTH];
        secret[0] = 1;
        final KeyRing keys = KeyRing.of(new ClusterKey(secret));
        final HealthNetwork network = new HealthNetwork(CONFIG, 8, 2, 2, keys, 1);
        network.traffic(0, 5, LONG);
        network.traffic(5, 0, LONG);
        network.runFor(1_000 * MS);
        final long mac = 0x0248_5842_0000L;
        final HealthCounts before = network.host(5).counts();
        assertTrue(before.received() > 20, "probes: " + before.received());
        assertEquals(0, before.refused());
        final byte[] frame = network.host(0).lastFrame().clone();
        network.runFor(MS);
        // when: it comes again, changed at any byte, under another address, cut, or open
        network.host(5).receive(mac, frame);
        int forged = 1;
        for (int at = 0; at < frame.length; at++) {
            final byte[] changed = frame.clone();
            changed[at] ^= (byte) (1 << at % 8);
            network.host(5).receive(mac, changed);
            network.host(5).receive(mac, java.util.Arrays.copyOf(frame, at));
            forged += 2;
        }
        network.host(5).receive(mac + 1, frame);
        // then
        assertEquals(forged + 1, network.host(5).counts().refused());
        assertEquals(before.failures(), network.host(5).counts().failures());
        assertFalse(network.host(5).counts().moves() > 0);
    }
}
