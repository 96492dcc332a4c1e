package io.hxb.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.SecurityConfig;
import io.hxb.frame.DropReason;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;

@Tag("unit")
class SessionsTest {
    private static final long MS = 1_000_000L;

    private final List<byte[]> recorded = new ArrayList<>();
    private long nowNs = 5_000_000_000L;

    private static SessionNode node(final int node, final int seed, final int... keys) {
        final ClusterKey[] ring =
                Arrays.stream(keys).mapToObj(SessionNode::key).toArray(ClusterKey[]::new);
        return new SessionNode(node, KeyRing.of(ring), seed);
    }

    /** Carries SESSION frames between two nodes for some time; each is lost with a probability. */
    private void run(
            final SessionNode one,
            final SessionNode other,
            final long forNs,
            final Random random,
            final int lossPercent) {
        final long endNs = nowNs + forNs;
        while (nowNs < endNs) {
            for (final SessionNode from : List.of(one, other)) {
                for (final byte[] frame : from.due(nowNs)) {
                    recorded.add(frame);
                    if (random.nextInt(100) >= lossPercent) {
                        (from == one ? other : one).receive(frame, nowNs);
                    }
                }
            }
            nowNs += MS;
        }
    }

    private void run(final SessionNode one, final SessionNode other) {
        run(one, other, 50 * MS, new Random(0), 0);
    }

    private void assertTalks(final SessionNode one, final SessionNode other) {
        assertEquals(DropReason.NONE, one.send(other, nowNs));
        assertEquals(DropReason.NONE, other.send(one, nowNs));
    }

    private SessionNode[] agreed() {
        final SessionNode[] pair = {node(0, 1, 9), node(1, 2, 9)};
        pair[0].sessions.want(1, Sessions.ROUTED);
        run(pair[0], pair[1]);
        return pair;
    }

    @Test
    void shouldAgreeByFourFramesOfEqualLength() {
        // when
        final SessionNode[] pair = agreed();
        // then
        assertTalks(pair[0], pair[1]);
        assertEquals(4, recorded.size());
        assertEquals(1, recorded.stream().mapToInt(frame -> frame.length).distinct().count());
        assertEquals(1, pair[0].sessions.begun());
        assertEquals(1, pair[1].sessions.begun());
    }

