package io.hxb.pm.stream;

import io.hxb.linux.Descriptors;
import io.hxb.linux.EventFd;
import io.hxb.linux.LinuxException;
import io.hxb.linux.PollSet;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Decides which thread waits for the context's messages, so that they need not be handed over: a
 * thread that waits for its stream becomes the leader, sleeps on the context's descriptor and
 * serves all streams; others sleep until the leader has something for them or leaves. While no
 * thread waits, a separate thread does, the keeper. An event loop can take over the role of the
 * leader: it drives. As its thread may be busy with other things, the keeper then watches: where
 * something has been there for a while and the driver has not come, the keeper serves the streams
 * in its place until it comes again. Everything is guarded by the engine's lock, which the leader
 * and the keeper release while they sleep.
 */
final class StreamEventLoop {
    private static final long TICK_NS = 5_000_000L;
    private static final long KEEPER_SLEEP_NS = 60_000_000_000L;
    private static final long DRIVER_WAIT_NS = 2_000_000L;
    private static final int MAX_DRIVEN_POLLS = 16;
    private static final int NODE = 1;
    private static final int WAKE = 2;

    private final Work engine;
    private final ReentrantLock lock;
    private final PmContext context;
    private final long spinNs;
    private final boolean isInvoker;
    private final PollSet pollSet = new PollSet(3);
    private final PollSet watchSet = new PollSet(3);
    private final InterruptWake interruptWake;
    private final int wakeDescriptor;
    private final Set<FollowerThread> followers = new LinkedHashSet<>();
    private final Condition keeperWake;
    private final Condition quiet;
    private final Source keeper = new LeaderLease();
    private final Thread keeperThread;
    private Source leader;
    private boolean isAsleep;
    private boolean isKeeperResting;
    private long leads;
    private boolean isDriven;
    private Thread driver;
    private long drives;
    private boolean isDriverAway;
    private boolean isClosed;

    /**
     * Makes the pump of a context; {@link #start} begins.
     *
     * @param engine what is to be done; not called before the start.
     * @param lock guards the engine and this.
     * @param spinNs how long a leader spins before it sleeps, in ns.
     */
    StreamEventLoop(
            final Work engine,
            final ReentrantLock lock,
            final PmDevice device,
            final PmContext context,
            final long spinNs)
            throws LinuxException {
        this.engine = engine;
        this.lock = lock;
        this.context = context;
        this.spinNs = spinNs;
        isInvoker = device.isInvoker();
        keeperWake = lock.newCondition();
        quiet = lock.newCondition();
        wakeDescriptor = EventFd.create();
        interruptWake = new InterruptWake(() -> EventFd.signal(wakeDescriptor));
        for (final PollSet set : new PollSet[] {pollSet, watchSet}) {
            set.add(context.descriptor());
            set.add(device.descriptor());
            set.add(wakeDescriptor);
        }
        keeperThread = new Thread(this::keep, "hxb-streams-" + context.contextId());
        keeperThread.setDaemon(true);
    }

    void start() {
        if (!isInvoker) {
            keeperThread.start();
        }
    }

    int wakeDescriptor() {
        return wakeDescriptor;
    }

