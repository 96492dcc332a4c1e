package io.hxb.context;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.FlowPort;
import io.hxb.flow.FlowWalk;
import io.hxb.linux.LinuxException;
import io.hxb.os.EventFdSet;
import io.hxb.pm.shm.CloseReason;
import io.hxb.pm.shm.NodePage;
import io.hxb.recorder.RecordedEvent;
import io.hxb.remote.RemoteEndpoint;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The contexts that one loop of the node serves: takes what applications submit and release, opens
 * and closes. Owned by that loop; other threads use its {@link ContextLoopProxy}.
 */
public final class ContextLoop implements ContextPolling {
    private static final Logger LOGGER = LoggerFactory.getLogger(ContextLoop.class);

    /** Flows that one turn of the loop looks at, so that it stays short. */
    private static final int WALKED_A_TURN = 64;

    private final ContextTable table;
    private final DirectOffers directOffers;
    private final int index;
    private final FlowPort port;
    private final NodePage page;
    private final LoopCommands<ContextLoop> commands;
    private final LoopActivity activity;
    private final CounterBlock counters;
    private final EventFdSet wakeUps;
    private final List<Consumer<ContextLoop>> deferred = new ArrayList<>();
    private ContextEndpoint[] endpoints = new ContextEndpoint[0];
    private int sleeps;
    private long beat;
    private long beatNs;
    private long turnNs;
    private boolean isAsleep;
    private boolean isClosed;

    ContextLoop(
            final int index,
            final FlowPort port,
            final LoopCommands<ContextLoop> commands,
            final CounterBlock counters,
            final ContextTable table,
            final DirectOffers directOffers,
            final NodePage page) {
        this.index = index;
        this.port = port;
        this.commands = commands;
        this.counters = counters;
        this.table = table;
        this.directOffers = directOffers;
        this.page = page;
        activity = new LoopActivity(counters);
        wakeUps = commands.wakeUps();
    }

    /** What this loop counts. */
    CounterBlock counters() {
        return counters;
    }

    /** Descriptor that becomes readable when an application wakes the loop; for epoll or poll. */
    @Override
    public int wakeDescriptor() {
        return wakeUps.descriptor();
    }

    /** Makes {@link #wakeDescriptor()} unreadable until the next wake-up. */
    @Override
    public void clearWake() {
        wakeUps.clear();
    }

    /**
     * Does what applications have asked for, a bounded amount.
     *
     * @return the amount of work done, 0 when idle.
     */
    @Override
    public int doWork(final long nowNs) {
        turnNs = nowNs;
        if (index == 0 && (beat == 0 || nowNs - beatNs >= 0)) {
            beatNs = nowNs + NodePage.BEAT_INTERVAL_NS;
            page.beat(++beat);
        }
        int work = 0;
        activity.beginTurn();
        final Consumer<ContextLoop> command = commands.poll();
        if (command != null) {
            command.accept(this);
            work++;
        }
        final ContextEndpoint[] all = endpoints;
        for (int i = 0; i < all.length; i++) {
            work += all[i].doWork(nowNs);
        }
        if (activity.hasClosing()) {
            work += finishClosing(nowNs, true);
        }
        return work;
    }

    /**
     * Asks applications to wake the loop from now on.
     *
     * @return false if there is work already; then {@link #awake} has been called.
     */
    @Override
    public boolean prepareToSleep() {
        isAsleep = true;
        sleeps = Math.max(1, sleeps + 1);
        page.sleep(index, sleeps);
        final ContextEndpoint[] all = endpoints;
        for (final ContextEndpoint endpoint : all) {
            endpoint.prepareToSleep();
        }
        VarHandle.fullFence();
        boolean hasWork = commands.isWaiting();
        for (int i = 0; i < all.length && !hasWork; i++) {
            hasWork = all[i].hasWork();
        }
        if (hasWork) {
            awake();
        }
        return !hasWork;
    }

    /** Applications need not wake the loop any more. Cheap when it was not asleep. */
    @Override
    public void awake() {
        if (isAsleep) {
            isAsleep = false;
            page.sleep(index, 0);
        }
    }

    /** Opens a context, unless its number is still in use. */
    void open(final ContextEndpoint endpoint, final CompletableFuture<ContextEndpoint> opened) {
        try {
            if (isClosed) {
                throw new NodeStopsException();
            }
            if (!table.register(endpoint)) {
                // Its number is still being given up: try again when that is done.
                deferred.add(loop -> loop.open(endpoint, opened));
                return;
            }
            wakeUps.add(endpoint.memory().wakeNode());
            endpoint.start(activity, port);
            final ContextEndpoint[] more = Arrays.copyOf(endpoints, endpoints.length + 1);
            more[endpoints.length] = endpoint;
            endpoints = more;
            counters.increment(CounterType.CONTEXT_OPENED_EVENTS);
            counters.events().record(RecordedEvent.CONTEXT_OPENED, turnNs, endpoint.contextId());
            opened.complete(endpoint);
        } catch (final IllegalStateException | LinuxException e) {
            opened.completeExceptionally(e);
        }
    }

