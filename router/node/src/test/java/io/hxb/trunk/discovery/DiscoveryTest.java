package io.hxb.trunk.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.TrunkConfig;
import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.MisconfigurationFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.link.sim.SimClock;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.link.sim.SimNetwork;
import io.hxb.link.sim.SimSegment;
import io.hxb.session.Sessions;
import io.hxb.testing.TestFrames;
import io.hxb.topology.Shape;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;
import io.hxb.trunk.health.TrunkHealth;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

@Tag("unit")
class DiscoveryTest {
    private static final Shape SHAPE = Shape.of(4, 4);
    private static final long INTERVAL_NS = 200_000_000L;

    private final SimClock clock = new SimClock(0);
    private final SimNetwork network = new SimNetwork(clock, 1);
    private final SimSegment segment = network.newSegment(SimFaults.NONE);
    private final TestFrames frames = new TestFrames();
    private final List<Member> members = new ArrayList<>();

    /** A node with one port on the segment. */
    private final class Member {
        private final BufferPool pool = frames.pool(64, 4_096);
        private final BufferPool.Share share = pool.newShare();
        private final MisconfigurationLog misconfigurationLog = new MisconfigurationLog();
        private final Port port;
        private final SimLink link;
        private final TrunkHealth health;
        private final Discovery discovery;
        private final LinkSender[] senders;
        // The address from which all frames seem to come; 0 for that of their sender.
        private long seen;

        Member(
                final String coordinates,
                final int dimension,
                final int number,
                final int fingerprint) {
            this(coordinates, dimension, number, fingerprint, members.size() + 1);
        }

        Member(
                final String coordinates,
                final int dimension,
                final int number,
                final int fingerprint,
                final int incarnation) {
            this(SHAPE, coordinates, dimension, number, fingerprint, incarnation);
        }

        Member(
                final Shape shape,
                final String coordinates,
                final int dimension,
                final int number,
                final int fingerprint,
                final int incarnation) {
            final long here = shape.parseCoordinates(coordinates);
            link = network.newLink(segment, 0, Shape.coordinate(here, dimension), 2_000, share);
            port = new Port(link, dimension, number);
            senders = new LinkSender[] {link.newSender(16)};
            final NodeIdentity self =
                    new NodeIdentity(shape, here, 7, fingerprint, incarnation, "host");
            final Port[] ports = {port};
            final Sessions sessions = Sessions.off(self.ofSession());
            health = new TrunkHealth(self, sessions, TrunkConfig.DEFAULT, INTERVAL_NS, ports);
            discovery =
                    new Discovery(self, sessions, INTERVAL_NS, ports, health, misconfigurationLog);
            members.add(this);
        }

        void turn() {
            discovery.doWork(clock.nanoTime(), senders, share);
            senders[0].flush();
            link.receive(
                    0,
                    (from, owner, token, headerAddress, lengthBytes, sourceAddress, tci) -> {
                        discovery.onFrame(
                                0,
                                headerAddress,
                                seen == 0 ? sourceAddress : seen,
                                clock.nanoTime());
                        owner.release(token);
                    },
                    64);
        }

        boolean reports(final int kind) {
            return misconfigurationLog.recent(clock.nanoTime(), Long.MAX_VALUE).stream()
                    .anyMatch(misconfigurationReport -> misconfigurationReport.kind() == kind);
        }
    }

    private void run(final long forNs) {
        final long endNs = clock.nanoTime() + forNs;
        while (clock.nanoTime() < endNs) {
            network.advance(clock.nanoTime() + 10_000_000L);
            members.forEach(Member::turn);
        }
    }

    @Test
    void shouldLearnEachOthersAddresses() {
        // given
        final Member one = new Member("0,1", 0, 0, 5);
        final Member other = new Member("2,1", 0, 0, 5);
        // when
        run(INTERVAL_NS);
        // then
        assertTrue(one.port.isUsable(2));
        assertTrue(other.port.isUsable(0));
        assertEquals(other.link.localAddress(), one.link.learned(2));
        assertEquals(1, one.discovery.knownNeighbours());
        assertFalse(one.port.isUsable(1));
    }

    @Test
    void shouldForgetNeighboursThatFallSilent() {
        // given
        final Member one = new Member("0,1", 0, 0, 5);
        final Member other = new Member("2,1", 0, 0, 5);
        run(INTERVAL_NS);
        // when
        members.remove(other);
        run(7 * INTERVAL_NS);
        // then
        assertEquals(0, one.discovery.knownNeighbours());
        assertTrue(one.discovery.silentNeighbours().getFirst().contains("(2,1)"));
    }

