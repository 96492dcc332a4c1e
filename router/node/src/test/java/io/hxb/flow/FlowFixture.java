package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.frame.EndedFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.link.OutgoingFrame;
import io.hxb.linux.Memory;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * Node 0 of a line with one loop and one open context, a clock that only the test moves, an output
 * that records and an application that records. The test plays the peers.
 */
final class FlowFixture implements FlowOutput, FlowListener, AutoCloseable {
    static final int CONTEXT = 3;
    static final int INCARNATION = 77;
    static final int PEER = 1;

    /** Two hops away. */
    static final int DISTANT_PEER = 11;

    static final int PEER_CONTEXT = 5;
    static final int PEER_INCARNATION = 99;
    static final int FIRST = -2;
    static final long MILLISECOND = 1_000_000;

    final FlowTable table;
    final FlowLoop loop;
    final BufferPool pool;
    final BufferPool.Share share;
    final List<Sent> sent = new ArrayList<>();
    final List<String> done = new ArrayList<>();
    final List<String> peerStatus = new ArrayList<>();
    final List<Delivery> delivered = new ArrayList<>();
    final List<Runnable> heldFrames = new ArrayList<>();
    int peer = PEER;

    /** Epoch and context of what peers send. */
    int epoch;

    int peerContext = PEER_CONTEXT;

    /** That messages are sent from. */
    int context = CONTEXT;

    int nextLink;
    int answer = DELIVERED;
    boolean isFailing;
    boolean isBlocked;
    boolean isLinkSlow;

    /** Sequence of the frame sent last that others may answer. */
    int asked;

    long nowNs = -5;
    private final OutgoingFrame outgoing = new OutgoingFrame();
    private final Arena arena = Arena.ofConfined();
    private final long payload = arena.allocate(16_384, 8).address();

    FlowFixture() {
        this(setup());
    }

    FlowFixture(final FlowSetup setup) {
        this(setup, 0);
    }

    FlowFixture(final FlowSetup setup, final long peerWaitNs) {
        this(setup, peerWaitNs, FlowRights.ALL);
    }

    FlowFixture(final FlowSetup setup, final long peerWaitNs, final FlowRights rights) {
        pool = new BufferPool(arena.allocate(512L * 2_048, 64).address(), 512, 2_048);
        share = pool.newShare();
        final Shape shape = Shape.of(8, 2);
        table = setup.newTable(shape, 0, pool, this);
        loop = new FlowLoop(table, this, share);
        final ContextTerms terms = new ContextTerms(64, false, peerWaitNs, rights);
        loop.openContext(CONTEXT, INCARNATION, terms);
    }

    /** A node opens a flow to the context. */
    void openFrom(final int node) {
        receiveOpen(node, PEER_INCARNATION, 0);
        work(0);
    }

    /** A node sends frames, {@code from} to {@code to} - 1 after the first, one at a time. */
    void receiveAll(final int node, final int from, final int to) {
        for (int i = from; i < to; i++) {
            data(node, FIRST + i);
            work(0);
        }
    }

    /** What was delivered: how far each frame is ahead of the first. */
    List<Integer> ahead() {
        return delivered.stream().map(Delivery::ahead).toList();
    }

    /** Opens the context anew, which is closed. */
    void openContextAgain(final int incarnation) {
        final ContextTerms terms = new ContextTerms(64, false, 0, FlowRights.ALL);
        loop.openContext(CONTEXT, incarnation, terms);
    }

    static FlowSetup setup() {
        return new FlowSetup(
                FlowConfig.DEFAULT.withWindowFrames(128),
                new FlowSizes(1_500, 128, 8, 16, 32),
                FIRST);
    }

    /** Lets time pass and the loop work. */
    void work(final long timeNs) {
        nowNs += timeNs;
        loop.doWork(nowNs);
    }

    /** Does what an agent does: works whenever the loop wants to, for a time. */
    void workFor(final long timeNs) {
        final long endNs = nowNs + timeNs;
        while (endNs - nowNs > 0) {
            final long deadlineNs = loop.nextDeadlineNs(nowNs);
            final long waitNs =
                    deadlineNs == Long.MAX_VALUE ? timeNs : Math.max(1_000, deadlineNs - nowNs);
            work(Math.min(waitNs, endNs - nowNs));
        }
    }

    int submit(final int slot, final int lengthBytes) {
        return submit(slot, lengthBytes, peer);
    }

    int submit(final int slot, final int lengthBytes, final int node) {
        return loop.submit(context, slot, node, PEER_CONTEXT, payloadAddress(), lengthBytes, slot);
    }

    long payloadAddress() {
        return payload;
    }

