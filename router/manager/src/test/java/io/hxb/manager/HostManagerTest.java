package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostRow;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.RememberingTagger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

@Tag("unit")
class HostManagerTest {
    private static final List<Integer> PLAN = List.of(11, 12, 13);
    private static final int HOSTS = 8;
    private static final int HERE = 2;
    private static final long FIRST_MAC = 0x0200_0000_0010L;

    private final ByteBuf buffer = Unpooled.buffer(2 * ManagerMessage.LENGTH);
    private final ManagerMessage request = new ManagerMessage().wrap(buffer, 0);
    private final ManagerMessage reply = new ManagerMessage().wrap(buffer, ManagerMessage.LENGTH);
    private final Map<Long, Integer> saved = new HashMap<>();
    private boolean isDiskFull;
    private RememberingTagger tagger;
    private HostManager manager;

    private final PathStore store =
            new PathStore() {
                @Override
                public Map<Long, Integer> load() {
                    return Map.copyOf(saved);
                }

                @Override
                public void save(final Map<Long, Integer> vidOfMac) throws IOException {
                    if (isDiskFull) {
                        throw new IOException("No space left on device");
                    }
                    saved.clear();
                    saved.putAll(vidOfMac);
                }
            };

    private final KernelState kernelState =
            new KernelState() {
                @Override
                public long macOf(final byte[] address) {
                    return address[15] < HOSTS ? FIRST_MAC + address[15] : 0;
                }

                @Override
                public List<NicState> nics() {
                    return List.of(new NicState("eth0", FIRST_MAC + HERE, 1500, true, 3));
                }
            };

    @BeforeEach
    void start() throws IOException {
        final List<HostRow> rows = new ArrayList<>();
        for (int host = 0; host < HOSTS; host++) {
            rows.add(new HostRow("h" + host, FIRST_MAC + host, PLAN.get(host % PLAN.size()), host));
        }
        final HostTable table = new HostTable(rows, PLAN, Map.of());
        tagger = new RememberingTagger();
        final HostPaths paths = HostPaths.of(table, HERE, tagger);
        manager = new HostManager(table, paths, tagger, store, kernelState);
    }

    private Status ask(final ManagerSession session) {
        manager.handle(session, request, reply);
        assertEquals(request.tag(), reply.tag());
        return Status.of(reply.status());
    }

    private Status set(final ManagerSession session, final int host, final int vid) {
        request.clear(ManagerOperation.SET.code()).peerHost(host).vid(vid);
        return ask(session);
    }

    private Status plain(final ManagerSession session, final ManagerOperation operation) {
        request.clear(operation.code());
        return ask(session);
    }

    @Test
    void shouldUndoWhatASessionHasSetWhenItEnds() {
        // given: the pair of hosts 2 and 5 follows host 2, in VID 13
        final ManagerSession first = manager.open(true);
        final ManagerSession second = manager.open(true);
        assertEquals(13, tagger.vid(5));
        // when
        assertEquals(Status.OK, set(first, 5, 11));
        assertEquals(Status.OK, set(second, 5, 12));
        // then
        assertEquals(12, tagger.vid(5));
        manager.close(second);
        assertEquals(11, tagger.vid(5), "the first one still wants it");
        manager.close(first);
        assertEquals(13, tagger.vid(5));
    }

    @Test
    void shouldResetOnePairAndAllPairs() {
        final ManagerSession session = manager.open(true);
        set(session, 5, 11);
        set(session, 6, 12);
        request.clear(ManagerOperation.RESET.code()).peerMac(FIRST_MAC + 5);
        assertEquals(Status.OK, ask(session));
        assertEquals(13, tagger.vid(5));
        assertEquals(12, tagger.vid(6));
        assertEquals(Status.OK, plain(session, ManagerOperation.RESET_ALL));
        assertEquals(13, tagger.vid(6));
    }

    @Test
    void shouldNameHostsInFourWays() {
        final ManagerSession session = manager.open(true);
        request.clear(ManagerOperation.SET.code()).peerMac(FIRST_MAC + 4).vid(11);
        assertEquals(Status.OK, ask(session));
        final byte[] address = new byte[16];
        address[15] = 5;
        request.clear(ManagerOperation.SET.code()).peerIp(address).vid(12);
        assertEquals(Status.OK, ask(session));
        request.clear(ManagerOperation.BIND_RANK.code()).peerMac(FIRST_MAC + 6).index(40);
        assertEquals(Status.OK, ask(session));
        request.clear(ManagerOperation.SET.code()).peerRank(40).vid(11);
        assertEquals(Status.OK, ask(session));
        assertEquals(List.of(11, 12, 11), List.of(tagger.vid(4), tagger.vid(5), tagger.vid(6)));
        // when, then: ranks are those of the session
        request.clear(ManagerOperation.GET.code()).peerRank(40);
        assertEquals(Status.NO_SUCH_HOST, ask(manager.open(true)));
    }

