package io.hxb.context;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.LimitConfig;
import io.hxb.config.LinkPlan;
import io.hxb.counter.CounterBlock;
import io.hxb.link.BufferPool;
import io.hxb.linux.PollSet;
import io.hxb.linux.SharedMemory;
import io.hxb.pm.PmDevice;
import io.hxb.pm.attach.NodeInvoker;
import io.hxb.topology.Shape;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A node of one loop that has contexts and no network. */
final class TestNode implements AutoCloseable {
    static final int MTU_BYTES = 8920;
    static final int QUOTA_FRAMES = 128;

    final SharedMemory receiveMemory;
    final BufferPool pool;
    final BufferPool.Share share;
    final ContextManager manager;
    final LoopbackPort port;
    final ContextLoop loop;
    private Thread thread;
    private volatile boolean isStopped;
    private volatile Throwable failure;

    TestNode() throws Exception {
        this(1024, 1);
    }

    TestNode(final int buffers, final int incarnation) throws Exception {
        this(buffers, incarnation, cluster(), new MemoryReclaimer());
    }

    TestNode(final ClusterConfig cluster) throws Exception {
        this(1024, 1, cluster, new MemoryReclaimer());
    }

    /** A node that gives memory back by {@code memoryReturn}. */
    TestNode(final MemoryReclaimer memoryReclaimer) throws Exception {
        this(1024, 1, cluster(), memoryReclaimer);
    }

    /** A node whose attached contexts have that many receive buffers of their own. */
    static TestNode copying(final int ownBuffers) throws Exception {
        final ContextConfig context =
                new ContextConfig(64, QUOTA_FRAMES, ContextConfig.Isolation.COPY, ownBuffers);
        return new TestNode(1024, 1, cluster().withContext(context), new MemoryReclaimer());
    }

    /** A node of more contexts than each may have rings. */
    static TestNode withContexts(final int contexts) throws Exception {
        final ContextConfig context = new ContextConfig(contexts, 8);
        return new TestNode(4096, 1, cluster().withContext(context), new MemoryReclaimer());
    }

    /** A node whose messages have up to 65,536 bytes. */
    static TestNode withLongFrames() throws Exception {
        final ClusterConfig cluster = cluster();
        return new TestNode(
                512,
                1,
                cluster,
                UserShares.of(cluster, ContextManager.MAX_CONNECTIONS),
                new MemoryReclaimer(),
                65_536);
    }

    private TestNode(
            final int buffers,
            final int incarnation,
            final ClusterConfig cluster,
            final MemoryReclaimer memoryReclaimer)
            throws Exception {
        this(
                buffers,
                incarnation,
                cluster,
                UserShares.of(cluster, ContextManager.MAX_CONNECTIONS),
                memoryReclaimer,
                MTU_BYTES);
    }

    /** A node that limits all users, this one too. */
    TestNode(final LimitConfig limits) throws Exception {
        this(
                1024,
                1,
                cluster().withLimits(limits),
                new UserShares(
                        cluster().withLimits(limits), ContextManager.MAX_CONNECTIONS, Set.of()),
                new MemoryReclaimer(),
                MTU_BYTES);
    }

    private TestNode(
            final int buffers,
            final int incarnation,
            final ClusterConfig cluster,
            final UserShares shares,
            final MemoryReclaimer memoryReclaimer,
            final int mtuBytes)
            throws Exception {
        final int bufferBytes = (mtuBytes + 64 + 72 + 127) & -64;
        receiveMemory = ContextManager.createReceivePool((long) buffers * bufferBytes, false);
        pool = new BufferPool(receiveMemory.address(), buffers, bufferBytes);
        share = pool.newShare();
        manager =
                new ContextManager(
                        new ContextParts(cluster, 0, incarnation, 1, mtuBytes + 72),
                        pool,
                        receiveMemory,
                        shares,
                        memoryReclaimer);
        port = new LoopbackPort(manager.delivery(), share, 96);
        loop = manager.newLoop(0, port, CounterBlock.unpublished(0, 0));
    }

    private static ClusterConfig cluster() {
        return ClusterConfig.of("test", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, 20_000))
                .withContext(new ContextConfig(64, QUOTA_FRAMES));
    }

    /** A device whose user runs the loop. */
    PmDevice invoked() {
        final NodeInvoker invoker = maxWaitNs -> loop.doWork(0);
        return PmDevice.over(manager.attach(invoker));
    }

    /** A device on this process while the loop has a thread. */
    PmDevice attached() {
        return PmDevice.over(manager.attach(null));
    }

    TestNode start() {
        thread = new Thread(this::run, "test-node");
        thread.start();
        return this;
    }

    private void run() {
        try (PollSet poll = new PollSet(1)) {
            poll.add(loop.wakeDescriptor());
            while (!isStopped) {
                if (loop.doWork(System.nanoTime()) == 0 && loop.prepareToSleep()) {
                    poll.await(50_000_000L);
                    loop.clearWake();
                    loop.awake();
                }
            }
        } catch (final Throwable e) {
            failure = e;
        }
    }

    Throwable failure() {
        return failure;
    }

    static void await(final String what, final BooleanSupplier condition) {
        final long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(60)) {
                throw new AssertionError("not within a minute: " + what);
            }
            LockSupport.parkNanos(200_000);
        }
    }

    void stop() {
        if (thread == null) {
            return;
        }
        isStopped = true;
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (final InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        stop();
        loop.close();
        manager.close();
        receiveMemory.close();
        if (failure != null) {
            throw new AssertionError("the node threw", failure);
        }
    }
}
