package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.pm.rma.PmRemoteMemory;
import io.hxb.pm.rma.PmRemoteRegion;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;

/** Contexts that use remote memory open and close, over flows that lose frames. */
@Tag("simulation")
class RemoteMemoryLifeTest extends RemoteMemoryPair {
    private static final int SEEDS = 20;

    /** Half a second. */
    private static final int ASKED_TURNS = 25_000;

    @Test
    void shouldReportContextsThatDoNotUseRemoteMemoryOrAreGone() throws Exception {
        // given
        final PmContext plain = other.openContext(5);
        final PmContext third = other.openContext(6);
        final PmRemoteMemory six = PmRemoteMemory.open(third);
        final PmRemoteRegion atSix = new PmRemoteRegion(0, 6, remote.key());
        // when, then
        assertEquals(
                PmStatus.NO_SUCH_CONTEXT,
                status(one.put(local, 0, new PmRemoteRegion(0, 5, remote.key()), 0, 100_000)));
        assertEquals(PmStatus.OK, status(one.put(local, 0, atSix, 0, 8)));
        one.get(atSix, 0, local, 0, REGION_BYTES);
        node.turns(40);
        third.close();
        assertEquals(PmStatus.CONTEXT_CLOSED, six.poll(outcome));
        final int status = one.finish(TIMEOUT_NS);
        assertTrue(
                status == PmStatus.PEER_RESTARTED || status == PmStatus.NO_SUCH_CONTEXT,
                PmStatus.name(status));
        assertEquals(PmStatus.OK, status(one.put(local, 0, remote, 0, 8)));
        plain.close();
    }

    @Test
    void shouldEndAPutAsDoneThoughTheContextClosesAsSoonAsItIsNotified() throws Exception {
        for (int seed = 1; seed <= SEEDS; seed++) {
            // given
            stop();
            start(seed);
            final PmContext third = other.openContext(3);
            final PmRemoteMemory three = PmRemoteMemory.open(third);
            final PmRemoteRegion there = new PmRemoteRegion(0, 3, remote.key());
            final int operation = one.putAndNotify(local, 0, there, 0, 10_000, seed);
            for (int turn = 0; turn < TURNS && three.poll(notification) != PmStatus.OK; turn++) {
                node.turn();
            }
            // when
            third.close();
            // then
            assertEquals(seed, notification.tag());
            assertEquals(PmStatus.OK, status(operation), "seed " + seed);
        }
    }

    @Test
    void shouldCloseThoughNobodyTakesTheLastAnswers() throws Exception {
        // given
        final PmContext third = other.openContext(6);
        final PmRemoteMemory six = PmRemoteMemory.open(third);
        one.putAndNotify(local, 0, new PmRemoteRegion(0, 6, remote.key()), 0, 8, 1);
        for (int turn = 0; turn < TURNS && six.poll(notification) != PmStatus.OK; turn++) {
            node.turn();
        }
        // when
        node.output.loseEverything(true);
        third.close();
        node.turns(26_000);
        // then
        assertFalse(other.openContext(6) == null);
        node.output.loseEverything(false);
    }

    // For some of these times the answer to the ping comes when what was held back has been sent.
    @Test
    void shouldPerformWhatAFenceHeldBackWhileThePeerWasAsked() throws Exception {
        for (int seed = 1; seed <= SEEDS; seed++) {
            // given: what a fence holds back was begun before the peer is asked
            stop();
            start(seed);
            assertTrue(one.get(remote, 0, local, 0, 8) >= 0);
            assertTrue(one.fence(0, 2) >= 0);
            assertTrue(one.fetchAndAdd(remote, 0, 1) >= 0);
            node.turns(2);
            // when: it is not heard for so long that it is asked
            node.output.loseEverything(true);
            node.turns(ASKED_TURNS + (seed - 1) * ASKED_TURNS / SEEDS);
            node.output.loseEverything(false);
            // then
            assertEquals(PmStatus.OK, one.finish(TIMEOUT_NS), "seed " + seed);
            assertEquals(1, Memory.getLong(shared.address()));
        }
    }

    @Test
    void shouldNotBlameTheKeyOfAnApplicationThatIsGone() throws Exception {
        for (int seed = 1; seed <= SEEDS; seed++) {
            // given
            stop();
            start(seed);
            for (int i = 0; i < 8; i++) {
                one.put(local, 0, remote, 0, 4_000);
            }
            node.turns(seed);
            // when: its keys are revoked, and frames arrive before its contexts close
            other.close();
            for (int i = 0; i < 10; i++) {
                node.output.deliver(node.flows);
                node.flows.doWork(0);
            }
            // then
            final int status = one.finish(TIMEOUT_NS);
            assertTrue(
                    status == PmStatus.OK
                            || status == PmStatus.PEER_RESTARTED
                            || status == PmStatus.NO_SUCH_CONTEXT,
                    "seed " + seed + ": " + PmStatus.name(status));
        }
    }

    @Test
    void shouldOpenOnceForAContext() throws Exception {
        // given
        final PmContext context = node.device.openContext(7);
        PmRemoteMemory.open(context);
        // when, then
        assertThrows(IOException.class, () -> PmRemoteMemory.open(context));
        context.close();
        assertThrows(IllegalStateException.class, () -> PmRemoteMemory.open(context));
        node.turns(50);
        assertFalse(PmRemoteMemory.open(node.device.openContext(7)) == null);
    }

    @Test
    void shouldAnswerAContextThatIsOpenedAnew() throws Exception {
        for (int i = 0; i < 4; i++) {
            // given
            final PmContext context = node.device.openContext(9);
            final PmRemoteMemory nine = PmRemoteMemory.open(context);
            // when
            nine.fetchAndAdd(remote, 0, 1);
            // then
            assertEquals(PmStatus.OK, nine.finish(TIMEOUT_NS));
            assertEquals(i + 1, Memory.getLong(shared.address()));
            context.close();
            node.turns(50);
        }
    }

    @Test
    void shouldEndWithItsContextWhateverIsUnderWay() throws Exception {
        // given
        final PmContext context = node.device.openContext(8);
        final PmRemoteMemory eight = PmRemoteMemory.open(context);
        eight.get(remote, 0, local, 0, REGION_BYTES);
        eight.put(local, 0, remote, 0, REGION_BYTES);
        eight.fetchAndAdd(remote, 0, 1);
        node.turns(40);
        // when
        context.close();
        node.turns(200);
        // then
        assertEquals(PmStatus.CONTEXT_CLOSED, eight.put(local, 0, remote, 0, 8));
        assertEquals(PmStatus.CONTEXT_CLOSED, eight.poll(outcome));
        assertEquals(PmStatus.CONTEXT_CLOSED, eight.await(0));
        assertEquals(PmStatus.OK, status(one.put(local, 0, remote, 0, 8)));
        final PmMessage ignored = new PmMessage();
        assertEquals(PmStatus.CONTEXT_CLOSED, context.receive(ignored));
    }
}