    @Test
    void shouldBeginASessionWhenAFrameIsToBeSealed() {
        // given
        final SessionNode one = node(0, 1, 9);
        final SessionNode other = node(1, 2, 9);
        assertEquals(DropReason.NO_SESSION, one.send(other, nowNs));
        // when
        run(one, other);
        // then
        assertTalks(one, other);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19})
    void shouldAgreeHoweverManyFramesAreLostAndWhicheverEndBegins(final int seed) {
        // given
        final Random random = new Random(seed);
        final SessionNode one = node(0, seed, 9);
        final SessionNode other = node(1, 1000 + seed, 9);
        // when
        for (int round = 0; round < 20; round++) {
            if (round == 0 || random.nextBoolean()) {
                one.send(other, nowNs);
            }
            if (random.nextBoolean()) {
                other.send(one, nowNs);
            }
            run(one, other, 100 * MS, random, 60);
        }
        one.send(other, nowNs);
        run(one, other, 3000 * MS, random, 0);
        // then
        assertTalks(one, other);
    }

    @Test
    void shouldAgreeOnceWhenBothBeginAtATime() {
        // given
        final SessionNode one = node(0, 1, 9);
        final SessionNode other = node(1, 2, 9);
        one.sessions.want(1, Sessions.ROUTED);
        other.sessions.want(0, Sessions.ROUTED);
        // when
        final List<byte[]> first = one.due(nowNs);
        final List<byte[]> second = other.due(nowNs);
        first.forEach(frame -> other.receive(frame, nowNs));
        second.forEach(frame -> one.receive(frame, nowNs));
        run(one, other, 3000 * MS, new Random(0), 0);
        // then
        assertTalks(one, other);
        assertEquals(1, one.sessions.begun());
    }

    @Test
    void shouldNotAgreeWithANodeThatHasAnotherKey() {
        // given
        final SessionNode one = node(0, 1, 8);
        final SessionNode other = node(1, 2, 9);
        one.sessions.want(1, Sessions.ROUTED);
        // when
        run(one, other, 5000 * MS, new Random(0), 0);
        // then
        assertFalse(one.sessions.hasSession(1));
        assertFalse(other.sessions.hasSession(0));
        assertEquals(DropReason.SEAL, other.receive(recorded.getFirst(), nowNs));
        assertEquals(8, recorded.size(), "it gives up when nobody wants the session any more");
    }

    @Test
    void shouldRejectEveryFrameOfWhichOneBitIsChanged() {
        // given
        final SessionNode[] pair = agreed();
        final SessionNode receiver = pair[1];
        final Session before = receiver.sessions.peer(0).sessions().sending();
        int frames = 0;
        for (int type = 1; type < FrameType.COUNT; type++) {
            if (type == FrameType.SESSION) {
                pair[0].sessions.want(1, Sessions.ROUTED);
            }
            final byte[] frame =
                    type == FrameType.SESSION
                            ? pair[0].due(nowNs).getFirst()
                            : pair[0].frame(type, 1);
            final int covered = type == FrameType.DATA ? 64 + SealedPart.DATA_BYTES : 164;
            frames++;
            for (int bit = 0; bit < 8 * frame.length; bit++) {
                final int at = bit / 8;
                final boolean isForRelays = (at >= 3 && at < 8) || (at >= 62 && at < 64);
                final boolean isCheckedBefore = (at >= 8 && at < 12) || (at >= 24 && at < 32);
                final boolean isPayload = type == FrameType.DATA && at >= covered && at < 164;
                if (isForRelays || isCheckedBefore || isPayload) {
                    continue;
                }
                final byte[] changed = frame.clone();
                // when
                changed[at] ^= (byte) (1 << bit % 8);
                // then
                assertNotEquals(
                        DropReason.NONE,
                        changed[52] == frame[52]
                                        && changed[53] == frame[53]
                                        && (changed[54] & 3) == (frame[54] & 3)
                                ? receiver.receive(changed, nowNs)
                                : DropReason.LENGTH,
                        "type " + type + " bit " + bit);
            }
            // The true one is still good: nothing of it was taken.
            assertEquals(DropReason.NONE, receiver.receive(frame, nowNs), "type " + type);
        }
        assertEquals(FrameType.COUNT - 1, frames);
        assertSame(before, receiver.sessions.peer(0).sessions().sending());
    }

    @Test
    void shouldTakeEachFrameOnce() {
        // given
        final SessionNode[] pair = agreed();
        final byte[] first = pair[0].frame(FrameType.ACK, 1);
        final byte[] second = pair[0].frame(FrameType.ACK, 1);
        // when
        final int late = pair[1].receive(second, nowNs);
        // then
        assertEquals(DropReason.NONE, late);
        assertEquals(DropReason.NONE, pair[1].receive(first, nowNs), "reordered, not replayed");
        assertEquals(DropReason.REPLAY, pair[1].receive(first, nowNs));
        assertEquals(DropReason.REPLAY, pair[1].receive(second, nowNs));
    }

    @Test
    void shouldNotTakeFramesBackToTheirSender() {
        // given
        final SessionNode[] pair = agreed();
        final byte[] frame = pair[0].frame(FrameType.ACK, 1);
        // when
        for (int i = 0; i < 8; i++) {
            final byte source = frame[16 + i];
            frame[16 + i] = frame[24 + i];
            frame[24 + i] = source;
        }
        // then
        assertEquals(DropReason.SEAL, pair[0].receive(frame, nowNs));
    }

    @Test
    void shouldSoonTalkToANodeThatHasStartedAnew() {
        // given
        final SessionNode[] pair = agreed();
        final byte[] old = pair[0].frame(FrameType.ACK, 1);
        final SessionNode anew = node(1, 99, 9);
        // when
        assertEquals(DropReason.NO_SESSION, anew.receive(old, nowNs));
        run(pair[0], anew, 3000 * MS, new Random(0), 0);
        // then
        assertTalks(pair[0], anew);
        assertNotEquals(DropReason.NONE, anew.receive(old, nowNs));
    }

    @Test
    void shouldNotChangeASessionForAnythingThatWasSentBefore() {
        // given
        final SessionNode one = node(0, 1, 9);
        for (int start = 0; start < 5; start++) {
            final SessionNode before = node(1, 10 + start, 9);
            one.sessions.want(1, Sessions.ROUTED);
            run(one, before);
            assertTalks(one, before);
            recorded.add(before.frame(FrameType.ACK, 0));
            recorded.add(one.frame(FrameType.ACK, 1));
        }
        final SessionNode other = node(1, 20, 9);
        one.sessions.want(1, Sessions.ROUTED);
        final List<byte[]> replayed = List.copyOf(recorded);
        run(one, other, 3000 * MS, new Random(0), 0);
        assertTalks(one, other);
        final Session ofOne = one.sessions.peer(1).sessions().sending();
        final Session ofOther = other.sessions.peer(0).sessions().sending();
        assertNotNull(ofOne);
        // when
        final Random random = new Random(4);
        for (int round = 0; round < 2000; round++) {
            final byte[] frame = replayed.get(random.nextInt(replayed.size()));
            one.receive(frame, nowNs);
            other.receive(frame, nowNs);
            run(one, other, MS, random, 0);
        }
        // then
        assertSame(ofOne, one.sessions.peer(1).sessions().sending());
        assertSame(ofOther, other.sessions.peer(0).sessions().sending());
        assertTalks(one, other);
    }

    @Test
    void shouldAgreeWhileEverythingThatWasSentBeforeIsReplayed() {
        // given
        final SessionNode before = node(0, 1, 9);
        final SessionNode otherBefore = node(1, 2, 9);
        before.sessions.want(1, Sessions.ROUTED);
        otherBefore.sessions.want(0, Sessions.ROUTED);
        run(before, otherBefore);
        final List<byte[]> replayed = List.copyOf(recorded);
        final SessionNode one = node(0, 3, 9);
        // when
        final Random random = new Random(4);
        for (int round = 0; round < 500; round++) {
            final byte[] frame = replayed.get(random.nextInt(replayed.size()));
            one.receive(frame, nowNs);
            otherBefore.receive(frame, nowNs);
            if (round % 50 == 0) {
                one.sessions.want(1, Sessions.ROUTED);
            }
            run(one, otherBefore, MS, random, 0);
        }
        // then
        assertTalks(one, otherBefore);
    }

    @Test
    void shouldAgreeOnOneKeyWhereBothAskAtOnceByDifferentKeys() {
        for (int seed = 0; seed < 200; seed++) {
            // given
            final Random random = new Random(seed);
            final SessionNode one = node(0, seed, 8, 9);
            final SessionNode other = node(1, 1000 + seed, 9, 8);
            one.sessions.want(1, Sessions.ROUTED);
            other.sessions.want(0, Sessions.ROUTED);
            // when: frames of both cross
            final int lossPercent = seed % 4 * 10;
            for (int turn = 0; turn < 100; turn++) {
                final List<byte[]> ofOne = one.due(nowNs);
                final List<byte[]> ofOther = other.due(nowNs);
                deliver(ofOne, other, random, lossPercent);
                deliver(ofOther, one, random, lossPercent);
                nowNs += random.nextInt(1, 20) * MS;
            }
            run(one, other);
            // then: neither keeps a session that the other does not have
            final Session sending = one.sessions.peer(1).sessions().sending();
            assertNotNull(sending, "seed " + seed);
            assertEquals(
                    sending.id(), other.sessions.peer(0).sessions().sending().id(), "seed " + seed);
            assertTalks(one, other);
        }
    }

    private void deliver(
            final List<byte[]> frames,
            final SessionNode to,
            final Random random,
            final int lossPercent) {
        for (final byte[] frame : frames) {
            if (random.nextInt(100) >= lossPercent) {
                to.receive(frame, nowNs);
            }
        }
    }

    @Test
    void shouldChangeTheKeyWhileFramesFlow() {
        // given
        final SessionNode one = node(0, 1, 8);
        final SessionNode other = node(1, 2, 8);
        one.sessions.want(1, Sessions.ROUTED);
        run(one, other);
        final KeyRing[] steps = {
            KeyRing.of(SessionNode.key(8), SessionNode.key(9)),
            KeyRing.of(SessionNode.key(9), SessionNode.key(8)),
            KeyRing.of(SessionNode.key(9))
        };
        for (final KeyRing step : steps) {
            for (final SessionNode changed : List.of(one, other)) {
                // when
                changed.sessions.change(step);
                // then
                for (int i = 0; i < 100; i++) {
                    assertTalks(one, other);
                    run(one, other, MS, new Random(0), 0);
                }
            }
        }
        assertEquals(SessionNode.key(9), one.sessions.peer(1).sessions().sending().key());
        assertEquals(SessionNode.key(9), other.sessions.peer(0).sessions().sending().key());
        assertEquals(Set.of(), sessionsOf(one, SessionNode.key(8)));
    }

    private static Set<Session> sessionsOf(final SessionNode node, final ClusterKey key) {
        final Set<Session> found = new java.util.HashSet<>();
        final PeerSessions sessions = node.sessions.peer(1).sessions();
        for (final Session session : Arrays.asList(sessions.newest(), sessions.previous())) {
            if (session != null && session.key().equals(key)) {
                found.add(session);
            }
        }
        return found;
    }

    @Test
    void shouldAgreeByTheKeyThatBothHave() {
        // given
        final SessionNode one = node(0, 1, 9, 8);
        final SessionNode other = node(1, 2, 8);
        one.sessions.want(1, Sessions.ROUTED);
        // when
        run(one, other);
        // then
        assertTalks(one, other);
    }

    @Test
    void shouldNotDriveAnyMemoryFromForgedFrames() {
        // given
        final SessionNode[] pair = agreed();
        final byte[] frame = pair[0].frame(FrameType.ACK, 1);
        final Random random = new Random(3);
        int sent = 0;
        // when
        for (int i = 0; i < 100_000; i++) {
            final byte[] forged = frame.clone();
            forged[16] = (byte) random.nextInt(2);
            forged[17] = (byte) random.nextInt(2);
            for (int k = 0; k < 20; k++) {
                forged[forged.length - 1 - random.nextInt(24)] = (byte) random.nextInt();
            }
            assertTrue(pair[1].receive(forged, nowNs) < 0);
            sent += pair[1].due(nowNs).size();
            nowNs += 100_000;
        }
        // then
        assertTalks(pair[0], pair[1]);
        assertTrue(sent <= 2 * 10 * 3 + 3, "ten seconds, asked twice a second at most: " + sent);
        assertEquals(FrameHeaderFlyweight.LENGTH + 100 + 24, frame.length);
    }

    @Test
    void shouldKeepItsSessionWhateverOfItIsReplayed() {
        // given
        final SessionNode[] pair = agreed();
        final Session ofOne = pair[0].sessions.peer(1).sessions().sending();
        final Session ofOther = pair[1].sessions.peer(0).sessions().sending();
        // when: what this session began by, and what is sent because of the replays
        final Random random = new Random(5);
        for (int round = 0; round < 1000; round++) {
            final byte[] frame = recorded.get(random.nextInt(recorded.size()));
            pair[0].receive(frame, nowNs);
            pair[1].receive(frame, nowNs);
            run(pair[0], pair[1], MS, random, 0);
        }
        // then
        assertSame(ofOne, pair[0].sessions.peer(1).sessions().sending());
        assertSame(ofOther, pair[1].sessions.peer(0).sessions().sending());
        assertEquals(1, pair[0].sessions.begun());
        assertEquals(1, pair[1].sessions.begun());
    }

    @Test
    void shouldAgreeAgainWhateverWasLost() {
        // given: one asks for a new session, of which it hears no more than the first answer
        final SessionNode[] pair = agreed();
        final SessionNode one = pair[0];
        final SessionNode other = pair[1];
        one.sessions.want(1, Sessions.ROUTED);
        boolean hasAnswer = false;
        for (int ms = 0; ms < 4000; ms++) {
            for (final byte[] frame : one.due(nowNs)) {
                other.receive(frame, nowNs);
            }
            for (final byte[] frame : other.due(nowNs)) {
                if (!hasAnswer) {
                    one.receive(frame, nowNs);
                }
                hasAnswer = true;
            }
            nowNs += MS;
        }
        assertNotEquals(DropReason.NONE, one.send(other, nowNs), "they are not apart");
        // when: nothing is lost any more, and only one of them sends
        int silentMs = 0;
        while (one.send(other, nowNs) != DropReason.NONE && silentMs < 2000) {
            run(one, other, 20 * MS, new Random(0), 0);
            silentMs += 20;
        }
        // then
        assertTalks(one, other);
        assertTrue(silentMs <= 1000, silentMs + " ms");
    }

    @Test
    void shouldAskAgainAfterAFloodOfForgedFrames() {
        // given
        final Shape shape = Shape.of(20, 20);
        final Sessions sessions =
                new Sessions(
                        new Sessions.Identity(shape, 0, SessionNode.CLUSTER, 1),
                        SecurityConfig.Mode.AUTHENTICATE,
                        KeyRing.of(SessionNode.key(9)),
                        new Random(1));
        final MemorySegment memory = Arena.ofAuto().allocate(256, 8);
        // when: frames in the name of all nodes, many times within a second
        int asked = 0;
        for (int ms = 0; ms < 999; ms++) {
            for (int node = 1; node < shape.nodeCount(); node++) {
                sessions.doubt(node, Sessions.ROUTED);
            }
            asked += due(sessions, memory);
            nowNs += MS;
        }
        // then
        assertTrue(asked > 50 && asked <= 200, asked + " requests");
        // when: nothing more for a while, and then one frame
        for (int ms = 0; ms < 10_000; ms++) {
            asked += due(sessions, memory);
            nowNs += MS;
        }
        assertTrue(asked < 2 * shape.nodeCount(), asked + " requests");
        sessions.doubt(7, Sessions.ROUTED);
        // then
        assertEquals(1, due(sessions, memory));
    }

    private int due(final Sessions sessions, final MemorySegment memory) {
        int frames = 0;
        for (int to = sessions.pollDue(nowNs); to >= 0; to = sessions.pollDue(nowNs)) {
            sessions.write(to, memory.address(), nowNs);
            frames++;
        }
        return frames;
    }
}
