package io.hxb.node;

import io.hxb.context.ContextPolling;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.counter.Counters;
import io.hxb.flow.FlowLoop;
import io.hxb.forward.ForwardParts;
import io.hxb.forward.Forwarder;
import io.hxb.forward.FrameSource;
import io.hxb.forward.kernel.KernelRelay;
import io.hxb.gossip.Gossip;
import io.hxb.linkstate.LinkStateCount;
import io.hxb.linkstate.LinkStates;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LongFrameCounts;
import io.hxb.link.TrainCounts;
import io.hxb.log.LoopErrors;
import io.hxb.node.ip.IpService;
import io.hxb.node.loop.Interest;
import io.hxb.node.loop.Loop;
import io.hxb.node.loop.LoopTask;
import io.hxb.node.loop.Registration;
import io.hxb.recorder.RecordedEvent;
import io.hxb.session.Sessions;
import io.hxb.time.Deadline;
import io.hxb.trunk.Port;
import io.hxb.trunk.TrunkSender;
import io.hxb.trunk.health.HealthLoop;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One loop's share of a node: in each turn it polls its contexts, receives, lets its flows work,
 * takes care of the health of the links and of the node, and sends. Owned by that loop, which is a
 * {@link io.hxb.node.loop.LoopDriver} or a simulation.
 */
final class NodeLoop implements LoopTask {
    /** Duration from which a turn is recorded. */
    private static final long LATE_TURN_NS = 10_000_000L;

    private final Loop loop;
    private final LoopSenders senders;
    private final LoopReceiver receiver;
    private final Forwarder forwarder;
    private final FlowLoop flows;
    private final ContextPolling contexts;

    /** The packets of the node's virtual NIC, on the first loop. */
    private final ContextPolling packets;

    private final HealthLoop health;
    private final KernelRelay kernelRelay;
    private final Housekeeping housekeeping;
    private final CounterBlock counters;
    private final CounterExport export;
    private final BufferPool.Share share;
    private final boolean isFirst;
    private final Sessions sessions;
    private final LoopPause pause = new LoopPause();

    /** True if a link sends or receives trains, which pauses make longer. */
    private final boolean hasTrains;

    private int sessionsSeen;
    private Registration wakeRegistration = Registration.NONE;
    private Registration packetRegistration = Registration.NONE;
    private int pollsSeen;
    private long relayedSeen;
    private long longTurnsSeen;
    private long overrunSeenNs;
    private long lateWakeUpsSeen;
    private int lastWork;

    /** How often applications have woken the loop. */
    private long wakeUps;

