package io.hxb.flow;

import io.hxb.counter.CounterBlock;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.link.sim.SimNetwork;
import io.hxb.link.sim.SimSegment;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A node of the simulation: flows straight on links, all nodes on one line, no forwarding. */
final class SimNode implements FlowListener {
    final int id;
    final FlowTable table;
    final BufferPool pool;
    final List<FlowLoop> loops = new ArrayList<>();
    final Map<Integer, SimContext> contexts = new HashMap<>();
    private final List<BufferPool.Share> shares = new ArrayList<>();
    private final List<SimLink> links = new ArrayList<>();
    private final List<Output> outputs = new ArrayList<>();

    SimNode(
            final int id,
            final FlowSetup setup,
            final Shape shape,
            final SimNetwork network,
            final List<SimSegment> segments,
            final int loopCount,
            final int buffers,
            final Arena arena) {
        this.id = id;
        final int bufferBytes = (setup.mtuBytes() + 64 + 63) & -64;
        pool =
                new BufferPool(
                        arena.allocate((long) buffers * bufferBytes, 64).address(),
                        buffers,
                        bufferBytes);
        table = setup.newTable(shape, shape.coordinates(id), pool, this);
        for (int index = 0; index < loopCount; index++) {
            final BufferPool.Share share = pool.newShare();
            final Output output = new Output(shape.coordinates(id), share);
            shares.add(share);
            outputs.add(output);
            loops.add(new FlowLoop(table, output, share));
            output.loop = loops.get(index);
        }
        for (int index = 0; index < segments.size(); index++) {
            final SimLink link =
                    network.newLink(
                            segments.get(index),
                            index,
                            id,
                            setup.mtuBytes(),
                            shares.get(index % loopCount));
            links.add(link);
            outputs.forEach(output -> output.senders.add(link.newSender(16)));
        }
    }

    BufferPool.Share share(final FlowLoop loop) {
        return shares.get(loops.indexOf(loop));
    }

    List<SimLink> links() {
        return links;
    }

    /** One wake-up of every loop. */
    int work(final long nowNs) {
        int work = 0;
        for (int index = 0; index < links.size(); index++) {
            final FlowLoop loop = loops.get(index % loops.size());
            final int frames =
                    links.get(index)
                            .receive(
                                    0,
                                    (link, owner, token, header, length, source, tci) ->
                                            loop.onFrame(header, length, (int) token),
                                    64);
            work += Math.max(0, frames);
        }
        for (int index = 0; index < loops.size(); index++) {
            final Output output = outputs.get(index);
            if (output.wasBlocked && output.senders.stream().anyMatch(s -> !s.isBlocked())) {
                output.wasBlocked = false;
                loops.get(index).onLinkWritable();
            }
            work += loops.get(index).doWork(nowNs);
            output.flush();
        }
        return work;
    }

    long nextDeadlineNs(final long nowNs) {
        long afterNs = Long.MAX_VALUE;
        for (final FlowLoop loop : loops) {
            final long deadlineNs = loop.nextDeadlineNs(nowNs);
            if (deadlineNs != Long.MAX_VALUE) {
                afterNs = Math.min(afterNs, deadlineNs - nowNs);
            }
        }
        return afterNs == Long.MAX_VALUE ? Long.MAX_VALUE : nowNs + afterNs;
    }

    CounterBlock counters() {
        return loops.getFirst().counters();
    }

    int framesInUse() {
        return loops.stream().mapToInt(FlowLoop::framesInUse).sum();
    }

    void closeShares() {
        shares.forEach(BufferPool.Share::close);
    }

    void closeLinks() {
        outputs.forEach(output -> output.senders.forEach(LinkSender::close));
        links.forEach(SimLink::close);
    }

    @Override
    public int onFrame(
            final FlowEndpoints ends,
            final int bufferId,
            final long bodyAddress,
            final int bodyLengthBytes,
            final int messageCount) {
        return contexts.get(ends.contextId())
                .onFrame(ends, bufferId, bodyAddress, bodyLengthBytes, messageCount);
    }

    @Override
    public void onRunDone(
            final int contextId, final int firstSlot, final int messages, final int status) {
        contexts.get(contextId).onRunDone(firstSlot, messages, status);
    }

    @Override
    public void onSendDone(final int contextId, final int sendSlot, final int status) {
        contexts.get(contextId).onSendDone(sendSlot, status);
    }

    @Override
    public void onPeerStatus(
            final int contextId, final int peerNode, final int peerContext, final int status) {
        contexts.get(contextId).onPeerStatus(peerNode, peerContext, status);
    }

    /** Deals frames round robin to the links of the one line; loops back what is for itself. */
    private final class Output implements FlowOutput {
        private final long coordinates;
        private final BufferPool.Share share;
        private final List<LinkSender> senders = new ArrayList<>();
        private final OutgoingFrame outgoing = new OutgoingFrame();
        private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
        private FlowLoop loop;
        private int turn;
        private boolean wasBlocked;

        private Output(final long coordinates, final BufferPool.Share share) {
            this.coordinates = coordinates;
            this.share = share;
        }

        @Override
        public OutgoingFrame outgoing() {
            return outgoing;
        }

        @Override
        public int send(final OutgoingFrame frame) {
            final long to = header.wrap(frame.headerAddress()).source(coordinates).destination();
            if (to == coordinates) {
                return loopBack(frame);
            }
            for (int tries = 0; tries < senders.size(); tries++) {
                final int link = turn++ % senders.size();
                if (senders.get(link).offer((int) to, frame)) {
                    return link;
                }
            }
            wasBlocked = true;
            return BLOCKED;
        }

        @Override
        public void flush() {
            senders.forEach(LinkSender::flush);
        }

        private int loopBack(final OutgoingFrame frame) {
            final int id = share.acquire();
            if (id == BufferPool.NONE) {
                return BLOCKED;
            }
            final long copy = pool.headerAddress(id);
            final int lengthBytes = frame.lengthBytes();
            frame.copyTo(copy);
            frame.release();
            loop.onFrame(copy, lengthBytes, id);
            return Integer.MAX_VALUE;
        }
    }

    static SimFaults noFaults() {
        return SimFaults.NONE;
    }
}
