package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.SelectStrategy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the manager's thread does between requests. */
@Tag("unit")
class RequestWaitTest {
    private static final long LONG_NS = 1_000_000_000_000L;

    private int looks;

    private int look(final int readyAt) {
        looks++;
        return looks == readyAt ? 1 : 0;
    }

    @Test
    void shouldLookForTheNextRequestAfterOne() throws Exception {
        final RequestWait wait = new RequestWait(LONG_NS);
        wait.onRequest();
        assertEquals(1, wait.calculateStrategy(() -> look(7), false));
        assertEquals(7, looks);
    }

    @Test
    void shouldSleepAtOnceAfterAnythingElse() throws Exception {
        final RequestWait wait = new RequestWait(LONG_NS);
        assertEquals(SelectStrategy.SELECT, wait.calculateStrategy(() -> look(1), false));
        assertEquals(0, looks);
    }

    @Test
    void shouldNotWaitWhileThereAreTasks() throws Exception {
        final RequestWait wait = new RequestWait(LONG_NS);
        wait.onRequest();
        assertEquals(0, wait.calculateStrategy(() -> look(2), true));
        assertTrue(looks <= 1);
    }
}