    /** Sends messages of 1,000 bytes over {@code link}, each in a frame of its own. */
    void sendOn(final int link, final int count) {
        nextLink = link;
        for (int i = 0; i < count; i++) {
            submit(100 + sequences().size() + i, 1_000);
        }
        for (int i = 0; i < 4; i++) {
            work(0);
        }
    }

    /** Opens the flow to the peer with one message in slot 0, which is acknowledged. */
    void open(final int windowFrames) {
        submit(0, 8);
        work(0);
        accept(peer, windowFrames + 1);
        work(10_000);
        ack(FIRST + 1, windowFrames);
        work(100_000);
        sent.clear();
        done.clear();
    }

    void accept(final int node, final int windowFrames) {
        accept(node, windowFrames, 0);
    }

    void accept(final int node, final int windowFrames, final int tenant) {
        acceptOf(PEER_INCARNATION, node, windowFrames, tenant);
    }

    /** The context of that incarnation takes the flow. */
    void acceptOf(final int incarnation, final int node, final int windowFrames, final int tenant) {
        final Sent open = last(FrameType.OPEN);
        final int id = share.acquire();
        header(id, FrameType.ACCEPT, node, incarnation)
                .flags(FrameHeaderFlyweight.FLAG_ACK)
                .sequence(tenant)
                .epoch(open.sequence)
                .acknowledgement(FIRST)
                .windowFrames(windowFrames)
                .acknowledgedEpoch(open.epoch);
        receive(id, 0);
    }

    void ack(final int acknowledgement, final int windowFrames, final int... selected) {
        ack(acknowledgement, windowFrames, 0, selected);
    }

    void ack(
            final int acknowledgement,
            final int windowFrames,
            final int epoch,
            final int[] selected) {
        final int id = share.acquire();
        final FrameHeaderFlyweight header = header(id, FrameType.ACK, peer, PEER_INCARNATION);
        header.flags(FrameHeaderFlyweight.FLAG_ACK)
                .acknowledgement(acknowledgement)
                .windowFrames(windowFrames)
                .acknowledgedEpoch(epoch);
        Memory.fill(header.bodyAddress(), 32, 0);
        for (final int ahead : selected) {
            final long at = header.bodyAddress() + (ahead >> 3);
            Memory.putByte(at, Memory.getUnsignedByte(at) | 1 << (ahead & 7));
        }
        receive(id, 32);
    }

    /** Acknowledges nothing new and reports that the frame {@code ahead} has arrived once more. */
    void ackAgain(final int acknowledgement, final int windowFrames, final int ahead) {
        final int id = share.acquire();
        header(id, FrameType.ACK, peer, PEER_INCARNATION)
                .flags(FrameHeaderFlyweight.FLAG_ACK | FrameHeaderFlyweight.FLAG_AGAIN)
                .acknowledgement(acknowledgement)
                .sequence(FIRST + ahead)
                .windowFrames(windowFrames);
        receive(id, 0);
    }

    void unreachable(final int reason, final int epoch, final int incarnation) {
        final int id = share.acquire();
        deny(id, lastQuestion(epoch), reason, incarnation);
        new FrameHeaderFlyweight().wrap(pool.headerAddress(id)).epoch(epoch);
        receive(id, 0);
    }

    /** Denies a frame that was sent: its context does, or a relay. */
    private void deny(final int id, final Sent denied, final int reason, final int incarnation) {
        final long address = pool.headerAddress(id);
        final long copy = address + FrameHeaderFlyweight.LENGTH;
        denied.copyHeader(copy);
        final UnreachableFlyweight answer = new UnreachableFlyweight().wrap(address);
        if (reason == UnreachableFlyweight.NO_ROUTE || reason == UnreachableFlyweight.HOP_LIMIT) {
            answer.answerOfRelay(copy, reason, denied.node);
        } else {
            answer.answer(copy, reason, incarnation);
        }
        new FrameHeaderFlyweight().wrap(address).source(table.shape().coordinates(PEER));
    }

    /** An answer that denies the last frame of an epoch, except for one byte of its header. */
    void unreachableWithAFlaw(final int reason, final int offset) {
        final int id = share.acquire();
        deny(id, lastQuestion(0), reason, 0);
        final long at = pool.headerAddress(id) + offset;
        Memory.putByte(at, Memory.getUnsignedByte(at) ^ 0x40);
        receive(id, 0);
    }

