package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LimitConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.ResourceShare;
import io.hxb.linux.UnixSocket;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

@Tag("unit")
class AuditLogTest {
    private static final int ALICE = 1000;
    private static final int BOB = 1001;
    private static final int AT_ONCE = 10;
    private static final long SECOND = 1_000_000_000L;

    private final List<Map<?, ?>> lines = new ArrayList<>();
    private final JsonMapper mapper = JsonMapper.builder().build();
    private final AuditLog log =
            new AuditLog(
                    line -> {
                        assertFalse(line.contains("\n"), line);
                        lines.add(mapper.readValue(line, Map.class));
                    });
    private final UserShares shares =
            new UserShares(
                    ClusterConfig.of("test", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, 20_000))
                            .withLimits(LimitConfig.of(Map.of(ResourceShare.FLOWS, 2L))),
                    100,
                    Set.of());
    private long nowNs = -3 * SECOND;

    private static UnixSocket.Peer peer(final int uid) {
        return new UnixSocket.Peer(77, uid, 100, List.of());
    }

    private void refuse(final int uid, final int times) {
        for (int i = 0; i < times; i++) {
            log.onRefused(peer(uid), "to attach", "may not", nowNs);
        }
    }

    private long count(final String event) {
        return lines.stream().filter(line -> event.equals(line.get("event"))).count();
    }

    @Test
    void shouldReportWhoAttachedWhoWasRefusedAndWhoLeft() {
        // when
        log.onAttached(peer(ALICE), shares.of(ALICE), nowNs);
        log.onRefused(peer(BOB), "to open context 3", "it is \"taken\"\nby another", nowNs);
        log.onDetached(peer(ALICE), shares.of(ALICE), "it closed the connection", nowNs);
        // then
        assertEquals(
                List.of(
                        Map.of("event", "attached", "uid", ALICE, "gid", 100, "pid", 77),
                        Map.of(
                                "event",
                                "refused",
                                "uid",
                                BOB,
                                "gid",
                                100,
                                "pid",
                                77,
                                "what",
                                "to open context 3",
                                "why",
                                "it is \"taken\"\nby another"),
                        Map.of(
                                "event",
                                "detached",
                                "uid",
                                ALICE,
                                "gid",
                                100,
                                "pid",
                                77,
                                "why",
                                "it closed the connection")),
                lines);
    }

    @Test
    void shouldReportWhichLimitAUserHasReachedAndHowOften() {
        // given
        final UserAccount alice = shares.of(ALICE);
        log.tick(List.of(alice), nowNs);
        assertEquals(List.of(), lines);
        // when
        for (int i = 0; i < 7; i++) {
            alice.takeFlow();
        }
        log.tick(List.of(alice), nowNs);
        log.tick(List.of(alice), nowNs);
        // then
        assertEquals(1, lines.size(), "nothing new, no line");
        final Map<?, ?> line = lines.getFirst();
        assertEquals("limit", line.get("event"));
        assertEquals(ALICE, line.get("uid"));
        assertEquals("limits.flows", line.get("key"));
        assertEquals(2, line.get("limit"));
        assertEquals(2, line.get("used"));
        assertEquals(5, line.get("times"));
    }

    @Test
    void shouldWriteFewLinesOfAFloodLeaveOthersAloneAndCountTheRest() {
        // when
        refuse(ALICE, 5_000);
        refuse(BOB, 1);
        // then
        assertEquals(AT_ONCE + 1, lines.size());
        assertEquals(BOB, lines.getLast().get("uid"));
        // when
        nowNs += SECOND;
        refuse(ALICE, 1);
        // then
        assertEquals(5_000 - AT_ONCE, lines.getLast().get("suppressed"));
    }

    @Test
    void shouldReportWhatWasLeftOutEvenOfAUserWhoDoesNotComeBack() {
        // given
        refuse(ALICE, 5_000);
        final int before = lines.size();
        log.tick(List.of(), nowNs);
        assertEquals(before, lines.size(), "not beyond the pace");
        // when
        nowNs += SECOND;
        log.tick(List.of(), nowNs);
        log.tick(List.of(), nowNs + 60 * SECOND);
        // then
        assertEquals(before + 1, lines.size());
        assertEquals(
                Map.of("event", "suppressed", "uid", ALICE, "suppressed", 5_000 - AT_ONCE),
                lines.getLast());
    }

    @Test
    void shouldNotForgetALimitForWhichThereWasNoLine() {
        // given
        final UserAccount alice = shares.of(ALICE);
        refuse(ALICE, AT_ONCE);
        // when
        for (int i = 0; i < 7; i++) {
            alice.takeFlow();
        }
        log.tick(List.of(alice), nowNs);
        assertEquals(0, count("limit"));
        nowNs += 2 * SECOND;
        log.tick(List.of(alice), nowNs);
        // then
        assertEquals(1, count("limit"));
        assertEquals(5, lines.getLast().get("times"));
    }

    @Test
    void shouldBoundWhatItRemembersOfUsersAndForgetNobodyWhoWasNotNotified() {
        // when: more users than have paces of their own, each beyond its pace
        final int users = 5_000;
        for (int uid = 0; uid < users; uid++) {
            refuse(uid, AT_ONCE + 1);
        }
        // then
        final int known = 1_024;
        assertEquals(known * AT_ONCE + AT_ONCE, lines.size(), "all others share one pace");
        // when: the lines about all of them come in time
        for (int second = 0; second < 3; second++) {
            nowNs += SECOND;
            log.tick(List.of(), nowNs);
        }
        // then
        final long suppressed =
                lines.stream()
                        .filter(line -> line.containsKey("suppressed"))
                        .mapToLong(line -> ((Number) line.get("suppressed")).longValue())
                        .sum();
        assertEquals((AT_ONCE + 1L) * users, lines.size() - count("suppressed") + suppressed);
        // and: users who come later have a pace of their own again
        nowNs += 60 * SECOND;
        final int before = lines.size();
        refuse(users + 1, 100);
        refuse(users + 2, 100);
        assertTrue(lines.size() == before + 2 * AT_ONCE, lines.size() + " after " + before);
    }
}
