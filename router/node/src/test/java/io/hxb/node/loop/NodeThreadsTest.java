package io.hxb.node.loop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.LoopConfig;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Loops on the CPUs of this machine. */
@Tag("system")
class NodeThreadsTest {
    private static final LoopConfig TWO_ON_ONE_CPU =
            new LoopConfig(2, LoopConfig.Waiting.SPIN, 50_000, 64, List.of(0), 0);

    @Test
    void shouldGiveWayWhereSpinningLoopsShareACpu() {
        // given
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        try (NodeThreads threads = NodeThreads.start(TWO_ON_ONE_CPU)) {
            // when
            while (yields(threads) == 0 && System.nanoTime() - deadlineNs < 0) {
                LockSupport.parkNanos(1_000_000);
            }
            // then
            assertTrue(yields(threads) > 0, "both still spin on CPU 0");
        }
    }

    private static long yields(final NodeThreads threads) {
        return threads.driver(0).yields() + threads.driver(1).yields();
    }
}