    /**
     * An ENDED that answers the last request of epoch 0: of what lies before {@code seenTo} all was
     * released.
     */
    FrameHeaderFlyweight ended(final int id, final int seenTo, final boolean isOpenAgain) {
        final Sent asked = lastQuestion(0);
        final FrameHeaderFlyweight header =
                header(id, FrameType.ENDED, peer, PEER_INCARNATION)
                        .sequence(asked.sequence)
                        .acknowledgedEpoch(asked.epoch);
        new EndedFlyweight()
                .wrap(header.address())
                .kind(asked.type, isOpenAgain, false)
                .ends(FIRST, seenTo);
        return header;
    }

    void ended(final int seenTo, final boolean isOpenAgain) {
        final int id = share.acquire();
        ended(id, seenTo, isOpenAgain);
        receive(id, 0);
    }

    /** The same, except for one byte of its header. */
    void endedWithAFlaw(final int offset) {
        final int id = share.acquire();
        final long at = ended(id, FIRST + 1, true).address() + offset;
        Memory.putByte(at, Memory.getUnsignedByte(at) ^ 0x40);
        receive(id, 0);
    }

    /** The last frame of an epoch that is answered when nobody is there for it. */
    private Sent lastQuestion(final int epoch) {
        for (int i = sent.size() - 1; i >= 0; i--) {
            final Sent frame = sent.get(i);
            if (frame.epoch == epoch && frame.isRequest()) {
                return frame;
            }
        }
        return sent.getLast();
    }

    void receiveOpen(final int node, final int incarnation, final int epoch) {
        final int id = share.acquire();
        header(id, FrameType.OPEN, node, incarnation)
                .destinationIncarnation(0)
                .epoch(epoch)
                .sequence(FIRST);
        receive(id, 0);
    }

    /** OPEN from a context of that tenant. */
    void receiveOpenOf(final int tenant) {
        final int id = share.acquire();
        header(id, FrameType.OPEN, PEER, PEER_INCARNATION)
                .destinationIncarnation(0)
                .sequence(FIRST)
                .acknowledgement(tenant);
        receive(id, 0);
    }

    /** The peer has forgotten the flow. */
    void closed(final Sent close) {
        final int id = share.acquire();
        header(id, FrameType.CLOSED, peer, PEER_INCARNATION)
                .sequence(close.sequence)
                .acknowledgedEpoch(close.epoch);
        receive(id, 0);
    }

    void receiveProbe(final int node, final int sequence, final int wantedFrames) {
        final int id = share.acquire();
        header(id, FrameType.PROBE, node, PEER_INCARNATION)
                .sequence(sequence)
                .windowFrames(wantedFrames);
        receive(id, 0);
    }

    void data(final int node, final int sequence) {
        data(node, sequence, 0, PEER_INCARNATION, INCARNATION);
    }

    void data(
            final int node,
            final int sequence,
            final int flags,
            final int incarnation,
            final int toIncarnation) {
        final int id = share.acquire();
        final FrameHeaderFlyweight header = header(id, FrameType.DATA, node, incarnation);
        header.destinationIncarnation(toIncarnation)
                .flags(flags)
                .epoch(epoch)
                .sequence(sequence)
                .messageCount(1);
        Memory.putLong(header.bodyAddress(), 8);
        Memory.putLong(header.bodyAddress() + 8, sequence);
        receive(id, 16);
    }

    void release(final Delivery delivery) {
        loop.released(delivery.handle, delivery.bufferId);
    }

    /** The link gives back every frame it holds. */
    void releaseLink() {
        heldFrames.forEach(Runnable::run);
        heldFrames.clear();
    }

    List<Sent> sent(final int type) {
        return sent.stream().filter(frame -> frame.type == type).toList();
    }

    Sent last(final int type) {
        return sent(type).getLast();
    }

    List<Integer> sequences() {
        return sent(FrameType.DATA).stream().map(frame -> frame.sequence - FIRST).toList();
    }

    @Override
    public OutgoingFrame outgoing() {
        return outgoing;
    }

    @Override
    public int send(final OutgoingFrame frame) {
        if (isBlocked || nextLink < 0) {
            return isBlocked ? BLOCKED : nextLink;
        }
        sent.add(
                new Sent(
                        frame.headerAddress(), frame.payloadAddress(), frame.payloadLengthBytes()));
        final int type = sent.getLast().type;
        if (type == FrameType.OPEN || type == FrameType.DATA || type == FrameType.PROBE) {
            asked = sent.getLast().sequence;
        }
        if (isLinkSlow) {
            final FrameOwner owner = frame.owner();
            final long token = frame.token();
            heldFrames.add(() -> owner.release(token));
        } else {
            frame.release();
        }
        return nextLink;
    }

    @Override
    public void flush() {}

