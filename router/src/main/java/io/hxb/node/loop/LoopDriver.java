package io.hxb.node.loop;

import io.hxb.linux.LinuxException;
import io.hxb.os.TimerFd;
import io.hxb.pm.idle.AdaptiveSpin;
import io.netty.channel.IoRegistration;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.util.concurrent.Future;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.NanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One receiving loop: a Netty epoll loop and the tasks it drives, on a thread of its own or on the
 * application's (invoker). Owned by that thread; {@link #execute} may be called by any.
 *
 * <p>A turn polls every task, waits in epoll for what its {@link WaitMode} allows, lets the handles
 * of ready descriptors receive, and flushes. A turn that found work may leave the descriptors
 * alone, at most three in a row. A turn that starts late (the thread had to wait for its CPU) hears
 * the descriptors first, so that no timer runs out over a frame that lies in a socket. Deadlines
 * are kept by one timerfd, which is set when the earliest deadline comes closer, and put off now
 * and then when it moves away: a loop that frames keep awake neither sets it each time it sleeps
 * nor is interrupted by it often.
 */
public final class LoopDriver implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(LoopDriver.class);

    /** One line is enough for all loops of a process. */
    private static final AtomicBoolean IS_CROWDING_TOLD = new AtomicBoolean();

    private static final long STOP_LIMIT_MS = 5_000;
    private static final long AWAY_NS = 500_000;

    /** Time by which the timer may run out too early: an interrupt for nothing. */
    private static final long EARLY_NS = 500_000;

    /**
     * Turns in a row that may leave the sockets alone while there is work: a message that came is
     * seen, answered and sent without asking the kernel in between.
     */
    private static final int MAX_UNPOLLED_TURNS = 3;

    private final ManualIoEventLoop loop;
    private final NanoClock clock;
    private final ErrorHandler errorHandler;
    private final TimerFd timer;
    private final Thread thread;
    private LoopTask[] tasks = {};
    private final AdaptiveSpin spin;
    private long turnNs;
    private boolean isTimeFresh;
    private int unpolledTurns;
    private int polls;
    private long armedNs = LoopTask.NEVER;
    private boolean isTimerRegistered;
    private volatile boolean isRunning = true;

    /**
     * Makes a loop.
     *
     * @param waitMode how it waits.
     * @param threadFactory makes its thread, which starts at once; null for an invoker, whose
     *     {@link #turn} the application calls, always on the same thread.
     * @param clock source of nowNs.
     * @param errorHandler told of everything a task throws.
     */
    public LoopDriver(
            final WaitMode waitMode,
            final ThreadFactory threadFactory,
            final NanoClock clock,
            final ErrorHandler errorHandler) {
        this.clock = clock;
        this.errorHandler = errorHandler;
        spin = new AdaptiveSpin(waitMode.spinNs(), waitMode.sharedSpinNs());
        timer = openTimer();
        loop = new ManualIoEventLoop(null, EpollIoHandler.newFactory());
        if (threadFactory == null) {
            thread = null;
        } else {
            thread = threadFactory.newThread(this::run);
            loop.setOwningThread(thread);
            thread.start();
        }
    }

    private static TimerFd openTimer() {
        try {
            return new TimerFd();
        } catch (final LinuxException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** True if the application's thread has to call {@link #turn}. */
    public boolean isInvoker() {
        return thread == null;
    }

    /** Runs {@code command} on the loop's thread, at once when called by it. */
    public void execute(final Runnable command) {
        if (isInvoker() && loop.inEventLoop(Thread.currentThread())) {
            command.run();
        } else {
            loop.execute(command);
        }
    }

    /** Ends the loop's sleep; any thread. */
    public void wakeUp() {
        loop.wakeup();
    }

    /** Claims an invoker's loop for the calling thread; needed before anything else runs on it. */
    public void adopt() {
        if (isInvoker() && !loop.inEventLoop(Thread.currentThread())) {
            loop.setOwningThread(Thread.currentThread());
        }
    }

    /** Adds a task; it is started on the loop's thread. */
    public void add(final LoopTask task) {
        execute(
                () -> {
                    final LoopTask[] more = Arrays.copyOf(tasks, tasks.length + 1);
                    more[tasks.length] = task;
                    task.start(this);
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

    /** True if it takes turns without sleeping, for some time at least. */
    public boolean isSpinning() {
        return spin.limitNs() > 0;
    }

    /** How often it stopped spinning because another thread waited for its CPU. */
    public long giveWays() {
        return spin.cpu().giveWays();
    }

    /** True if it would spin, but has found again and again that it has no CPU of its own. */
    public boolean isCrowded() {
        return spin.cpu().isCrowded();
    }

    /** The time of this turn in ns, read once after each sleep. On the loop's thread. */
    public long nowNs() {
        if (!isTimeFresh) {
            turnNs = clock.nanoTime();
            isTimeFresh = true;
        }
        return turnNs;
    }

    /** Registers a handle for readability; on the loop's thread. */
    public IoRegistration register(final EpollIoHandle handle) {
        return register(handle, EpollIoOps.EPOLLIN);
    }

    /** Registers a handle for {@code interest}; on the loop's thread. */
    public IoRegistration register(final EpollIoHandle handle, final EpollIoOps interest) {
        final IoRegistration registration = loop.register(handle).syncUninterruptibly().getNow();
        registration.submit(interest);
        return registration;
    }

    /**
     * One turn of an invoker's loop.
     *
     * @param waitLimitNs longest wait in ns; 0 does not wait.
     * @return amount of work done, 0 when idle.
     */
    public int turn(final long waitLimitNs) {
        final long nowNs = clock.nanoTime();
        final boolean wasAway = nowNs - turnNs > AWAY_NS;
        turnNs = nowNs;
        isTimeFresh = true;
        // What came while the thread waited for its CPU is heard before timers run out.
        int work = wasAway ? poll() : 0;
        final LoopTask[] current = tasks;
        for (final LoopTask task : current) {
            work += guardedWork(task, nowNs);
        }
        final boolean maySleep = work == 0 && !spin.isSpinning(nowNs) && waitLimitNs > 0;
        if (maySleep && prepareToSleep(current)) {
            unpolledTurns = 0;
            work += sleep(current, nowNs, waitLimitNs);
        } else if (work == 0 || ++unpolledTurns > MAX_UNPOLLED_TURNS) {
            unpolledTurns = 0;
            work += poll();
        }
        // A task that was stopped meanwhile must not be touched: its memory may be gone.
        for (final LoopTask task : tasks) {
            work += task.flush();
        }
        if (work > 0) {
            spin.onWork();
        }
        return work;
    }

    private int poll() {
        final int work = loop.runNow(0);
        polls++;
        return work;
    }

    /** How often the descriptors have been asked, and those that were ready handled. */
    public int polls() {
        return polls;
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

    private void tellOfCrowding() {
        if (IS_CROWDING_TOLD.compareAndSet(false, true)) {
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
            tellOfCrowding();
        }
        long deadlineNs = waitLimitNs == Long.MAX_VALUE ? LoopTask.NEVER : nowNs + waitLimitNs;
        for (final LoopTask task : current) {
            deadlineNs = LoopTask.earlier(deadlineNs, task.nextDeadlineNs(nowNs));
        }
        if (deadlineNs != LoopTask.NEVER && deadlineNs - nowNs <= 0) {
            wake(current);
            return poll();
        }
        arm(deadlineNs, nowNs);
        isTimeFresh = false;
        final int work = loop.run(0, 0);
        polls++;
        wake(tasks);
        return work;
    }

    private static void wake(final LoopTask[] current) {
        for (final LoopTask task : current) {
            task.awake();
        }
    }

    private void arm(final long deadlineNs, final long nowNs) {
        if (!isTimerRegistered) {
            isTimerRegistered = true;
            register(new TimerHandle());
        }
        final boolean isCovered =
                deadlineNs == LoopTask.NEVER
                        || (armedNs != LoopTask.NEVER
                                && armedNs - deadlineNs <= 0
                                && deadlineNs - armedNs < EARLY_NS);
        if (!isCovered) {
            armedNs = deadlineNs;
            timer.set(deadlineNs - nowNs);
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
            task.stop();
        }
        tasks = new LoopTask[0];
        final Future<?> ignored = loop.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
        while (!loop.isTerminated()) {
            loop.runNow(0);
        }
        timer.close();
    }

    /** Stops the tasks and the loop; waits for its thread. An invoker's owner calls it itself. */
    @Override
    public void close() {
        if (!isRunning) {
            return;
        }
        isRunning = false;
        if (isInvoker()) {
            adopt();
            shutDown();
            return;
        }
        loop.wakeup();
        try {
            thread.join(STOP_LIMIT_MS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The timer has fired: nothing to do but to look at the tasks again. */
    private final class TimerHandle extends DescriptorHandle {
        TimerHandle() {
            super(timer.descriptor(), errorHandler);
        }

        @Override
        protected void onReady(final boolean isReadable, final boolean isWritable) {
            timer.clear();
            armedNs = LoopTask.NEVER;
        }
    }
}