    @Test
    void shouldLetABatchHoldTogetherOrNotAtAll() {
        final ManagerSession session = manager.open(true);
        // when
        assertEquals(Status.OK, plain(session, ManagerOperation.BEGIN));
        set(session, 5, 11);
        set(session, 6, 12);
        assertEquals(13, tagger.vid(5), "not before its end");
        assertEquals(Status.OK, plain(session, ManagerOperation.END));
        // then
        assertEquals(List.of(11, 12), List.of(tagger.vid(5), tagger.vid(6)));
        assertEquals(2, manager.changes());
        // when: one of them is wrong
        plain(session, ManagerOperation.BEGIN);
        set(session, 5, 12);
        assertEquals(Status.NO_SUCH_VID, set(session, 6, 999));
        set(session, 7, 12);
        assertEquals(Status.BATCH_FAILED, plain(session, ManagerOperation.END));
        // then
        assertEquals(List.of(11, 12, 13), List.of(tagger.vid(5), tagger.vid(6), tagger.vid(7)));
        assertEquals(Status.BATCH, plain(session, ManagerOperation.END));
    }

    @Test
    void shouldKeepCommittedPathsOverRestartsAndReturnToThem() throws IOException {
        final ManagerSession session = manager.open(true);
        set(session, 5, 11);
        assertEquals(Status.OK, plain(session, ManagerOperation.COMMIT));
        manager.close(session);
        assertEquals(11, tagger.vid(5));
        // when: another session tries something, and goes back
        final ManagerSession other = manager.open(true);
        set(other, 5, 12);
        set(other, 6, 12);
        assertEquals(Status.OK, plain(other, ManagerOperation.ROLLBACK));
        assertEquals(List.of(11, 13), List.of(tagger.vid(5), tagger.vid(6)));
        // when: the manager starts again
        start();
        // then
        assertEquals(11, tagger.vid(5));
    }

    @Test
    void shouldChangeNothingWhenCommittedPathsCannotBeWritten() {
        final ManagerSession session = manager.open(true);
        set(session, 5, 11);
        isDiskFull = true;
        assertEquals(Status.NOT_WRITTEN, plain(session, ManagerOperation.COMMIT));
        manager.close(session);
        assertEquals(13, tagger.vid(5));
    }

    @Test
    void shouldLeaveOutCommittedPathsOfAnotherPlan() throws IOException {
        saved.put(FIRST_MAC + 5, 999);
        saved.put(0xDEADL, 11);
        saved.put(FIRST_MAC + 6, 11);
        start();
        assertEquals(List.of(13, 11), List.of(tagger.vid(5), tagger.vid(6)));
    }

    @Test
    void shouldRefuseChangesThatExpectAnotherState() {
        final ManagerSession session = manager.open(true);
        set(session, 5, 11);
        request.clear(ManagerOperation.SET.code()).peerHost(6).vid(11).number(1);
        assertEquals(Status.CHANGED, ask(session));
        assertEquals(2, reply.number());
        request.clear(ManagerOperation.SET.code()).peerHost(6).vid(11).number(2);
        assertEquals(Status.OK, ask(session));
    }

    @Test
    void shouldRefuseWhatIsWrong() {
        final ManagerSession session = manager.open(true);
        final ManagerSession reader = manager.open(false);
        assertEquals(Status.NO_SUCH_VID, set(session, 5, 4095));
        assertEquals(Status.NO_SUCH_VID, set(session, 5, 14));
        assertEquals(Status.NO_SUCH_HOST, set(session, HERE, 11));
        assertEquals(Status.NO_SUCH_HOST, set(session, -1, 11));
        assertEquals(Status.NO_SUCH_HOST, set(session, HOSTS, 11));
        assertEquals(Status.NOT_ALLOWED, set(reader, 5, 11));
        request.clear(0);
        assertEquals(Status.MALFORMED, ask(session));
        request.clear(200);
        assertEquals(Status.MALFORMED, ask(session));
        request.clear(ManagerOperation.GET.code()).peerRank(3);
        assertEquals(Status.NO_SUCH_HOST, ask(session));
        buffer.setByte(0, 9);
        assertEquals(Status.VERSION, ask(session));
        assertEquals(1, manager.changes());
    }