    /**
     * Makes one loop's share.
     *
     * @param parts what all loops of the node share.
     * @param index number of the loop, from 0; the first takes care of the node.
     * @param loop the loop.
     * @param share its share of the pool.
     * @param received links it receives on.
     */
    NodeLoop(
            final NodeParts parts,
            final int index,
            final Loop loop,
            final BufferPool.Share share,
            final Link[] received) {
        this.loop = loop;
        this.share = share;
        isFirst = index == 0;
        counters = parts.counters().ofLoop(index);
        final NodeLinks links = parts.links();
        final NeighbourLinks neighbours = parts.neighbourhood();
        kernelRelay = links.relay();
        senders = new LoopSenders(links.ports(), parts.config().socket().senderQueueFrames(), loop);
        final TrunkSender[] trunks =
                links.trunks(parts.config().shape().dimensions(), senders.all());
        // Flows send through the frame source and receive from the forwarder.
        final ForwardParts forwarding = parts.forwarding();
        final FrameSource frameSource =
                new FrameSource(forwarding, trunks, share, loop.clock(), counters, senders::flush);
        flows = new FlowLoop(parts.flows(), frameSource, share, counters, loop::wakeUp);
        forwarder =
                new Forwarder(
                        forwarding,
                        neighbours.health().heard(),
                        trunks,
                        share,
                        loop.clock(),
                        frameSource,
                        flows);
        sessions = neighbours.sessions();
        sessions.addListener(loop::wakeUp);
        receiver = new LoopReceiver(loop, received, forwarder, parts.config().loop().batchFrames());
        hasTrains = hasTrains(received);
        contexts = parts.contexts().newLoop(index, flows);
        packets = packets(parts.ip(), trunks);
        health =
                new HealthLoop(
                        neighbours.health(),
                        senders.all(),
                        trunks,
                        Arrays.stream(received).mapToInt(Link::index).toArray(),
                        share,
                        this::onExcluded,
                        loop::wakeUp,
                        loop::waitedNs);
        final LinkHousekeeping own =
                new LinkHousekeeping(loop, received, links.board(), this::relink);
        housekeeping =
                isFirst
                        ? new NodeHousekeeping(
                                parts,
                                loop,
                                senders.all(),
                                share,
                                health,
                                own,
                                sessionSender(neighbours, frameSource),
                                gossip(parts, trunks, frameSource),
                                linkStates(parts, frameSource))
                        : own;
        addCounters(received, neighbours, trunks);
        // The loop may have served other nodes before.
        longTurnsSeen = loop.longTurns();
        overrunSeenNs = loop.overrunNs();
        lateWakeUpsSeen = loop.lateWakeUps();
        export =
                isFirst
                        ? exportWithKernel(parts.counters(), links.ports())
                        : new CounterExport(counters);
    }

    private SessionSender sessionSender(
            final NeighbourLinks neighbours, final FrameSource frameSource) {
        return new SessionSender(
                sessions, neighbours.discovery(), loop, senders.all(), share, frameSource);
    }

    // Null in a hyper-crossbar, whose cables need no map.
    private LinkStateTask linkStates(final NodeParts parts, final FrameSource frameSource) {
        if (parts.cabling() == null) {
            return null;
        }
        parts.counters()
                .ofNode()
                .source(
                        CounterType.MAP_REFUSED_EVENTS,
                        () -> refused(parts.cabling().states()));
        return new LinkStateTask(
                parts,
                loop,
                share,
                frameSource,
                TrunkSpeed.ofEach(parts.config(), parts.nodeId()));
    }

    private static long refused(final LinkStates states) {
        return states.count(LinkStateCount.NO_NEIGHBOUR)
                + states.count(LinkStateCount.TOO_MANY)
                + states.count(LinkStateCount.REFUSED);
    }

    private Optional<GossipSender> gossip(
            final NodeParts parts, final TrunkSender[] trunks, final FrameSource frameSource) {
        final Gossip all = parts.gossip();
        if (all == null) {
            return Optional.empty();
        }
        parts.counters().ofNode().source(CounterType.GOSSIP_REFUSED_EVENTS, all::refused);
        return Optional.of(new GossipSender(parts, trunks, share, frameSource));
    }

    private static boolean hasTrains(final Link[] received) {
        return Stream.of(received)
                .anyMatch(
                        link ->
                                link.trains() != TrainCounts.NONE
                                        || link.longFrames() != LongFrameCounts.NONE);
    }

    // The first loop carries the packets of the virtual NIC, if there is one.
    private ContextPolling packets(final IpService ip, final TrunkSender[] trunks) {
        if (!isFirst || ip == null) {
            return ContextPolling.NONE;
        }
        ip.start(
                flows,
                counters,
                (dimension, neighbour) -> trunks[dimension].isReached(neighbour),
                loop::wakeUp);
        return ip;
    }

    private void addCounters(
            final Link[] received, final NeighbourLinks neighbours, final TrunkSender[] trunks) {
        LoopCounters.add(counters, forwarder.routes());
        LoopCounters.add(counters, loop);
        LoopCounters.add(counters, senders);
        for (final Link link : received) {
            final int index = link.index();
            LoopCounters.add(counters, link, () -> neighbours.discovery().knownNeighbours(index));
            neighbours.health().heard()[index].addCounters(counters);
        }
        for (final TrunkSender trunk : trunks) {
            trunk.addCounters(counters);
        }
    }

