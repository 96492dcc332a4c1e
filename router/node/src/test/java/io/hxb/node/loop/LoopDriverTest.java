package io.hxb.node.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.TimeBuckets;
import io.hxb.linux.Descriptors;
import io.hxb.linux.EventFd;
import io.hxb.linux.LinuxException;
import io.hxb.pm.idle.IdlePolicy;
import io.hxb.time.Deadline;

import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The order of what one turn does, on a clock that the test moves. */
@Tag("unit")
class LoopDriverTest {
    private static final long MICROSECOND_NS = 1_000;
    private static final long SPIN_NS = 50 * MICROSECOND_NS;

    private final List<String> calls = new ArrayList<>();
    private long nowNs = 1_000_000_000;
    private int workOfATurn;
    private long pauseNs = Deadline.NEVER;
    private int pausesAsked;
    private boolean isRemovedOnReceive;
    private int descriptor;
    private LoopDriver driver;

    /** Notes what is called; its descriptor stays readable, as a link under traffic. */
    private class NotingTask implements LoopTask {
        @Override
        public void start() {
            driver.register(
                    descriptor,
                    Interest.READABLE,
                    (isReadable, isWritable) -> {
                        calls.add("receive");
                        if (isRemovedOnReceive) {
                            driver.remove(this, () -> calls.add("stopped"));
                        }
                    });
        }

        @Override
        public int doWork(final long turnNs) {
            calls.add("work");
            return workOfATurn;
        }

        @Override
        public int flush() {
            calls.add("flush");
            return 0;
        }

        @Override
        public long nextDeadlineNs(final long turnNs) {
            return Deadline.NEVER;
        }

        @Override
        public long pauseNs(final long turnNs) {
            pausesAsked++;
            return pauseNs;
        }

        @Override
        public boolean prepareToSleep() {
            return true;
        }

        @Override
        public void awake() {
            calls.add("awake");
        }

        @Override
        public void stop() {}
    }

    private static void fail(final Throwable error) {
        throw new AssertionError(error);
    }

    @BeforeEach
    void makeLoop() throws LinuxException {
        descriptor = EventFd.create();
        EventFd.signal(descriptor);
        driver = LoopDriver.invoker(WaitMode.BLOCK, () -> nowNs, LoopDriverTest::fail);
        driver.adopt();
        driver.add(new NotingTask());
        turns(1);
        calls.clear();
    }

    @AfterEach
    void closeLoop() {
        driver.close();
        Descriptors.close(descriptor);
    }

    private void turns(final int count) {
        for (int i = 0; i < count; i++) {
            nowNs += MICROSECOND_NS;
            driver.turn(0);
        }
    }

    @Test
    void shouldCountTurnsThatTakeLong() {
        // when
        turns(3);
        nowNs += 2_000 * MICROSECOND_NS;
        turns(1);
        nowNs += 5_000 * MICROSECOND_NS;
        turns(3);
        // then
        assertEquals(2, driver.longTurns());
        assertEquals(3_002 * MICROSECOND_NS, driver.overrunNs());
    }

    @Test
    void shouldCountTurnsByTheirDuration() {
        // given
        final long turnsBefore = driver.turns(0);
        final long nsBefore = driver.turnNs();
        // when: what passes between two turns is the duration of the first
        turns(3);
        nowNs += 100 * MICROSECOND_NS;
        turns(1);
        // then
        assertEquals(3, driver.turns(0) - turnsBefore);
        assertEquals(1, driver.turns(TimeBuckets.of(101 * MICROSECOND_NS)));
        assertEquals(104 * MICROSECOND_NS, driver.turnNs() - nsBefore);
    }

    @Test
    void shouldPauseInsteadOfSleepingWhenItsTasksWantIt() {
        // given
        pauseNs = MICROSECOND_NS;
        // when
        driver.turn(Long.MAX_VALUE);
        // then: nobody was asked to wake it
        assertEquals(List.of("work", "receive", "flush"), calls);
        assertEquals(1, pausesAsked);
    }

    @Test
    void shouldSleepWhenOneOfItsTasksMustNotPause() {
        // given
        pauseNs = 0;
        // when
        driver.turn(Long.MAX_VALUE);
        // then
        assertEquals(List.of("work", "receive", "awake", "flush"), calls);
    }

    @Test
    void shouldNotPauseWhenNoneOfItsTasksMinds() {
        // when: for a limited time
        driver.turn(MICROSECOND_NS);
        // then
        assertEquals(List.of("work", "receive", "awake", "flush"), calls);
    }

    @Test
    void shouldNotPauseWhereNobodyMayWaitOrWorkIsLeft() {
        // given
        pauseNs = MICROSECOND_NS;
        // when
        driver.turn(0);
        workOfATurn = 1;
        driver.turn(Long.MAX_VALUE);
        // then
        assertEquals(0, pausesAsked);
    }