    /** Lets a context use remote memory, unless it does already or is closed. */
    void openRemote(
            final ContextEndpoint endpoint,
            final RemoteEndpoint remote,
            final LentMemory memory,
            final CompletableFuture<ContextEndpoint> opened) {
        if (!Arrays.asList(endpoints).contains(endpoint)
                || endpoint.isClosing()
                || endpoint.remote() != null) {
            opened.completeExceptionally(
                    new IllegalStateException(
                            "context "
                                    + endpoint.contextId()
                                    + " uses remote memory already, or is closed"));
            return;
        }
        endpoint.memory().add(memory);
        endpoint.openRemote(remote);
        opened.complete(endpoint);
    }

    /** Goes on with a pass through the flows, a bounded number in each turn. */
    void walk(final FlowWalk walk, final CompletableFuture<FlowWalk> done) {
        if (isClosed) {
            done.completeExceptionally(new NodeStopsException());
        } else if (!done.isDone()) {
            if (port.walk(walk, WALKED_A_TURN)) {
                done.complete(walk);
            } else {
                commands.putBack(loop -> loop.walk(walk, done));
            }
        }
    }

    /** Closes a context, unless it is closed already. */
    void close(final ContextEndpoint endpoint, final CloseReason reason) {
        if (Arrays.asList(endpoints).contains(endpoint)) {
            endpoint.close(reason);
        }
    }

    /** Notifies a context, unless it is closed, that there is a change of its direct rings. */
    void onDirectChange(final ContextEndpoint endpoint, final boolean isReceiverGone) {
        if (Arrays.asList(endpoints).contains(endpoint)) {
            endpoint.onDirectChange(isReceiverGone);
        }
    }

    /** Wakes the applications that sleep, so that they learn of a link. */
    void onLinkEvent() {
        for (final ContextEndpoint endpoint : endpoints) {
            endpoint.onLinkEvent();
        }
    }

    @Override
    public long taken() {
        return activity.taken();
    }

    @Override
    public long nextDeadlineNs() {
        return activity.nextDeadlineNs();
    }

    private int finishClosing(final long nowNs, final boolean isToAnswer) {
        int finished = 0;
        for (final ContextEndpoint endpoint : endpoints) {
            if (endpoint.isClosing() && endpoint.finishClosing(nowNs, isToAnswer)) {
                remove(endpoint);
                noteClosed(endpoint, nowNs);
                finished++;
            }
        }
        return finished;
    }

    private void noteClosed(final ContextEndpoint endpoint, final long nowNs) {
        final RecordedEvent event =
                switch (endpoint.closeReason()) {
                    case DETACHED -> RecordedEvent.CONTEXT_CLOSED;
                    case GONE -> RecordedEvent.CONTEXT_DEAD;
                    case NODE_CLOSED -> null;
                    default -> RecordedEvent.CONTEXT_INVALID;
                };
        if (event != null) {
            counters.events().record(event, nowNs, endpoint.contextId());
        }
    }

    private void remove(final ContextEndpoint endpoint) {
        endpoints =
                Arrays.stream(endpoints)
                        .filter(other -> other != endpoint)
                        .toArray(ContextEndpoint[]::new);
        activity.onClosed();
        try {
            wakeUps.remove(endpoint.memory().wakeNode());
        } catch (final LinuxException e) {
            LOGGER.warn("context {}: {}", endpoint.contextId(), e.getMessage());
        }
        table.unregister(endpoint);
        directOffers.onClosed(endpoint);
        endpoint.memory().unuse();
        endpoint.application().onClosed(endpoint);
        deferred.forEach(commands::putBack);
        deferred.clear();
    }

    /** Messages delivered to the contexts that are open. */
    long delivered() {
        long sum = 0;
        for (final ContextEndpoint endpoint : endpoints) {
            sum += endpoint.delivered();
        }
        return sum;
    }

    /**
     * Closes all contexts; when the loop stops, on its thread. Memory that links still read stays
     * mapped.
     */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        for (final ContextEndpoint endpoint : endpoints) {
            endpoint.close(CloseReason.NODE_CLOSED);
        }
        // Nothing is sent any more.
        finishClosing(0, false);
        deferred.forEach(commands::putBack);
        Consumer<ContextLoop> command = commands.pollLast();
        while (command != null) {
            command.accept(this);
            command = commands.pollLast();
        }
    }
}