    private CounterExport exportWithKernel(final Counters all, final List<Port> ports) {
        final CounterBlock kernel = all.ofKernel();
        LoopCounters.add(kernel, kernelRelay, ports.size());
        if (kernelRelay.isOpen()) {
            ports.forEach(port -> new BypassCounts(port).addCounters(kernel));
        }
        return new CounterExport(counters, kernel);
    }

    @Override
    public void start() {
        receiver.start();
        senders.start();
        if (contexts.wakeDescriptor() >= 0) {
            wakeRegistration =
                    loop.register(
                            contexts.wakeDescriptor(),
                            Interest.READABLE,
                            (isReadable, isWritable) -> onWoken());
        }
        if (packets.wakeDescriptor() >= 0) {
            packetRegistration =
                    loop.register(
                            packets.wakeDescriptor(),
                            Interest.READABLE,
                            (isReadable, isWritable) -> onPackets());
        }
        housekeeping.start();
    }

    private void onPackets() {
        packets.clearWake();
        if (packets.wakeDescriptor() < 0) {
            packetRegistration.cancel();
        }
    }

    // An application has woken the loop.
    private void onWoken() {
        wakeUps++;
        contexts.clearWake();
    }

    // The descriptors of a link have changed.
    private void relink(final Link link) {
        receiver.relink(link);
        senders.relink(link.index());
    }

    @Override
    public int doWork(final long nowNs) {
        assert loop.isOwnThread() : "called by " + Thread.currentThread();
        if (loop.longTurns() != longTurnsSeen || loop.lateWakeUps() != lateWakeUpsSeen) {
            noteDelays(nowNs);
        }
        if (senders.takeUnblocked() || hasNewSession()) {
            flows.onLinkWritable();
        }
        int work = contexts.doWork(nowNs);
        work += receiver.doWork();
        notePoll();
        if (forwarder.hasLoopback()) {
            work += forwarder.deliverLoopback();
        }
        work += forwarder.doWork(nowNs);
        // After what has arrived, which the machine may have answered.
        work += packets.doWork(nowNs);
        work += flows.doWork(nowNs);
        doHousekeeping(nowNs);
        if (work > 0) {
            counters.increment(CounterType.NODE_LOOP_WAKEUPS_EVENTS);
        } else {
            counters.increment(CounterType.NODE_LOOP_IDLE_EVENTS);
        }
        final boolean hasReceived = receiver.takeReceived();
        if (work > 0 || hasReceived) {
            noteFrames();
        }
        noteKernelRelay();
        health.doWork(nowNs);
        export.doWork(nowNs);
        lastWork = work;
        return work;
    }

    private void noteDelays(final long nowNs) {
        final long tookNs =
                loop.overrunNs()
                        - overrunSeenNs
                        + (loop.longTurns() - longTurnsSeen) * Loop.LONG_TURN_NS;
        if (tookNs >= LATE_TURN_NS) {
            counters.events().record(RecordedEvent.TURN_LATE, nowNs, tookNs, lastWork);
        }
        if (loop.lateWakeUps() != lateWakeUpsSeen) {
            counters.events().record(RecordedEvent.WAKE_UP_LATE, nowNs, loop.lateNs());
        }
        longTurnsSeen = loop.longTurns();
        overrunSeenNs = loop.overrunNs();
        lateWakeUpsSeen = loop.lateWakeUps();
    }

    // Link health and counters continue if housekeeping fails.
    private void doHousekeeping(final long nowNs) {
        try {
            housekeeping.doWork(nowNs);
        } catch (final RuntimeException | Error e) {
            LoopErrors.INSTANCE.onError(e);
        }
    }