    @Override
    public int onFrame(
            final FlowEndpoints ends,
            final int bufferId,
            final long bodyAddress,
            final int bodyLengthBytes,
            final int messageCount) {
        if (isFailing) {
            throw new IllegalStateException("as a defect would");
        }
        if (answer != FULL) {
            final int sequence = (int) Memory.getLong(bodyAddress + 8);
            delivered.add(
                    new Delivery(ends.sourceNode(), sequence - FIRST, ends.flowHandle(), bufferId));
        }
        return answer;
    }

    @Override
    public void onRunDone(
            final int contextId, final int firstSlot, final int messages, final int status) {
        done.add(firstSlot + "+" + messages + ":" + status);
    }

    @Override
    public void onSendDone(final int contextId, final int sendSlot, final int status) {
        done.add(sendSlot + ":" + status);
    }

    @Override
    public void onPeerStatus(
            final int contextId, final int peerNode, final int peerContext, final int status) {
        peerStatus.add(peerNode + ":" + status);
    }

    @Override
    public void close() {
        table.close();
        arena.close();
    }

    private FrameHeaderFlyweight header(
            final int id, final int type, final int node, final int incarnation) {
        return new FrameHeaderFlyweight()
                .wrap(pool.headerAddress(id))
                .clear()
                .type(type)
                .source(table.shape().coordinates(node))
                .sourceIncarnation(incarnation)
                .destinationIncarnation(INCARNATION)
                .sourceContext(peerContext)
                .destinationContext(context);
    }

    private void receive(final int id, final int bodyBytes) {
        final long address = pool.headerAddress(id);
        new FrameHeaderFlyweight().wrap(address).bodyLength(bodyBytes);
        loop.onFrame(address, FrameHeaderFlyweight.LENGTH + bodyBytes, id);
    }

    /** A frame handed over by the flows. */
    static final class Delivery {
        final int node;

        /** Sequence counted from the first. */
        final int ahead;

        final int handle;
        final int bufferId;

        Delivery(final int node, final int ahead, final int handle, final int bufferId) {
            this.node = node;
            this.ahead = ahead;
            this.handle = handle;
            this.bufferId = bufferId;
        }

        int ahead() {
            return ahead;
        }
    }

    /** A frame that went out. */
    static final class Sent {
        final int type;
        final int flags;
        final int sequence;
        final int acknowledgement;
        final int windowFrames;
        final int epoch;
        final int node;
        final int messageCount;
        final int firstLength;
        final int reason;
        final long bits;
        final long payloadAddress;
        private final byte[] headerBytes =
                new byte[FrameHeaderFlyweight.LENGTH + EndedFlyweight.MAX_RUNS * 8];

        Sent(final long address, final long payloadAddress, final int payloadLengthBytes) {
            final FrameHeaderFlyweight header = new FrameHeaderFlyweight().wrap(address);
            type = header.type();
            final int bytes =
                    FrameHeaderFlyweight.LENGTH
                            + (type == FrameType.ENDED ? header.bodyLength() : 0);
            for (int i = 0; i < bytes; i++) {
                headerBytes[i] = Memory.getByte(address + i);
            }
            flags = header.flags();
            sequence = header.sequence();
            acknowledgement = header.acknowledgement();
            windowFrames = header.windowFrames();
            epoch = header.epoch();
            node = (int) header.destination();
            messageCount = header.messageCount();
            firstLength =
                    type == FrameType.DATA
                            ? new MessageRecordFlyweight()
                                    .wrap(header.bodyAddress())
                                    .payloadLength()
                            : 0;
            reason =
                    type == FrameType.UNREACHABLE
                            ? new UnreachableFlyweight().wrap(address).reason()
                            : 0;
            bits = type == FrameType.ACK ? Memory.getLong(header.bodyAddress()) : 0;
            this.payloadAddress = payloadLengthBytes > 0 ? payloadAddress : 0;
        }

        boolean has(final int flag) {
            return (flags & flag) != 0;
        }

        /** True for the types whose sender is notified when nobody is there. */
        boolean isRequest() {
            return type == FrameType.DATA || type == FrameType.OPEN || type == FrameType.PROBE;
        }

        /** Its body, if it is one of that type. */
        EndedFlyweight ended() {
            final long copy = Arena.global().allocate(headerBytes.length, 8).address();
            copy(copy, headerBytes.length);
            return new EndedFlyweight().wrap(copy);
        }

        void copyHeader(final long to) {
            copy(to, FrameHeaderFlyweight.LENGTH);
        }

        private void copy(final long to, final int bytes) {
            for (int i = 0; i < bytes; i++) {
                Memory.putByte(to + i, headerBytes[i]);
            }
        }
    }
}
