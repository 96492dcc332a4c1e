package io.hxb.node.loop;

import io.hxb.link.LoopClock;
import io.hxb.linux.PollSet;
import io.hxb.os.CpuWait;
import io.hxb.os.NativeLibrary;
import io.hxb.pm.idle.IdlePolicy;
import io.hxb.time.Deadline;
import io.netty.channel.IoRegistration;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.Future;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One receiving loop: a Netty epoll loop and the tasks it drives, on a thread of its own or on the
 * application's (invoker). Owned by that thread; other threads add and remove tasks, and wake it.
 *
 * <p>A turn polls every task, waits in epoll for what its {@link WaitMode} allows, calls the
 * handles of ready descriptors, and flushes. A turn that found work may leave the descriptors
 * alone, at most three in a row. A turn that starts late (the thread had to wait for its CPU) polls
 * the descriptors first, so that no timer expires because of a frame that is waiting in a socket.
 */
public final class LoopDriver implements Loop, AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(LoopDriver.class);

    /** One line is enough for all loops of a process. */
    private static final AtomicBoolean IS_CROWDING_REPORTED = new AtomicBoolean();

    private static final long STOP_LIMIT_MS = 5_000;
    private static final long AWAY_NS = 500_000;

    /**
     * Turns in a row that may leave the sockets alone while there is work: a message that arrived
     * is seen, answered and sent without a system call in between.
     */
    private static final int MAX_UNPOLLED_TURNS = 3;

    private final ManualIoEventLoop events;
    private final NanoClock source;
    private final LoopClock clock = new LoopClock();
    private final TurnTimes times = new TurnTimes();
    private final ErrorHandler errorHandler;
    private final DeadlineTimer timer;
    // Without descriptors: only time ends its wait.
    private final PollSet rest = new PollSet(0);
    private final IdlePolicy idle;
    private final boolean isInvoker;
    // Null for an invoker, whose thread is not known yet and must not be joined.
    private final Thread thread;
    private LoopTask[] tasks = {};
    // Of the thread that runs it, which is known once it does.
    private CpuWait cpuWait;
    private boolean isTimeFresh;
    private long wakeUpNs = Deadline.NEVER;
    private int unpolledTurns;
    private int polls;
    // True from a call of wakeUp until the loop has seen it, so that a loop has one at most.
    private final AtomicBoolean isWoken = new AtomicBoolean();
    // Volatile because the thread that closes the loop clears it.
    private volatile boolean isRunning = true;

    private LoopDriver(
            final IdlePolicy idle,
            final ThreadFactory threadFactory,
            final NanoClock source,
            final ErrorHandler errorHandler) {
        this.idle = idle;
        this.source = source;
        this.errorHandler = errorHandler;
        NativeLibrary.require();
        timer = new DeadlineTimer();
        try {
            events = new ManualIoEventLoop(null, EpollIoHandler.newFactory());
        } catch (final RuntimeException e) {
            timer.close();
            throw e;
        }
        isInvoker = threadFactory == null;
        thread = isInvoker ? null : threadFactory.newThread(this::run);
    }

    /**
     * Starts a loop on a thread of its own.
     *
     * @param waitMode how it waits.
     * @param threadFactory makes its thread.
     * @param source of the time of its turns.
     * @param errorHandler gets everything that tasks and listeners throw.
     */
    public static LoopDriver start(
            final WaitMode waitMode,
            final ThreadFactory threadFactory,
            final NanoClock source,
            final ErrorHandler errorHandler) {
        final LoopDriver driver =
                new LoopDriver(waitMode.policy(), threadFactory, source, errorHandler);
        driver.events.setOwningThread(driver.thread);
        driver.thread.start();
        return driver;
    }

    /**
     * Makes a loop whose {@link #turn} the application calls (invoker), always on the same thread,
     * which claims it by {@link #adopt} first.
     */
    public static LoopDriver invoker(
            final WaitMode waitMode, final NanoClock source, final ErrorHandler errorHandler) {
        return invoker(waitMode.policy(), source, errorHandler);
    }

    /** The same with the choice between spinning and sleeping itself. */
    static LoopDriver invoker(
            final IdlePolicy idle, final NanoClock source, final ErrorHandler errorHandler) {
        return new LoopDriver(idle, null, source, errorHandler);
    }

    /** True if the application's thread has to call {@link #turn}. */
    public boolean isInvoker() {
        return isInvoker;
    }

    @Override
    public LoopClock clock() {
        return clock;
    }

    @Override
    public boolean isOwnThread() {
        return events.inEventLoop(Thread.currentThread());
    }

    // A wake-up of Netty's own is lost if the loop is just about to sleep: only a task that is
    // queued keeps it awake.
    @Override
    public void wakeUp() {
        if (isWoken.compareAndSet(false, true)) {
            try {
                events.execute(() -> isWoken.set(false));
            } catch (final RejectedExecutionException e) {
                LOGGER.debug("a loop that has ended need not be woken", e);
            }
        }
    }

    /** Claims an invoker's loop for the calling thread; needed before anything else runs on it. */
    public void adopt() {
        if (isInvoker && !isOwnThread()) {
            events.setOwningThread(Thread.currentThread());
        }
    }

    /** Runs {@code command} on the loop's thread in one of its next turns; any thread. */
    public void runSoon(final Runnable command) {
        execute(command);
    }

    private void execute(final Runnable command) {
        if (isInvoker && isOwnThread()) {
            command.run();
        } else {
            events.execute(command);
        }
    }

    /**
     * Adds a task; it is started on the loop's thread, immediately when an invoker's thread calls
     * this.
     */
    public void add(final LoopTask task) {
        execute(
                () -> {
                    final LoopTask[] more = Arrays.copyOf(tasks, tasks.length + 1);
                    more[tasks.length] = task;
                    task.start();
                    tasks = more;
                });
    }

    /** Removes a task and then stops it; on the loop's thread, later. */
    public void remove(final LoopTask task, final Runnable whenStopped) {
        execute(
                () -> {
                    tasks =
                            Arrays.stream(tasks)
                                    .filter(other -> !other.equals(task))
                                    .toArray(LoopTask[]::new);
                    try {
                        task.stop();
                    } finally {
                        whenStopped.run();
                    }
                });
    }

    @Override
    public boolean isSpinning() {
        return idle.limitNs() > 0;
    }

    @Override
    public long yields() {
        return idle.losses();
    }

    @Override
    public boolean isCrowded() {
        return idle.isCrowded();
    }

    @Override
    public long longTurns() {
        return times.longTurns();
    }

    @Override
    public long overrunNs() {
        return times.overrunNs();
    }

    @Override
    public long turns(final int bucket) {
        return times.turns(bucket);
    }

    @Override
    public long turnNs() {
        return times.turnNs();
    }

    @Override
    public long wakeUps(final int bucket) {
        return times.wakeUps(bucket);
    }

    @Override
    public long wakeUpDelayNs() {
        return times.wakeUpDelayNs();
    }

    @Override
    public long lateWakeUps() {
        return times.lateWakeUps();
    }

    @Override
    public long lateNs() {
        return times.lateNs();
    }

    @Override
    public long waitedNs() {
        if (cpuWait == null) {
            cpuWait = new CpuWait();
        }
        return cpuWait.ns();
    }

    @Override
    public int polls() {
        return polls;
    }

    @Override
    public Registration register(
            final int descriptor, final Interest interest, final ReadinessListener listener) {
        assert isOwnThread() : "registered by " + Thread.currentThread();
        final IoRegistration registration =
                events.register(new DescriptorHandle(descriptor, this, listener))
                        .syncUninterruptibly()
                        .getNow();
        registration.submit(interest.ops());
        return new EpollRegistration(registration);
    }

    /** A registered descriptor is ready. */
    void onReady(
            final ReadinessListener listener, final boolean isReadable, final boolean isWritable) {
        // The first one to be ready after a sleep would find the time from before.
        if (!isTimeFresh) {
            beginTime(source.nanoTime());
        }
        try {
            listener.onReady(isReadable, isWritable);
        } catch (final RuntimeException | Error e) {
            // Netty would stop the loop for a second.
            errorHandler.onError(e);
        }
    }

    private void beginTime(final long nowNs) {
        clock.begin(nowNs);
        isTimeFresh = true;
    }

    /**
     * One turn; called by the application for an invoker's loop.
     *
     * @param waitLimitNs longest wait in ns; 0 does not wait.
     * @return amount of work done, 0 when idle.
     */
    public int turn(final long waitLimitNs) {
        assert isOwnThread() : "turned by " + Thread.currentThread();
        final long nowNs = source.nanoTime();
        final long sinceNs = nowNs - clock.nowNs();
        final boolean wasAway = sinceNs > AWAY_NS;
        if (isTimeFresh) {
            times.onTurn(sinceNs);
        }
        beginTime(nowNs);
        if (wakeUpNs != Deadline.NEVER) {
            times.onWakeUp(nowNs - wakeUpNs);
            wakeUpNs = Deadline.NEVER;
        }
        // What arrived while the thread waited for its CPU is received before timers expire.
        int work = wasAway ? poll() : 0;
        final LoopTask[] current = tasks;
        for (final LoopTask task : current) {
            work += guardedWork(task, nowNs);
        }
        final boolean isIdle = work == 0;
        final long pauseNs = isIdle ? pauseNs(current, nowNs, waitLimitNs) : 0;
        final boolean maySleep =
                isIdle && pauseNs == 0 && !idle.isSpinning(nowNs) && waitLimitNs > 0;
        if (isIdle) {
            // It may have yielded, and what arrives from now on arrives later.
            isTimeFresh = false;
        }
        if (maySleep && prepareToSleep(current)) {
            unpolledTurns = 0;
            work += sleep(current, nowNs, waitLimitNs);
        } else if (pauseNs > 0) {
            unpolledTurns = 0;
            rest.await(pauseNs);
            work += poll();
        } else if (work == 0 || ++unpolledTurns > MAX_UNPOLLED_TURNS) {
            unpolledTurns = 0;
            work += poll();
        }
        // A task that has been stopped in the meantime must not be touched: its memory may be gone.
        for (final LoopTask task : tasks) {
            work += task.flush();
        }
        if (work > 0) {
            idle.onWork();
        }
        return work;
    }

    private int poll() {
        final int work = events.runNow(0);
        polls++;
        return work;
    }

    // A loop that may spin without limit is meant to answer at once.
    private long pauseNs(final LoopTask[] current, final long nowNs, final long waitLimitNs) {
        if (idle.limitNs() == Long.MAX_VALUE || waitLimitNs == 0) {
            return 0;
        }
        long pauseNs = Deadline.NEVER;
        for (final LoopTask task : current) {
            pauseNs = Math.min(pauseNs, task.pauseNs(nowNs));
        }
        return pauseNs == Deadline.NEVER ? 0 : Math.min(pauseNs, waitLimitNs);
    }

    private int guardedWork(final LoopTask task, final long nowNs) {
        try {
            return task.doWork(nowNs);
        } catch (final RuntimeException | Error e) {
            errorHandler.onError(e);
            return 0;
        }
    }

    private boolean prepareToSleep(final LoopTask[] current) {
        boolean isIdle = true;
        for (final LoopTask task : current) {
            isIdle &= task.prepareToSleep();
        }
        if (!isIdle) {
            wake(current);
        }
        return isIdle;
    }

    private void reportCrowding() {
        if (IS_CROWDING_REPORTED.compareAndSet(false, true)) {
            LOGGER.warn(
                    "{} should spin, but other threads need its CPU, so it sleeps when it has"
                            + " nothing to do (CPUs: {}): give each spinning loop and application a"
                            + " CPU of its own with loop.cpus, run fewer of them, or set loop.wait:"
                            + " hybrid (--hybrid)",
                    Thread.currentThread().getName(),
                    Runtime.getRuntime().availableProcessors());
        }
    }

    private int sleep(final LoopTask[] current, final long nowNs, final long waitLimitNs) {
        if (isCrowded()) {
            reportCrowding();
        }
        long deadlineNs = waitLimitNs == Long.MAX_VALUE ? Deadline.NEVER : nowNs + waitLimitNs;
        for (final LoopTask task : current) {
            deadlineNs = Deadline.earlier(deadlineNs, task.nextDeadlineNs(nowNs));
        }
        if (deadlineNs != Deadline.NEVER && deadlineNs - nowNs <= 0) {
            wake(current);
            return poll();
        }
        timer.arm(this, deadlineNs, nowNs);
        isTimeFresh = false;
        wakeUpNs = deadlineNs;
        final int work = events.run(0, 0);
        polls++;
        wake(tasks);
        return work;
    }

    private static void wake(final LoopTask[] current) {
        for (final LoopTask task : current) {
            task.awake();
        }
    }

    private void run() {
        while (isRunning) {
            try {
                turn(Long.MAX_VALUE);
            } catch (final RuntimeException | Error e) {
                errorHandler.onError(e);
            }
        }
        shutDown();
    }

    private void shutDown() {
        for (final LoopTask task : tasks) {
            try {
                task.stop();
            } catch (final RuntimeException | Error e) {
                // The others have memory of their own, which is freed after this.
                errorHandler.onError(e);
            }
        }
        tasks = new LoopTask[0];
        final Future<?> ignored = events.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
        while (!events.isTerminated()) {
            events.runNow(0);
        }
        rest.close();
        timer.close();
        if (cpuWait != null) {
            cpuWait.close();
        }
    }

    /**
     * Stops the tasks and the loop; waits for its thread, also when it is interrupted. An invoker's
     * owner calls it itself.
     *
     * @throws LoopStuckException if the thread has not ended within 5 s: what its tasks use has to
     *     stay open, now and when this is called again.
     */
    @Override
    public void close() {
        close(STOP_LIMIT_MS);
    }

    /** As the other one, with the time after which it gives up. */
    void close(final long limitMs) {
        if (isInvoker) {
            if (isRunning) {
                isRunning = false;
                adopt();
                shutDown();
            }
            return;
        }
        isRunning = false;
        wakeUp();
        if (!UninterruptibleWait.await(waitMs -> thread.join(Duration.ofMillis(waitMs)), limitMs)) {
            throw new LoopStuckException(
                    thread.getName()
                            + " has not ended within "
                            + limitMs
                            + " ms: what it uses stays open until the process ends");
        }
    }

    /** A descriptor in this loop's epoll. */
    private record EpollRegistration(IoRegistration registration) implements Registration {
        @Override
        public void waitFor(final Interest interest) {
            registration.submit(interest.ops());
        }

        @Override
        public void cancel() {
            registration.cancel();
        }
    }
}