    @Test
    void shouldReportWhoAndWhatItIs() {
        final ManagerSession session = manager.open(false);
        assertEquals(Status.OK, plain(session, ManagerOperation.HELLO));
        assertEquals(HERE, reply.index());
        assertEquals(FIRST_MAC + HERE, reply.value(0));
        assertEquals(HOSTS, reply.value(1));
        assertEquals(Status.OK, plain(session, ManagerOperation.NIC));
        assertEquals(1500, reply.value(1));
        request.clear(ManagerOperation.NIC.code()).index(1);
        assertEquals(Status.END_OF_LIST, ask(session));
        request.clear(ManagerOperation.VID_TRAFFIC.code()).index(2);
        assertEquals(Status.OK, ask(session));
        assertEquals(13, reply.vid());
    }

    @Test
    void shouldLimitSessionsAndThoseOfReadersMore() {
        for (int i = 0; i < SessionLimits.MAX_READERS; i++) {
            assertNotNull(manager.open(false));
        }
        assertNull(manager.open(false), "half of them are for those who may change paths");
        for (int i = SessionLimits.MAX_READERS; i < SessionLimits.MAX_SESSIONS; i++) {
            assertNotNull(manager.open(true));
        }
        assertNull(manager.open(true));
        assertEquals(2, manager.counts().value(ManagerCount.REFUSED_SESSIONS));
    }

    @Test
    void shouldReportHostsAndCounts() {
        final ManagerSession session = manager.open(false);
        request.clear(ManagerOperation.HOST.code()).index(5);
        assertEquals(Status.OK, ask(session));
        assertEquals("h5", reply.hostName());
        assertEquals(FIRST_MAC + 5, reply.value(0));
        request.clear(ManagerOperation.HOST.code()).index(HOSTS);
        assertEquals(Status.END_OF_LIST, ask(session));
        request.clear(ManagerOperation.COUNT.code()).index(ManagerCount.REFUSED_REQUESTS.code());
        assertEquals(Status.OK, ask(session));
        assertEquals("refused_requests", reply.hostName());
        assertEquals(0, reply.value(0), "the end of a list is no fault");
        assertEquals(Status.NO_SUCH_HOST, set(manager.open(true), HERE, 11));
        request.clear(ManagerOperation.COUNT.code()).index(ManagerCount.REFUSED_REQUESTS.code());
        ask(session);
        assertEquals(1, reply.value(0));
    }

    @Test
    void shouldWakeThoseWhoWatchOnEachChangeAndOnNothingElse() {
        // given
        final ManagerSession watcher = manager.open(false);
        final int[] woken = new int[1];
        watcher.onChange(() -> woken[0]++);
        final ManagerSession session = manager.open(true);
        set(session, 5, 11);
        assertEquals(0, woken[0], "not before it asked");
        assertEquals(Status.OK, plain(watcher, ManagerOperation.WATCH));
        // when, then
        set(session, 6, 11);
        assertEquals(1, woken[0]);
        plain(session, ManagerOperation.BEGIN);
        set(session, 5, 12);
        set(session, 6, 12);
        assertEquals(1, woken[0]);
        plain(session, ManagerOperation.END);
        assertEquals(2, woken[0], "a batch is one change");
        manager.close(manager.open(true));
        assertEquals(2, woken[0], "a session that has set nothing ends unnoticed");
        manager.close(session);
        assertEquals(3, woken[0]);
        assertEquals(2, manager.counts().value(ManagerCount.UNDONE_PATHS));
        manager.close(watcher);
        set(manager.open(true), 5, 11);
        assertEquals(3, woken[0]);
    }

    @Test
    void shouldReportAReturnToCommittedPathsAsOfOtherChanges() {
        // given
        final ManagerSession watcher = manager.open(false);
        final List<Integer> seen = new ArrayList<>();
        watcher.onChange(() -> seen.add(tagger.vid(5)));
        final ManagerSession session = manager.open(true);
        set(session, 5, 11);
        plain(watcher, ManagerOperation.WATCH);
        final long before = manager.changes();
        final long counted = manager.counts().value(ManagerCount.CHANGES);
        // when
        assertEquals(Status.OK, plain(session, ManagerOperation.ROLLBACK));
        // then
        assertEquals(List.of(13), seen, "woken once, when it holds");
        assertEquals(before + 1, manager.changes());
        assertEquals(counted + 1, manager.counts().value(ManagerCount.CHANGES));
    }