    @Test
    void shouldHearSocketsInEveryTurnWithoutWork() {
        // when
        turns(3);
        // then
        assertEquals(3, calls.stream().filter("receive"::equals).count(), calls::toString);
    }

    @Test
    void shouldHearSocketsInEveryFourthTurnHoweverMuchWorkThereIs() {
        // given
        workOfATurn = 1;
        // when
        turns(40);
        // then
        assertEquals(10, calls.stream().filter("receive"::equals).count(), calls::toString);
    }

    @Test
    void shouldHearSocketsBeforeTimersWhenItHasBeenAway() {
        // given
        workOfATurn = 1;
        // when
        nowNs += 600 * MICROSECOND_NS;
        turns(1);
        // then
        assertEquals(List.of("receive", "work", "flush"), calls);
    }

    @Test
    void shouldHearSocketsOnceWhenItSleeps() {
        // when
        nowNs += MICROSECOND_NS;
        driver.turn(Long.MAX_VALUE);
        // then
        assertEquals(List.of("work", "receive", "awake", "flush"), calls);
    }

    @Test
    void shouldNotTouchATaskThatWasStoppedWhileItSlept() {
        // given
        isRemovedOnReceive = true;
        // when
        nowNs += MICROSECOND_NS;
        driver.turn(Long.MAX_VALUE);
        // then
        assertEquals(List.of("work", "receive", "stopped"), calls);
    }

    @Test
    void shouldSpinForAWhileAndAfterAFailedSpinSleepAtOnce() throws LinuxException {
        // given: a thread with a CPU of its own
        final IdlePolicy alone = new IdlePolicy(SPIN_NS, () -> 300);
        driver.close();
        EventFd.drain(descriptor);
        driver = LoopDriver.invoker(alone, () -> nowNs, LoopDriverTest::fail);
        driver.adopt();
        driver.add(new NotingTask());
        // when
        final int firstTurns = turnsUntilAsleep();
        final int nextTurns = turnsUntilAsleep();
        nowNs += SPIN_NS;
        final int lastTurns = turnsUntilAsleep();
        // then
        assertEquals(List.of(51, 1, 51), List.of(firstTurns, nextTurns, lastTurns));
    }

    private static LoopDriver blocking() {
        return LoopDriver.start(
                WaitMode.BLOCK, Thread::new, SystemNanoClock.INSTANCE, LoopDriverTest::fail);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotSleepWhenWokenOrClosedJustBefore(final boolean isClosed) throws Exception {
        // given a loop with nothing to do that is about to sleep
        final CountDownLatch aboutToSleep = new CountDownLatch(1);
        final CountDownLatch maySleep = new CountDownLatch(1);
        final CountDownLatch nextTurn = new CountDownLatch(2);
        final LoopDriver other = blocking();
        other.add(
                new NotingTask() {
                    @Override
                    public void start() {}

                    @Override
                    public boolean prepareToSleep() {
                        nextTurn.countDown();
                        aboutToSleep.countDown();
                        awaitUninterruptibly(maySleep);
                        return true;
                    }

                    @Override
                    public void stop() {
                        nextTurn.countDown();
                    }
                });
        aboutToSleep.await();
        // when
        final Thread caller = new Thread(isClosed ? other::close : other::wakeUp);
        caller.start();
        while (caller.getState() == Thread.State.RUNNABLE
                || caller.getState() == Thread.State.NEW) {
            Thread.onSpinWait();
        }
        maySleep.countDown();
        // then
        final boolean wentOn = nextTurn.await(20, TimeUnit.SECONDS);
        other.runSoon(() -> {});
        other.close();
        assertTrue(wentOn);
    }

    @Test
    void shouldNotReportThatItHasEndedWhileItsThreadWorks() throws InterruptedException {
        // given
        final CountDownLatch working = new CountDownLatch(1);
        final CountDownLatch mayGoOn = new CountDownLatch(1);
        final LoopDriver other = blocking();
        other.runSoon(
                () -> {
                    working.countDown();
                    awaitUninterruptibly(mayGoOn);
                });
        working.await();
        // when
        assertThrows(LoopStuckException.class, () -> other.close(10));
        assertThrows(LoopStuckException.class, () -> other.close(10), "again");
        mayGoOn.countDown();
        // then
        other.close();
    }

    private static void awaitUninterruptibly(final CountDownLatch latch) {
        try {
            latch.await();
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Turns without work, after one with work, until the loop has slept, for a nanosecond. */
    private int turnsUntilAsleep() {
        workOfATurn = 1;
        turns(1);
        workOfATurn = 0;
        calls.clear();
        int count = 0;
        while (!calls.contains("awake")) {
            nowNs += MICROSECOND_NS;
            driver.turn(1);
            count++;
        }
        return count;
    }
}
