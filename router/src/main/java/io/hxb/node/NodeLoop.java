package io.hxb.node;

import io.hxb.context.ContextManager;
import io.hxb.counter.CounterType;
import io.hxb.flow.FlowLoop;
import io.hxb.forward.Forwarder;
import io.hxb.forward.kernel.KernelRelay;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.TurnClock;
import io.hxb.node.loop.DescriptorHandle;
import io.hxb.node.loop.LoopDriver;
import io.hxb.node.loop.LoopTask;
import io.hxb.trunk.Port;
import io.hxb.trunk.TrunkSender;
import io.hxb.trunk.health.HealthLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoOps;

import org.agrona.ErrorHandler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One loop's share of a node: receives on the links dealt to it, sends on all links, and polls its
 * contexts. Owned by that loop, which is a {@link LoopDriver} or a simulation.
 */
final class NodeLoop implements LoopTask {

    // A ring stays readable while its newest frame is held, so only news count.
    private static final EpollIoOps READABLE_ONCE = EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLET);

    private final Link[] received;
    private final LinkSender[] senders;
    private final TurnClock clock = new TurnClock();
    private final Forwarder forwarder;
    private final FlowLoop flows;
    private final BufferPool.Share share;
    private final CounterExport export;
    private final NodeUpkeep upkeep;
    private final HealthLoop health;
    private final KernelRelay kernelRelay;
    private final IoRegistration[] waiting;
    private final boolean[] isWaiting;
    private final long[] blocked;
    private final int batchFrames;
    private final List<LinkHandle> unread = new ArrayList<>();
    // What a loop that spins looks at in each turn: frames there show without a system call.
    private final List<LinkHandle> watched = new ArrayList<>();
    private final ErrorHandler errorHandler;
    private IoRegistration[][] registrations = {};
    private IoRegistration wakeRegistration;
    private LoopDriver driver;
    private long busyTurns;
    private long idleTurns;
    private int pollsSeen;
    private long relayedSeen;
    private ContextPolling contexts = ContextPolling.NONE;

    /**
     * Makes one loop's share.
     *
     * @param parts what all loops of the node share.
     * @param index number of the loop, from 0.
     * @param share its share of the pool.
     * @param received links it receives on.
     */
    NodeLoop(
            final NodeParts parts,
            final int index,
            final BufferPool.Share share,
            final Link[] received) {
        this.share = share;
        this.received = received.clone();
        errorHandler = parts.errorHandler();
        batchFrames = parts.config().loop().batchFrames();
        senders =
                parts.ports().stream()
                        .map(
                                port ->
                                        port.link()
                                                .newSender(
                                                        parts.config()
                                                                .socket()
                                                                .senderQueueFrames()))
                        .toArray(LinkSender[]::new);
        final TrunkSender[] trunks = parts.trunks(senders);
        forwarder = new Forwarder(parts.forwarding(), trunks, share, clock, this::flush);
        flows = parts.flows().newLoop(forwarder.output(), share, this::wake);
        forwarder.flows(flows);
        health =
                new HealthLoop(
                        parts.discovery().health(),
                        parts.ports().toArray(new Port[0]),
                        senders,
                        trunks,
                        Arrays.stream(this.received).mapToInt(Link::index).toArray(),
                        parts.pool(),
                        share,
                        this::onExcluded,
                        this::wake);
        kernelRelay = parts.kernelRelay();
        blocked = new long[senders.length];
        export = export(parts, index);
        upkeep = index == 0 ? new NodeUpkeep(parts, senders, share) : null;
        waiting = new IoRegistration[senders.length];
        isWaiting = new boolean[senders.length];
    }

    private CounterExport export(final NodeParts parts, final int index) {
        final CounterExport.Builder builder =
                new CounterExport.Builder(parts.counters(), index, kernelRelay)
                        .forward(forwarder)
                        .flows(flows)
                        .routes(forwarder.routes());
        for (final Link link : received) {
            builder.received(
                    link,
                    forwarder.counters(),
                    () -> parts.discovery().knownNeighbours(link.index()));
        }
        for (int i = 0; i < senders.length; i++) {
            final int link = i;
            builder.sent(i, senders[i])
                    .add(CounterType.LINK_BLOCKED_EVENTS, i, () -> blocked[link]);
        }
        return builder.add(CounterType.NODE_LOOP_WAKEUPS_EVENTS, () -> busyTurns)
                .add(CounterType.NODE_LOOP_IDLE_EVENTS, () -> idleTurns)
                .add(
                        CounterType.NODE_LOOP_GIVE_WAYS_EVENTS,
                        () -> driver == null ? 0 : driver.giveWays())
                .add(
                        CounterType.NODE_LOOP_CROWDED_LOOPS,
                        () -> driver != null && driver.isCrowded() ? 1 : 0)
                .build();
    }

    /** Sets the contexts that this loop serves; before it starts. */
    void contexts(final ContextPolling polling, final ContextManager manager) {
        contexts = polling;
        if (upkeep != null) {
            upkeep.contexts(manager);
        }
    }

    private void wake() {
        if (driver != null) {
            driver.wakeUp();
        }
    }

    @Override
    public void start(final LoopDriver loopDriver) {
        driver = loopDriver;
        registrations = new IoRegistration[received.length][];
        for (int i = 0; i < received.length; i++) {
            registerLink(i);
        }
        for (int i = 0; i < senders.length; i++) {
            registerSender(i);
        }
        if (contexts.wakeDescriptor() >= 0) {
            registerWake();
        }
        if (upkeep != null) {
            upkeep.start(driver, this::relink);
        }
    }

    private void registerWake() {
        wakeRegistration =
                driver.register(
                        new DescriptorHandle(contexts.wakeDescriptor(), errorHandler) {
                            @Override
                            protected void onReady(
                                    final boolean isReadable, final boolean isWritable) {
                                contexts.clearWake();
                            }
                        });
    }

    private void registerLink(final int position) {
        final Link link = received[position];
        registrations[position] = new IoRegistration[link.descriptorCount()];
        for (int source = 0; source < link.descriptorCount(); source++) {
            if (link.descriptor(source) >= 0) {
                final LinkHandle handle = new LinkHandle(link, source);
                registrations[position][source] = driver.register(handle, READABLE_ONCE);
                unread.add(handle);
                if (driver.isSpinning() && link.isInMemory(source)) {
                    watched.add(handle);
                }
            }
        }
    }

    private void registerSender(final int position) {
        final LinkSender sender = senders[position];
        if (sender.descriptor() >= 0) {
            waiting[position] = driver.register(new SenderHandle(position));
        }
        isWaiting[position] = false;
    }

    /** The descriptors of a link have changed: forget the old ones and wait on the new. */
    void relink(final Link link) {
        for (int i = 0; i < received.length; i++) {
            if (received[i].index() == link.index()) {
                cancel(registrations[i]);
                unread.removeIf(handle -> handle.link.index() == link.index());
                watched.removeIf(handle -> handle.link.index() == link.index());
                registerLink(i);
            }
        }
        cancel(waiting[link.index()]);
        registerSender(link.index());
    }

    private static void cancel(final IoRegistration... gone) {
        for (final IoRegistration registration : gone) {
            if (registration != null) {
                registration.cancel();
            }
        }
    }

    /**
     * Receives one batch of one link and handles it.
     *
     * @return frames received.
     */
    int receive(final Link link, final int source, final long nowNs) {
        clock.begin(nowNs);
        final int frames = link.receive(source, forwarder, batchFrames);
        if (frames > 0) {
            export.note();
            health.note();
        }
        return Math.max(0, frames);
    }

    @Override
    public int doWork(final long nowNs) {
        clock.begin(nowNs);
        int work = contexts.doWork(nowNs);
        if (!unread.isEmpty()) {
            work += receiveUnread(nowNs);
        }
        for (int i = 0; i < watched.size(); i++) {
            work += receive(watched.get(i).link, watched.get(i).source, nowNs);
        }
        notePoll();
        if (forwarder.hasLoopback()) {
            work += forwarder.deliverLoopback();
        }
        work += flows.doWork(nowNs);
        if (upkeep != null) {
            upkeep.doWork(nowNs);
            if (upkeep.takeLinkChange()) {
                health.note();
            }
        }
        if (work > 0) {
            busyTurns++;
            export.note();
            health.note();
        } else {
            idleTurns++;
        }
        if (kernelRelay != null) {
            noteKernelRelay();
        }
        health.doWork(nowNs);
        export.doWork(nowNs);
        return work;
    }

    // What the kernel has relayed is part of what the health of the links is judged by.
    private void noteKernelRelay() {
        kernelRelay.turn();
        final long frames = kernelRelay.relayedFrames();
        if (frames != relayedSeen) {
            relayedSeen = frames;
            export.note();
            health.note();
        }
    }

    // What the links' neighbours say is compared with what has arrived: that has to be read first.
    private void notePoll() {
        final int polls = driver == null ? pollsSeen + 1 : driver.polls();
        if (polls != pollsSeen) {
            pollsSeen = polls;
            health.onPolled();
            for (int i = 0; i < unread.size(); i++) {
                health.onUnread(unread.get(i).link.index());
            }
        }
    }

    // Links whose last batch was full may have more, and epoll tells only once.
    private int receiveUnread(final long nowNs) {
        int frames = 0;
        for (int i = unread.size() - 1; i >= 0; i--) {
            final LinkHandle handle = unread.get(i);
            final int received = receive(handle.link, handle.source, nowNs);
            frames += received;
            if (received < batchFrames) {
                handle.isUnread = false;
                unread.remove(i);
            }
        }
        return frames;
    }

    @Override
    public int flush() {
        int frames = 0;
        for (int i = 0; i < senders.length; i++) {
            final LinkSender sender = senders[i];
            if (sender.queuedFrames() > 0 && !isWaiting[i]) {
                frames += sender.flush();
                if (sender.isBlocked()) {
                    waitFor(i, true);
                }
            }
        }
        return frames;
    }

    private void waitFor(final int position, final boolean isBlocked) {
        if (waiting[position] != null && isWaiting[position] != isBlocked) {
            isWaiting[position] = isBlocked;
            blocked[position] += isBlocked ? 1 : 0;
            waiting[position].submit(isBlocked ? EpollIoOps.EPOLLOUT : EpollIoOps.EPOLLIN);
        }
    }

    private void onWritable(final int position) {
        senders[position].flush();
        waitFor(position, senders[position].isBlocked());
        flows.onLinkWritable();
    }

    // What is stuck in the link's queue, or was sent into it in vain, goes over others at once.
    private void onExcluded(final Port port, final int neighbour) {
        final int link = port.link().index();
        if (senders[link].isBlocked()) {
            senders[link].discard();
            waitFor(link, false);
        }
        flows.onLinkFailed(link, port.dimension(), neighbour);
    }

    @Override
    public long nextDeadlineNs(final long nowNs) {
        long deadlineNs = LoopTask.earlier(flows.nextDeadlineNs(nowNs), export.nextDeadlineNs());
        deadlineNs = LoopTask.earlier(deadlineNs, health.nextDeadlineNs(upkeep != null));
        if (upkeep != null) {
            deadlineNs = LoopTask.earlier(deadlineNs, upkeep.nextDeadlineNs());
        }
        return deadlineNs;
    }

    @Override
    public boolean prepareToSleep() {
        return unread.isEmpty()
                && !forwarder.hasLoopback()
                && (upkeep == null || !upkeep.hasNews())
                && contexts.prepareToSleep();
    }

    @Override
    public void awake() {
        contexts.awake();
    }

    @Override
    public void stop() {
        flush();
        forgetDescriptors();
        contexts.close();
        for (final LinkSender sender : senders) {
            sender.close();
        }
        export.close();
        if (upkeep != null) {
            upkeep.stop();
        }
        share.close();
    }

    // The loop may go on for other nodes, and the numbers of closed descriptors come again.
    private void forgetDescriptors() {
        for (final IoRegistration[] ofLink : registrations) {
            cancel(ofLink);
        }
        cancel(waiting);
        cancel(wakeRegistration);
        unread.clear();
        watched.clear();
    }

    /** True if some link takes frames. */
    boolean hasRoom() {
        for (final LinkSender sender : senders) {
            if (!sender.isBlocked()) {
                return true;
            }
        }
        return false;
    }

    Forwarder forwarder() {
        return forwarder;
    }

    FlowLoop flows() {
        return flows;
    }

    LinkSender[] senders() {
        return senders;
    }

    /** Frames wait on a link. */
    private final class LinkHandle extends DescriptorHandle {
        private final Link link;
        private final int source;
        private boolean isUnread = true;

        LinkHandle(final Link link, final int source) {
            super(link.descriptor(source), errorHandler);
            this.link = link;
            this.source = source;
        }

        @Override
        protected void onReady(final boolean isReadable, final boolean isWritable) {
            if (isReadable && !isUnread && receive(link, source, driver.nowNs()) == batchFrames) {
                isUnread = true;
                unread.add(this);
            }
        }
    }

    /** A blocked sender can go on. */
    private final class SenderHandle extends DescriptorHandle {
        private final int position;

        SenderHandle(final int position) {
            super(senders[position].descriptor(), errorHandler);
            this.position = position;
        }

        @Override
        protected void onReady(final boolean isReadable, final boolean isWritable) {
            if (isWritable) {
                onWritable(position);
            }
        }
    }
}