    @Test
    void shouldResetWhatLastsWithoutTouchingWhatASessionHolds() {
        // given
        final ManagerSession session = manager.open(true);
        set(session, 5, 11);
        final ManagerSession other = manager.open(true);
        request.clear(ManagerOperation.SET.code()).peerHost(6).vid(11);
        request.flags(ManagerMessage.FLAG_PERMANENT);
        assertEquals(Status.OK, ask(other));
        manager.close(other);
        assertEquals(List.of(11, 11), List.of(tagger.vid(5), tagger.vid(6)));
        // when
        request.clear(ManagerOperation.RESET_ALL.code()).flags(ManagerMessage.FLAG_PERMANENT);
        assertEquals(Status.OK, ask(manager.open(true)));
        // then
        assertEquals(List.of(11, 13), List.of(tagger.vid(5), tagger.vid(6)));
    }

    private Status row(
            final ManagerSession session, final int host, final int vid, final int rank) {
        request.clear(ManagerOperation.TABLE_ROW.code()).index(host).vid(vid).value(0, rank);
        return ask(session);
    }

    @Test
    void shouldTakeAnotherTableAsAWholeAndGiveItBackWithTheSession() {
        // given: hosts 2 and 5 follow host 2, in VID 13
        final ManagerSession session = manager.open(true);
        set(session, 6, 11);
        assertEquals(Status.BAD_TABLE, row(session, 5, 12, 2), "nothing was begun");
        assertEquals(Status.OK, plain(session, ManagerOperation.TABLE_BEGIN));
        // when: two hosts have one rank
        assertEquals(Status.NO_SUCH_VID, row(session, 5, 99, 2));
        assertEquals(Status.NO_SUCH_HOST, row(session, HOSTS, 11, 2));
        assertEquals(Status.OK, row(session, 5, 12, 2));
        // then
        assertEquals(Status.BAD_TABLE, plain(session, ManagerOperation.TABLE_END));
        assertEquals(13, tagger.vid(5));
        // when: they change places, and a pair has its own VID
        plain(session, ManagerOperation.TABLE_BEGIN);
        assertEquals(Status.OK, row(session, 5, 12, 2));
        assertEquals(Status.OK, row(session, HERE, 11, 5));
        request.clear(ManagerOperation.TABLE_PAIR.code()).index(HERE).peerHost(7).vid(13);
        assertEquals(Status.OK, ask(session));
        assertEquals(13, tagger.vid(5), "not before its end");
        assertEquals(Status.OK, plain(session, ManagerOperation.TABLE_END));
        // then
        assertEquals(List.of(12, 13), List.of(tagger.vid(5), tagger.vid(7)));
        assertEquals(11, tagger.vid(6), "what was set holds beside any table");
        assertEquals(11, tagger.vid(io.hxb.vlan.Tagger.OTHERS), "broadcasts");
        manager.close(session);
        assertEquals(List.of(13, 13), List.of(tagger.vid(5), tagger.vid(6)));
        assertEquals(13, tagger.vid(io.hxb.vlan.Tagger.OTHERS));
    }

    @Test
    void shouldKeepOrUndoWhatASessionHasSet() {
        // given: something lasting, and what another session wants besides
        final ManagerSession session = manager.open(true);
        request.clear(ManagerOperation.SET.code()).peerHost(5).vid(11);
        request.flags(ManagerMessage.FLAG_PERMANENT);
        assertEquals(Status.OK, ask(session));
        final ManagerSession apply = manager.open(true);
        set(apply, 5, 12);
        set(apply, 6, 12);
        plain(apply, ManagerOperation.TABLE_BEGIN);
        row(apply, 7, 12, 1);
        row(apply, 1, 12, 7);
        plain(apply, ManagerOperation.TABLE_END);
        assertEquals(12, tagger.vid(7));
        // when: kept, and not after all
        assertEquals(Status.OK, plain(apply, ManagerOperation.KEEP));
        assertEquals(Status.OK, plain(apply, ManagerOperation.UNDO_KEEP));
        assertEquals(List.of(12, 12), List.of(tagger.vid(5), tagger.vid(6)));
        manager.close(apply);
        // then
        assertEquals(List.of(11, 13, 13), List.of(tagger.vid(5), tagger.vid(6), tagger.vid(7)));
        // when: kept
        final ManagerSession again = manager.open(true);
        set(again, 5, HostPaths.BY_TABLE);
        set(again, 6, 12);
        assertEquals(Status.OK, plain(again, ManagerOperation.KEEP));
        manager.close(again);
        // then
        assertEquals(List.of(13, 12), List.of(tagger.vid(5), tagger.vid(6)));
    }
}