    private boolean hasNewSession() {
        final int begun = sessions.begun();
        final boolean isNew = begun != sessionsSeen;
        sessionsSeen = begun;
        return isNew;
    }

    private void noteFrames() {
        export.note();
        health.note();
    }

    // Frames that the kernel has relayed also count for the health of the links.
    private void noteKernelRelay() {
        kernelRelay.turn();
        final long frames = kernelRelay.relayedFrames();
        if (frames != relayedSeen) {
            relayedSeen = frames;
            noteFrames();
            if (isFirst) {
                forwarder.tracer().reportKernel(kernelRelay);
                forwarder.reportBusy(kernelRelay);
            }
        }
    }

    // The neighbours' counts are compared with what has arrived, which has to be read first.
    private void notePoll() {
        final int polls = loop.polls();
        if (polls != pollsSeen) {
            pollsSeen = polls;
            health.onPolled();
            receiver.reportUnread(health);
        }
    }

    @Override
    public int flush() {
        return senders.flush();
    }

    // Frames that are stuck in the link's queue, or were lost on it, are sent over other links
    // immediately.
    private void onExcluded(final Port port, final int neighbour) {
        final int link = port.link().index();
        senders.discard(link);
        flows.onLinkFailed(link, port.dimension(), neighbour);
    }

    @Override
    public long nextDeadlineNs(final long nowNs) {
        long deadlineNs = Deadline.earlier(flows.nextDeadlineNs(nowNs), export.nextDeadlineNs());
        deadlineNs = Deadline.earlier(deadlineNs, health.nextDeadlineNs(isFirst));
        deadlineNs = Deadline.earlier(deadlineNs, contexts.nextDeadlineNs());
        deadlineNs = Deadline.earlier(deadlineNs, packets.nextDeadlineNs());
        deadlineNs = Deadline.earlier(deadlineNs, forwarder.nextDeadlineNs());
        return Deadline.earlier(deadlineNs, housekeeping.nextDeadlineNs());
    }

    @Override
    public long pauseNs(final long nowNs) {
        if (receiver.hasUnread() || forwarder.hasLoopback()) {
            return 0;
        }
        final long streamNs = pause.streamNs(wakeUps, contexts.taken(), nowNs);
        return hasTrains ? Math.max(streamNs, bulkPauseNs(nowNs)) : streamNs;
    }

    private long bulkPauseNs(final long nowNs) {
        final long frames =
                counters.value(CounterType.FORWARD_RECEIVED_FRAMES) + senders.sentFrames();
        final long sparse = counters.value(CounterType.FORWARD_SPARSE_FRAMES);
        return pause.bulkNs(frames, receivedBytes() + senders.sentBytes(), sparse, nowNs);
    }

    private long receivedBytes() {
        long bytes = 0;
        for (int link = 0; link < senders.all().length; link++) {
            bytes += counters.value(CounterType.LINK_RECEIVED_BYTES, link);
        }
        return bytes;
    }

    @Override
    public boolean prepareToSleep() {
        return !receiver.hasUnread()
                && !forwarder.hasLoopback()
                && !housekeeping.hasNews()
                && packets.prepareToSleep()
                && contexts.prepareToSleep();
    }

    @Override
    public void awake() {
        contexts.awake();
    }

    @Override
    public void stop() {
        housekeeping.beforeStop();
        flush();
        // The loop may continue for other nodes, and the numbers of closed descriptors will be
        // reused.
        receiver.forgetDescriptors();
        senders.forgetDescriptors();
        wakeRegistration.cancel();
        packetRegistration.cancel();
        packets.close();
        contexts.close();
        senders.close();
        forwarder.close();
        export.publish();
        housekeeping.stop();
        share.close();
    }

    Forwarder forwarder() {
        return forwarder;
    }

    FlowLoop flows() {
        return flows;
    }

    LoopReceiver receiver() {
        return receiver;
    }

    LoopSenders senders() {
        return senders;
    }
}
