package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.idle.IdlePolicy;
import io.netty.channel.SelectStrategy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the manager's thread does between requests. */
@Tag("unit")
class RequestWaitTest {
    private static final long LONG_NS = 1_000_000_000_000L;
    private static final long ALONE_YIELD_NS = 300;

    private int looks;

    private int look(final int readyAt) {
        looks++;
        return looks == readyAt ? 1 : 0;
    }

    private static RequestWait alone(final long limitNs) {
        return new RequestWait(new IdlePolicy(limitNs, () -> ALONE_YIELD_NS));
    }

    @Test
    void shouldLookForTheNextRequest() throws Exception {
        final RequestWait wait = alone(LONG_NS);
        assertEquals(1, wait.calculateStrategy(() -> look(7), false));
        assertEquals(7, looks);
    }

    @Test
    void shouldSleepAfterAFailedCheck() throws Exception {
        // given: a wait in which a thread that computes took the CPU for long
        final RequestWait wait = new RequestWait(new IdlePolicy(LONG_NS, () -> LONG_NS));
        assertEquals(SelectStrategy.SELECT, wait.calculateStrategy(() -> look(-1), false));
        assertTrue(looks > 0);
        // when: it was woken, and has nothing more to do
        looks = 0;
        final int strategy = wait.calculateStrategy(() -> look(-1), false);
        // then
        assertEquals(SelectStrategy.SELECT, strategy);
        assertEquals(0, looks);
    }

    @Test
    void shouldSleepAtOnceIfItMayNotLook() throws Exception {
        final RequestWait wait = alone(0);
        assertEquals(SelectStrategy.SELECT, wait.calculateStrategy(() -> look(1), false));
        assertEquals(0, looks);
    }

    @Test
    void shouldNotWaitWhileThereAreTasks() throws Exception {
        final RequestWait wait = alone(LONG_NS);
        assertEquals(0, wait.calculateStrategy(() -> look(2), true));
        assertTrue(looks <= 1);
    }
}
