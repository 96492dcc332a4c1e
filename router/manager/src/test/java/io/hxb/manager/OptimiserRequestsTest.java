package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.testing.TestNamespaces;
import io.hxb.vlan.HostTable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class OptimiserRequestsTest {
    private final ByteBuf bytes = Unpooled.wrappedBuffer(new byte[2 * ManagerMessage.LENGTH]);
    private final ManagerMessage request = new ManagerMessage().wrap(bytes, 0);
    private final ManagerMessage reply = new ManagerMessage().wrap(bytes, ManagerMessage.LENGTH);
    private final PathOptimiser optimiser =
            new PathOptimiser(LibVfn::plan, HostTable.of(LibVfn.plan()));
    private final OptimiserRequests requests = new OptimiserRequests(optimiser);
    private final ManagerSession session = new ManagerSession(1, true);

    @AfterEach
    void end() {
        optimiser.close();
    }

    private Status ask(final ManagerOperation operation) {
        reply.reply(request);
        return requests.answer(session, operation, request, reply);
    }

    private Status demand(final int from, final int to, final long amount) {
        request.clear(ManagerOperation.DEMAND.code()).index(from).peerHost(to).value(0, amount);
        return ask(ManagerOperation.DEMAND);
    }

    private Status choice(final int index) {
        request.clear(ManagerOperation.CHOICE.code()).index(index);
        return ask(ManagerOperation.CHOICE);
    }

    private void awaitEnd() {
        TestNamespaces.await("paths are computed", () -> choice(0) != Status.RUNNING);
    }

    @Test
    void shouldKeepPairsThatTheirLinksCannotBothCarryApart() {
        // given: two pairs that share the link to the first top switch
        assertEquals(Status.OK, demand(0, 2, 1_000));
        assertEquals(Status.OK, demand(3, 1, 900));
        request.clear(ManagerOperation.OPTIMISE.code());
        // when
        assertEquals(Status.OK, ask(ManagerOperation.OPTIMISE));
        assertEquals(2, reply.index());
        awaitEnd();
        // then
        assertEquals(Status.OK, choice(0));
        assertEquals(0, reply.index());
        assertEquals(2, reply.peerNumber());
        final int vid = reply.vid();
        assertEquals(Status.OK, choice(1));
        assertEquals(1, reply.index());
        assertEquals(3, reply.peerNumber());
        assertTrue(reply.value(1) <= reply.value(0), "not worse than the plan");
        assertEquals(1_000, reply.value(1));
        assertEquals(Status.END_OF_LIST, choice(2));
        assertEquals(1_000, reply.value(1));
        assertTrue(LibVfn.plan().vid(0) == vid || LibVfn.plan().vid(1) == vid);
    }

    @Test
    void shouldComputeEachTimeForWhatWasReportedSinceTheLastTime() {
        // given
        demand(0, 2, 1_000);
        demand(1, 3, 1_000);
        ask(ManagerOperation.OPTIMISE);
        awaitEnd();
        choice(0);
        assertEquals(2_000, reply.value(0));
        assertEquals(1_000, reply.value(1));
        final int vid = reply.vid();
        choice(1);
        assertNotEquals(vid, reply.vid());
        // when
        demand(0, 3, 70);
        ask(ManagerOperation.OPTIMISE);
        awaitEnd();
        // then
        assertEquals(Status.OK, choice(0));
        assertEquals(70, reply.value(0));
        assertEquals(Status.END_OF_LIST, choice(1));
    }

    @Test
    void shouldRefuseHostsThatAreNotThereAndTooManyDemands() {
        assertEquals(Status.NO_SUCH_HOST, demand(0, 4, 1));
        assertEquals(Status.NO_SUCH_HOST, demand(-1, 0, 1));
        assertEquals(Status.MALFORMED, demand(0, 1, -1));
        assertEquals(Status.END_OF_LIST, choice(0));
        for (int i = 0; i < OptimiserRequests.MAX_DEMANDS; i++) {
            assertEquals(Status.OK, demand(0, 1, 1));
        }
        assertEquals(Status.LIMIT, demand(0, 1, 1));
        // when: the session ends
        requests.forget(session);
        // then
        assertEquals(Status.OK, demand(0, 1, 1));
    }

    @Test
    void shouldComputePathsForAnyReportedAmounts() {
        for (final long amount : new long[] {0, 1, Long.MAX_VALUE}) {
            // given: a host that sends to itself, too, and sums beyond what a long has
            assertEquals(Status.OK, demand(0, 0, amount));
            for (int i = 0; i < 3; i++) {
                assertEquals(Status.OK, demand(0, 2, amount));
                assertEquals(Status.OK, demand(1, 3, amount));
            }
            request.clear(ManagerOperation.OPTIMISE.code());
            assertEquals(Status.OK, ask(ManagerOperation.OPTIMISE));
            // when
            awaitEnd();
            // then
            assertTrue(
                    choice(0) == Status.OK || choice(0) == Status.END_OF_LIST,
                    () -> amount + " bytes: " + choice(0));
        }
    }

    @Test
    void shouldReportWhereThereIsNoPlan() {
        request.clear(ManagerOperation.OPTIMISE.code());
        assertEquals(
                Status.NO_PLAN,
                new OptimiserRequests(null)
                        .answer(session, ManagerOperation.OPTIMISE, request, reply));
    }
}
