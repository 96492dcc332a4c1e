package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.counter.CounterType;
import io.hxb.pm.PmDevice;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.locks.LockSupport;

/**
 * An application sends while its node takes, each on its thread. Allowed: every message is taken
 * once, in the order sent, with the bytes written before it was.
 */
@Tag("concurrency")
class SendsConcurrencyTest {
    private static final long PAUSE_NS = 1_000;

    @RepeatedTest(20)
    @Timeout(60)
    void shouldTakeEverythingInOrderWhileItIsWritten(final RepetitionInfo info) throws Exception {
        final long seed = info.getCurrentRepetition();
        try (TestNode node = new TestNode().start();
                PmDevice device = node.attached()) {
            new MixedTraffic(seed).run(device, () -> LockSupport.parkNanos(PAUSE_NS));
            assertEquals(
                    0,
                    node.loop.counters().value(CounterType.CONTEXT_CLOSED_RUBBISH_EVENTS),
                    () -> "seed " + seed);
        }
    }
}