    @Test
    void shouldNameBothPortsWhenTheyAreOfDifferentDimensions() {
        // given
        final Member one = new Member("1,0", 0, 0, 5);
        final Member other = new Member("2,0", 1, 1, 5);
        // when
        run(INTERVAL_NS);
        // then
        assertTrue(one.reports(MisconfigurationFlyweight.WRONG_DIMENSION));
        assertTrue(other.reports(MisconfigurationFlyweight.WRONG_DIMENSION));
        final String text = one.misconfigurationLog.recent(0, Long.MAX_VALUE).getFirst().text();
        assertTrue(text.startsWith("x.0 of (1,0) and y.1 of (2,0)"), text);
        assertFalse(one.port.isUsable(2));
    }

    @Test
    void shouldReportTwoNodesWithOneCoordinateToBoth() {
        // given
        final Member one = new Member("1,0", 0, 0, 5);
        final Member other = new Member("1,0", 0, 0, 5);
        // when
        run(INTERVAL_NS);
        // then
        assertTrue(one.reports(MisconfigurationFlyweight.DUPLICATE_COORDINATE));
        assertTrue(other.reports(MisconfigurationFlyweight.DUPLICATE_COORDINATE));
    }

    @Test
    void shouldReportANodeOfALargerShape() {
        // given
        final Member one = new Member("0,1", 0, 0, 5);
        new Member(Shape.of(6, 4), "5,1", 0, 0, 6, 77);
        // when
        run(INTERVAL_NS);
        // then
        final String text = one.misconfigurationLog.recent(0, Long.MAX_VALUE).getFirst().text();
        assertTrue(text.contains("(5,1)"), text);
        assertTrue(text.contains("beyond the shape 4x4 of this one"), text);
    }

    @Test
    void shouldNameANicOfAnotherNodeThatHasItsAddress() {
        // given: a frame of the other node comes from the address of this one
        final Member one = new Member("0,1", 0, 0, 5);
        final Member other = new Member("2,1", 0, 0, 5);
        one.seen = one.link.localAddress();
        // when
        run(INTERVAL_NS);
        // then
        assertTrue(one.reports(MisconfigurationFlyweight.DUPLICATE_ADDRESS));
        assertFalse(other.reports(MisconfigurationFlyweight.DUPLICATE_ADDRESS));
        final String text = one.misconfigurationLog.recent(0, Long.MAX_VALUE).getFirst().text();
        assertTrue(
                text.startsWith("x.0 of (0,1) and x.0 of (2,1) on host host have the same MAC"),
                text);
        assertFalse(one.port.isUsable(2));
    }

    @Test
    void shouldDistinguishTwoPortsOfOneNodeFromTwoNodes() {
        // given: two links of one node on one switch
        final Member one = new Member("1,0", 0, 0, 5, 77);
        final Member same = new Member("1,0", 1, 0, 5, 77);
        // when
        run(INTERVAL_NS);
        // then
        assertTrue(one.reports(MisconfigurationFlyweight.WRONG_DIMENSION));
        assertTrue(same.reports(MisconfigurationFlyweight.WRONG_DIMENSION));
        assertFalse(one.reports(MisconfigurationFlyweight.DUPLICATE_COORDINATE));
        final String text = one.misconfigurationLog.recent(0, Long.MAX_VALUE).getFirst().text();
        assertTrue(text.startsWith("x.0 of (1,0) and y.0 of (1,0)"), text);
    }

    @Test
    void shouldNameTwoLinksOfOneTrunkOnOneSwitch() {
        // given
        final Member one = new Member("0,1", 0, 0, 5);
        new Member("2,1", 0, 0, 5, 77);
        new Member("2,1", 0, 1, 5, 77);
        // when
        run(10 * INTERVAL_NS);
        // then
        assertTrue(one.port.isUsable(2));
        assertEquals(
                List.of(
                        "x.0 and x.1 of (2,1) on host host are on one switch or cable: give each"
                                + " link a switch, VLAN or cable of its own on all nodes, or leave"
                                + " one of both NICs out under links in the cluster file"),
                one.misconfigurationLog.recent(clock.nanoTime(), Long.MAX_VALUE).stream()
                        .filter(report -> !report.isReported())
                        .map(MisconfigurationReport::text)
                        .toList());
    }

    @Test
    void shouldNotRepeatWhatAnotherNodeNoticedToo() {
        // given
        final MisconfigurationLog misconfigurationLog = new MisconfigurationLog();
        final int kind = MisconfigurationFlyweight.MTU_DIFFERS;
        // when
        misconfigurationLog.addReported(kind, 0, "(2,0) reports", 1);
        misconfigurationLog.addReported(kind, 1, "(2,0) reports there", 1);
        misconfigurationLog.add(kind, 0, "different MTUs", 2);
        // then
        assertEquals(
                List.of("(2,0) reports there", "different MTUs"),
                misconfigurationLog.recent(2, 10).stream()
                        .map(MisconfigurationReport::text)
                        .toList());
    }

