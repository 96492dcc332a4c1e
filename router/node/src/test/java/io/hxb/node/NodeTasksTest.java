package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.LoopConfig;
import io.hxb.node.loop.LoopStuckException;
import io.hxb.node.loop.LoopTask;
import io.hxb.node.loop.NodeThreads;
import io.hxb.time.Deadline;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A loop that is in the middle of something when its node is closed. */
@Tag("unit")
class NodeTasksTest {
    private static final LoopConfig ONE_LOOP =
            new LoopConfig(1, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0);

    private final CountDownLatch working = new CountDownLatch(1);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final NodeThreads threads = NodeThreads.start(ONE_LOOP);
    private final NodeTasks tasks = new NodeTasks(7, threads);
    private final ResourceStack resources = new ResourceStack();
    private boolean isMemoryClosed;

    /** Works until it may go on. */
    private class LongTask implements LoopTask {
        @Override
        public void start() {}

        @Override
        public int doWork(final long nowNs) {
            working.countDown();
            try {
                mayGoOn.await();
            } catch (final InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return 0;
        }

        @Override
        public int flush() {
            return 0;
        }

        @Override
        public long nextDeadlineNs(final long nowNs) {
            return Deadline.NEVER;
        }

        @Override
        public boolean prepareToSleep() {
            return true;
        }

        @Override
        public void awake() {}

        @Override
        public void stop() {
            stopped.countDown();
        }
    }

    @AfterEach
    void closeLoop() {
        mayGoOn.countDown();
        threads.close();
    }

    private void startWorking(final long limitMs) throws InterruptedException {
        resources.push(() -> isMemoryClosed = true);
        resources.push(() -> tasks.close(limitMs));
        tasks.add(0, new LongTask());
        tasks.start();
        working.await();
    }

    @Test
    void shouldLeaveMemoryMappedThatALoopUsesWhichDoesNotStopInTime() throws InterruptedException {
        // given
        startWorking(20);
        // when
        final LoopStuckException e =
                assertThrows(LoopStuckException.class, () -> resources.close());
        // then
        assertTrue(
                e.getMessage().contains("a loop of node 7 has not stopped within 20 ms"),
                e::getMessage);
        assertFalse(isMemoryClosed);
        assertEquals(1, stopped.getCount());
    }

    @Test
    void shouldWaitForTheLoopWhenTheThreadThatClosesIsInterrupted() throws InterruptedException {
        // given
        startWorking(60_000);
        final boolean[] isInterrupted = {false};
        final Thread closing =
                new Thread(
                        () -> {
                            Thread.currentThread().interrupt();
                            resources.close();
                            isInterrupted[0] = Thread.currentThread().isInterrupted();
                        });
        // when
        closing.start();
        while (closing.getState() != Thread.State.TIMED_WAITING) {
            assertTrue(closing.isAlive(), "the interrupt ended the wait");
            Thread.onSpinWait();
        }
        final boolean wasClosed = isMemoryClosed;
        mayGoOn.countDown();
        closing.join();
        // then
        assertFalse(wasClosed, "while the loop ran");
        assertTrue(isMemoryClosed, "after it");
        assertEquals(0, stopped.getCount());
        assertTrue(isInterrupted[0], "the closing thread learns of the interrupt");
    }
}