    /**
     * Waits for a while, or until something may have changed for a source; the caller checks, and
     * calls again.
     *
     * @throws InterruptedException if the thread is interrupted.
     */
    void await(final Source source, final long timeoutNs) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (isInvoker) {
            if (engine.poll() == 0) {
                context.awaitAny(Math.min(timeoutNs, engine.untilTimerNs()));
                engine.poll();
            }
        } else if (leader == null && (!isDriven || isDriver())) {
            lead(source, timeoutNs);
        } else {
            follow(source, timeoutNs);
        }
    }

    /** A thread that has waited continues: somebody else takes its place. */
    void leave() {
        if (isDriver()) {
            // The descriptor has to be armed again.
            EventFd.signal(wakeDescriptor);
        }
        if (leader != null || isDriven || isClosed) {
            return;
        }
        final Iterator<FollowerThread> first = followers.iterator();
        if (first.hasNext()) {
            first.next().source.signal();
        } else if (isKeeperResting) {
            keeperWake.signal();
        }
    }

    /** Does what there is to do if nobody else would. */
    void help() {
        if (leader == null && !isDriven) {
            engine.poll();
        }
    }

    // The callers check what they wait for, and wait again.
    @SuppressWarnings("WaitNotInLoop")
    private void follow(final Source source, final long timeoutNs) throws InterruptedException {
        if (keeper.equals(leader)) {
            wake();
        }
        final FollowerThread followerThread = new FollowerThread(source);
        followers.add(followerThread);
        try {
            final long ignored = source.condition(lock).awaitNanos(timeoutNs);
        } finally {
            followers.remove(followerThread);
        }
    }

    private void lead(final Source source, final long timeoutNs) {
        leader = source;
        leads++;
        try {
            if (engine.poll() == 0 && !spin(timeoutNs)) {
                sleep(timeoutNs);
            }
        } finally {
            leader = null;
            quiet.signalAll();
        }
    }

    private boolean spin(final long timeoutNs) {
        if (spinNs == 0 || keeper.equals(leader)) {
            return false;
        }
        final long startNs = System.nanoTime();
        final long limitNs = Math.min(spinNs, timeoutNs);
        while (System.nanoTime() - startNs < limitNs
                && !isClosed
                && !Thread.currentThread().isInterrupted()) {
            lock.unlock();
            Thread.onSpinWait();
            lock.lock();
            if (engine.poll() > 0) {
                return true;
            }
        }
        return limitNs >= timeoutNs;
    }

    private void sleep(final long timeoutNs) {
        if (isClosed
                || (isDriven && !isDriver())
                || (keeper.equals(leader) && !followers.isEmpty())) {
            return;
        }
        if (!arm(engine.needsSends())) {
            engine.poll();
            return;
        }
        final long limitNs = Math.min(timeoutNs, engine.untilTimerNs());
        isAsleep = true;
        lock.unlock();
        try {
            interruptWake.beforeSleep();
            pollSet.await(limitNs);
        } finally {
            interruptWake.afterSleep();
            lock.lock();
            isAsleep = false;
        }
        context.disarm();
        if (pollSet.ready(WAKE) != 0) {
            EventFd.drain(wakeDescriptor);
        }
        if (pollSet.ready(NODE) != 0) {
            engine.checkNode();
        }
        engine.poll();
    }

    /** Something has changed for those who wait for a source. */
    void changed(final Source source) {
        source.signal();
        if (source.listener != null) {
            source.listener.onReady();
        }
        if (source.equals(leader)) {
            wake();
        }
    }

    /** A sender waits for finished sends, which a sleeping leader may not have asked for. */
    void sendsMatter() {
        if ((isAsleep || isDriven) && !arm(true)) {
            wake();
        }
    }

    // Never twice, because the context counts the signals that it has to read.
    private boolean arm(final boolean withSends) {
        context.disarm();
        return context.arm(withSends);
    }

    private void wake() {
        if (isAsleep || isDriven) {
            EventFd.signal(wakeDescriptor);
        }
    }

    private void keep() {
        lock.lock();
        try {
            long seen = -1;
            while (!isClosed) {
                if (engine.isBroken()) {
                    // There is nothing to wait for, and a descriptor that is always ready.
                    keeperWake.awaitUninterruptibly();
                } else if (isDriven) {
                    watchDriver();
                } else if (leader == null && followers.isEmpty() && leads == seen) {
                    lead(keeper, KEEPER_SLEEP_NS);
                    seen = leads;
                    leave();
                } else if (leader != null && leads == seen) {
                    isKeeperResting = true;
                    keeperWake.awaitUninterruptibly();
                    isKeeperResting = false;
                    seen = -1;
                } else {
                    seen = leads;
                    final long ignored = keeperWake.awaitNanos(TICK_NS);
                }
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** Serves the streams once, if something is there and the driver does not come for it. */
    private void watchDriver() throws InterruptedException {
        final long seen = drives;
        final long limitNs = Math.min(KEEPER_SLEEP_NS, engine.untilTimerNs());
        final int ready;
        lock.unlock();
        try {
            ready = watchSet.await(limitNs);
        } finally {
            lock.lock();
        }
        if (!isDriven || isClosed) {
            return;
        }
        if (watchSet.ready(NODE) != 0) {
            engine.checkNode();
        }
        if (drives != seen) {
            isDriverAway = false;
            rest(TICK_NS);
            return;
        }
        if (ready == 0) {
            // Something is due that no message announces.
            wake();
        }
        if (!isDriverAway) {
            rest(DRIVER_WAIT_NS);
        }
        if (drives == seen && isDriven && !isClosed) {
            isDriverAway = true;
            serve();
        }
    }

    private void rest(final long ns) throws InterruptedException {
        long leftNs = ns;
        while (leftNs > 0 && isDriven && !isClosed) {
            leftNs = keeperWake.awaitNanos(leftNs);
        }
    }

    /** An event loop does the waiting from now on; see {@link HxbStreams#beginDriving}. */
    void beginDriving() {
        if (isDriven) {
            throw new IllegalStateException("another event loop drives these streams");
        }
        isDriven = true;
        isDriverAway = false;
        driver = Thread.currentThread();
        awaitQuiet();
        keeperWake.signal();
    }

    private boolean isDriver() {
        return isDriven && Thread.currentThread().equals(driver);
    }

    private void awaitQuiet() {
        while (leader != null) {
            wake();
            quiet.awaitUninterruptibly();
        }
    }

    void endDriving() {
        // The keeper may be watching.
        wake();
        isDriven = false;
        driver = null;
        context.disarm();
        keeperWake.signal();
        leave();
    }

    /** Serves the streams and arms the descriptor again; the driver's thread. */
    void drive() {
        if (isDriven && !isClosed) {
            drives++;
            serve();
        }
    }

    /** Serves the streams and arms the descriptor again. */
    private void serve() {
        context.disarm();
        EventFd.drain(wakeDescriptor);
        for (int i = 0; i < MAX_DRIVEN_POLLS; i++) {
            if (engine.poll() == 0 && (engine.isBroken() || arm(engine.needsSends()))) {
                return;
            }
        }
        EventFd.signal(wakeDescriptor);
    }

    /** Ends all waiting; returns when no thread sleeps on the context. The lock is held. */
    void close() {
        wake();
        isClosed = true;
        keeperWake.signalAll();
        awaitQuiet();
        for (final FollowerThread followerThread : followers) {
            followerThread.source.signal();
        }
    }

    /** Releases what the waiting needed; without the lock, after {@link #close}. */
    void release() {
        boolean isInterrupted = false;
        while (keeperThread.isAlive() && !isInterrupted) {
            try {
                keeperThread.join(TimeUnit.NANOSECONDS.toMillis(KEEPER_SLEEP_NS));
            } catch (final InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        pollSet.close();
        watchSet.close();
        Descriptors.close(wakeDescriptor);
    }

    /** What the leader does. Its methods are called with the lock held. */
    interface Work {
        /** Takes what has arrived, a bounded amount; returns how much, 0 when there was nothing. */
        int poll();

        /** Time until {@link #poll} is due even when nothing arrives, in ns, 0 or more. */
        long untilTimerNs();

        /** True if finished sends are waited for. */
        boolean needsSends();

        /** True if all streams have ended and there will be no others. */
        boolean isBroken();

        /** Checks whether the node is still alive; ends everything if it is not. */
        void checkNode();
    }

    /** Something that threads and listeners wait for. */
    abstract static class Source {
        private Condition condition;
        private StreamListener listener;

        private Condition condition(final ReentrantLock lock) {
            if (condition == null) {
                condition = lock.newCondition();
            }
            return condition;
        }

        private void signal() {
            if (condition != null) {
                condition.signalAll();
            }
        }

        /**
         * Sets the listener; null for none.
         *
         * @throws IllegalStateException if there is another listener already.
         */
        final void listener(final StreamListener newListener) {
            if (newListener != null && listener != null) {
                throw new IllegalStateException("the channel is registered already");
            }
            listener = newListener;
        }

        /** Operations of java.nio.channels.SelectionKey that would not block now. */
        abstract int readyOps();
    }

    private static final class LeaderLease extends Source {
        @Override
        int readyOps() {
            return 0;
        }
    }

    /** A thread that waits while another leads; one object per wait. */
    private static final class FollowerThread {
        private final Source source;

        FollowerThread(final Source source) {
            this.source = source;
        }
    }
}