    @Test
    void shouldRefuseNeighboursWithAnotherClusterFile() {
        // given
        final Member one = new Member("1,0", 0, 0, 5);
        final Member other = new Member("2,0", 0, 0, 6);
        // when
        run(INTERVAL_NS);
        // then
        assertTrue(one.reports(MisconfigurationFlyweight.OTHER_FINGERPRINT));
        assertTrue(other.reports(MisconfigurationFlyweight.OTHER_FINGERPRINT));
        assertFalse(one.port.isUsable(2));
    }

    @Test
    void shouldComplainOfAnotherVersionOfTheLayout() {
        // given
        final Member one = new Member("1,0", 0, 0, 5);
        final long header = frames.frame(0, 0, 0);
        new FrameHeaderFlyweight().wrap(header).version(9);
        // when
        one.discovery.onInvalid(0, io.hxb.frame.DropReason.VERSION, header, 64, 77, 0);
        // then
        assertTrue(one.reports(MisconfigurationFlyweight.OTHER_VERSION));
    }

    @Test
    void shouldNotMoveANeighbourThatIsHeardToAnImpostor() {
        // given
        final Member one = new Member("0,1", 0, 0, 5);
        final Member other = new Member("2,1", 0, 0, 5);
        run(2 * INTERVAL_NS);
        // when
        final Member rival = new Member("2,1", 0, 0, 5);
        run(20 * INTERVAL_NS);
        // then
        assertEquals(other.link.localAddress(), one.link.learned(2));
        assertTrue(one.reports(MisconfigurationFlyweight.DUPLICATE_COORDINATE));
        // when: the neighbour is gone, and the other one in its place
        members.remove(other);
        run(7 * INTERVAL_NS);
        // then
        assertEquals(rival.link.localAddress(), one.link.learned(2));
    }

    @Test
    void shouldFollowANeighbourToItsNewNicWithoutAMisconfiguration() {
        // given
        final Member one = new Member("0,1", 0, 0, 5);
        final Member other = new Member("2,1", 0, 0, 5, 77);
        run(2 * INTERVAL_NS);
        // when
        members.remove(other);
        final Member again = new Member("2,1", 0, 0, 5, 77);
        run(7 * INTERVAL_NS);
        // then
        assertEquals(again.link.localAddress(), one.link.learned(2));
        assertFalse(one.reports(MisconfigurationFlyweight.DUPLICATE_COORDINATE));
    }

    @Test
    void shouldKeepAFewMisconfigurationsOfAFloodAndCountThemAll() {
        // given
        final MisconfigurationLog misconfigurationLog = new MisconfigurationLog();
        final int flood = MisconfigurationFlyweight.OTHER_CLUSTER;
        misconfigurationLog.add(flood, 0, "the first", 0);
        misconfigurationLog.add(MisconfigurationFlyweight.MTU_DIFFERS, 0, "another kind", 0);
        // when
        int worded = 0;
        for (int i = 0; i < 15_580; i++) {
            if (misconfigurationLog.count(flood, 0, 1)) {
                misconfigurationLog.add(flood, 0, "stranger " + i, 1);
                worded++;
            }
        }
        // then
        assertEquals(15_580, misconfigurationLog.count(flood));
        assertEquals(MisconfigurationLog.MAX_WORDED, worded);
        final List<String> texts =
                misconfigurationLog.recent(1, 10).stream()
                        .map(MisconfigurationReport::text)
                        .toList();
        assertEquals(MisconfigurationLog.MAX_TEXTS + 1, texts.size());
        assertTrue(texts.containsAll(List.of("the first", "another kind")), texts::toString);
    }

    @Test
    void shouldAnswerNewcomersNoFasterThanOneCanHear() {
        // given: a node that restarts with every frame
        final Member one = new Member("0,1", 0, 0, 5);
        run(INTERVAL_NS);
        final long before = one.health.counters().value(CounterType.LINK_HELLO_SENT_FRAMES, 0);
        // when
        for (int i = 0; i < 1_000; i++) {
            final Member newcomer = new Member("2,1", 0, 0, 5, i + 1_000);
            newcomer.turn();
            members.remove(newcomer);
            network.advance(clock.nanoTime() + 100_000L);
            one.turn();
        }
        // then: within 100 ms
        final long sent =
                one.health.counters().value(CounterType.LINK_HELLO_SENT_FRAMES, 0) - before;
        assertTrue(sent <= 12, sent + " hellos");
    }
}
