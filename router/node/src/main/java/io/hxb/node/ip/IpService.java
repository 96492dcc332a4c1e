package io.hxb.node.ip;

import io.hxb.context.ContextPolling;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.ContextKind;
import io.hxb.flow.ContextTerms;
import io.hxb.flow.FlowPort;
import io.hxb.linux.Errno;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.tap.IpPlan;
import io.hxb.tap.PacketAddresses;
import io.hxb.tap.PacketDevice;
import io.hxb.tap.TapDevice;
import io.hxb.tap.VirtioHeader;
import io.hxb.time.TokenBucket;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Carries what this machine sends by its virtual NIC to other nodes: reads packets straight into
 * the memory that they are sent from, and hands each to a flow of its node when that has little
 * waiting, so that packets wait here, where they can be marked or dropped. There are two flows to a
 * node, so that connections with few and short packets do not wait for what the others have handed
 * over. A node that is slow, stopped or gone holds up packets for itself alone. Owned by one loop;
 * allocates when a node is sent to for the first time, and then nothing.
 */
public final class IpService implements ContextPolling {
    /** The end of flows with packets of all kinds of connections. */
    static final int BULK_END = ContextKind.end(ContextKind.PACKETS, ContextKind.BULK_PACKETS);

    /** The end of flows with packets of connections that have few and short ones. */
    static final int SHORT_END = ContextKind.end(ContextKind.PACKETS, ContextKind.SHORT_PACKETS);

    private static final Logger LOGGER = LoggerFactory.getLogger(IpService.class);
    private static final int LARGE_SLOTS = 256;
    private static final int SMALL_SLOTS = 2_048;

    /** Frames that other nodes may have on the way to this one, to each end. */
    private static final int BULK_QUOTA_FRAMES = 2_048;

    private static final int SHORT_QUOTA_FRAMES = 1_024;

    private static final int PACKETS_PER_TURN = 64;
    private static final int BYTES_PER_TURN = 1 << 20;

    /** Answers that a node is unreachable, a second, and at once. Source: RFC 1812, 4.3.2.8. */
    private static final int ANSWERS_PER_SECOND = 100;

    private static final int ANSWERS_AT_ONCE = 50;

    private static final int ANSWER_BYTES = VirtioHeader.LENGTH + IpPlan.UNREACHABLE_LENGTH;

    /** How long packets for a node are dropped that does not take them. */
    private static final long SILENCE_NS = 100_000_000;

    private static final int CHECKS_PER_REPAIR = 4;
    private static final long MAX_CHECK_NS = 20_000_000;

    private final Arena arena = Arena.ofShared();
    private final PacketDevice device;
    private final PacketAddresses addresses;
    private final IpSetup setup;
    private final PacketReceiver receiver;
    private final PacketSlots slots = new PacketSlots(arena, LARGE_SLOTS, SMALL_SLOTS);
    private final PeerQueues[] peers;
    private final List<PeerQueues> known = new ArrayList<>();
    private final ArrayDeque<PeerQueues> active;
    private final PeerTenants tenants;
    private final Broadcasts broadcasts;
    private final long answer = arena.allocate(ANSWER_BYTES, Long.BYTES).address();
    private final TokenBucket answers =
            new TokenBucket(ANSWERS_AT_ONCE, 1_000_000_000L / ANSWERS_PER_SECOND);
    private CounterBlock counters;
    private FlowPort port;
    private int landing;
    private boolean isReadable = true;
    private boolean isGone;
    private boolean isClosed;
    private long checkNs;
    private long nowNs;

    private final class Copies implements Broadcasts.Copier {
        @Override
        public boolean copy(
                final int node,
                final long packet,
                final int lengthBytes,
                final int hash,
                final int tag) {
            final PeerQueues peer = peer(node);
            final PacketQueue queue = peer.connection(hash, lengthBytes, nowNs);
            if (!mayQueue(peer, queue, packet, lengthBytes)) {
                return false;
            }
            final boolean isLarge = lengthBytes > PacketSlots.SMALL_BYTES;
            int slot = PacketSlots.NONE;
            if (peer.hasRoom(isLarge)) {
                slot = isLarge ? slots.takeLarge() : slots.takeSmall();
            }
            if (slot == PacketSlots.NONE) {
                counters.increment(CounterType.IP_DROPPED_FULL_PACKETS);
                return false;
            }
            Memory.copy(packet, slots.address(slot), lengthBytes);
            slots.put(slot, lengthBytes, node, queue.number, tag);
            enqueue(peer, queue, slot);
            return true;
        }

        @Override
        public boolean isFailing(final int node) {
            return peers[node] != null && peers[node].presence.isFailing();
        }
    }

    /**
     * Makes the service of a node that has not started.
     *
     * @param device of the node; the caller closes it, after this.
     * @param addresses of the cluster.
     */
    public IpService(
            final PacketDevice device, final PacketAddresses addresses, final IpSetup setup) {
        this.device = device;
        this.addresses = addresses;
        this.setup = setup;
        final int nodeCount = setup.shape().nodeCount();
        tenants = new PeerTenants(nodeCount, setup.rights().tenant());
        broadcasts = new Broadcasts(setup, tenants, new Copies(), arena);
        receiver = new PacketReceiver(device, addresses, broadcasts, setup.incarnation());
        peers = new PeerQueues[nodeCount];
        active = new ArrayDeque<>(nodeCount + 1);
        landing = slots.takeLarge();
    }

    /** Takes what flows deliver. */
    PacketReceiver receiver() {
        return receiver;
    }

    /**
     * Begins: opens the ends of flows. Called once, before the loop runs.
     *
     * @param flows of the loop that drives this.
     * @param itsCounters of that loop.
     * @param neighbours what the node knows of them.
     * @param wakeUp lets that loop run; called by any.
     */
    public void start(
            final FlowPort flows,
            final CounterBlock itsCounters,
            final Neighbours neighbours,
            final Runnable wakeUp) {
        port = flows;
        counters = itsCounters;
        broadcasts.start(itsCounters, neighbours, wakeUp);
        receiver.start(itsCounters);
        open(BULK_END, BULK_QUOTA_FRAMES);
        open(SHORT_END, SHORT_QUOTA_FRAMES);
    }

    private void open(final int end, final int quotaFrames) {
        port.openContext(
                end,
                setup.incarnation(),
                new ContextTerms(
                        quotaFrames, true, 0, new PacketRights(end, setup.rights(), tenants)));
    }

    @Override
    public int doWork(final long timeNs) {
        nowNs = timeNs;
        int work = receiver.giveBack(port);
        work += read();
        work += broadcasts.passOn(timeNs);
        work += feed();
        if (checkNs - timeNs <= 0) {
            check();
        }
        return work;
    }

    private int read() {
        isReadable |= receiver.takeWritten() || device.descriptor() < 0;
        if (!isReadable || isGone) {
            return 0;
        }
        int packets = 0;
        int bytes = 0;
        while (packets < PACKETS_PER_TURN && bytes < BYTES_PER_TURN) {
            final int lengthBytes = device.read(slots.address(landing), TapDevice.MAX_FRAME_LENGTH);
            if (lengthBytes <= 0) {
                isReadable = false;
                onUnread(lengthBytes);
                break;
            }
            packets++;
            bytes += lengthBytes;
            onPacket(lengthBytes);
        }
        return packets;
    }

    private void onUnread(final int result) {
        if (result < 0 && result != -Errno.EINTR && result != -Errno.ENOMEM && !isGone) {
            isGone = true;
            LOGGER.warn(
                    "the virtual NIC of node {} cannot be read any more ({}): packets are"
                            + " not carried until the node is restarted",
                    setup.node(),
                    Errno.describe(-result));
        }
    }

    private void onPacket(final int lengthBytes) {
        final long packet = slots.address(landing);
        final long frame = packet + VirtioHeader.LENGTH;
        final int frameBytes = lengthBytes - VirtioHeader.LENGTH;
        final int destination = addresses.destination(frame, frameBytes);
        if (destination == PacketAddresses.LOCAL_REPLY) {
            answer(packet);
        } else if (destination == PacketAddresses.BROADCAST) {
            broadcasts.sendToAll(packet, lengthBytes, nowNs);
        } else if (destination < 0 || destination >= peers.length || destination == setup.node()) {
            counters.increment(CounterType.IP_DROPPED_ADDRESS_PACKETS);
        } else {
            send(destination, lengthBytes);
        }
    }

    private void answer(final long packet) {
        final int bytes = addresses.reply(packet + VirtioHeader.LENGTH);
        VirtioHeader.clear(packet);
        device.write(packet, VirtioHeader.LENGTH + bytes);
        counters.increment(CounterType.IP_ANSWERED_PACKETS);
        isReadable = true;
    }

    /** Sends what lies in the landing slot, which another one replaces unless it is short. */
    private void send(final int node, final int lengthBytes) {
        final PeerQueues peer = peer(node);
        final PacketQueue queue = peer.connection(landedHash(lengthBytes), lengthBytes, nowNs);
        final int slot =
                mayQueue(peer, queue, slots.address(landing), lengthBytes)
                        ? takeLanded(peer, lengthBytes)
                        : PacketSlots.NONE;
        if (slot != PacketSlots.NONE) {
            slots.put(slot, lengthBytes, node, queue.number, patience(slot, lengthBytes));
            enqueue(peer, queue, slot);
        }
    }

    private int landedHash(final int lengthBytes) {
        final long frame = slots.address(landing) + VirtioHeader.LENGTH;
        return PacketHeaders.hash(frame, lengthBytes - VirtioHeader.LENGTH);
    }

    private boolean mayQueue(
            final PeerQueues peer,
            final PacketQueue queue,
            final long packet,
            final int lengthBytes) {
        if (lengthBytes > setup.messageBytes()) {
            counters.increment(CounterType.IP_DROPPED_LENGTH_PACKETS);
            return false;
        }
        if (queue.flow().isSilent(nowNs)) {
            onUnreachable(peer, packet, lengthBytes);
            return false;
        }
        return true;
    }

    private int takeLanded(final PeerQueues peer, final int lengthBytes) {
        if (lengthBytes <= PacketSlots.SMALL_BYTES && peer.hasRoom(false)) {
            return copyLanded(slots.takeSmall(), lengthBytes);
        }
        final int replacement = peer.hasRoom(true) ? slots.takeLarge() : PacketSlots.NONE;
        if (replacement == PacketSlots.NONE) {
            counters.increment(CounterType.IP_DROPPED_FULL_PACKETS);
            return PacketSlots.NONE;
        }
        final int slot = landing;
        landing = replacement;
        return slot;
    }

    private int copyLanded(final int slot, final int lengthBytes) {
        Memory.copy(slots.address(landing), slots.address(slot), lengthBytes);
        return slot;
    }

    private void enqueue(final PeerQueues peer, final PacketQueue queue, final int slot) {
        peer.add(queue, slot, nowNs);
        if (!peer.isActive()) {
            peer.activate(true);
            active.add(peer);
        }
    }

    /** A packet is dropped because its node did not take it: the machine may be told. */
    private void onUnreachable(final PeerQueues peer, final long packet, final int lengthBytes) {
        counters.increment(CounterType.IP_DROPPED_UNREACHABLE_PACKETS);
        if (!peer.presence.isGone(nowNs) || !answers.has(nowNs, 1)) {
            return;
        }
        final int bytes =
                addresses.unreachable(
                        packet + VirtioHeader.LENGTH,
                        lengthBytes - VirtioHeader.LENGTH,
                        peer.node,
                        answer + VirtioHeader.LENGTH);
        if (bytes > 0) {
            answers.take(nowNs);
            VirtioHeader.clear(answer);
            device.write(answer, VirtioHeader.LENGTH + bytes);
            counters.increment(CounterType.IP_UNREACHABLE_PACKETS);
            isReadable = true;
        }
    }

    private PeerQueues peer(final int node) {
        PeerQueues peer = peers[node];
        if (peer == null) {
            peer = new PeerQueues(node, slots, counters);
            peers[node] = peer;
            known.add(peer);
        }
        return peer;
    }

    /** Hands packets to the flows that have little waiting. */
    private int feed() {
        int packets = 0;
        for (int left = active.size(); left > 0; left--) {
            final PeerQueues peer = active.poll();
            packets += feed(peer);
            if (peer.hasWaiting()) {
                active.add(peer);
            } else {
                peer.activate(false);
            }
        }
        return packets;
    }

    private int feed(final PeerQueues peer) {
        peer.resumeChanging(nowNs);
        int packets = feed(peer, peer.shortFlow) + feed(peer, peer.bulkFlow);
        if (peer.takeChanged()) {
            packets += feed(peer, peer.shortFlow) + feed(peer, peer.bulkFlow);
        }
        return packets;
    }

    private int feed(final PeerQueues peer, final PacketFlow flow) {
        final boolean isShort = flow.end == SHORT_END;
        int packets = 0;
        long waitingBytes = port.waitingBytes(flow.end, peer.node, flow.end);
        while (waitingBytes < flow.maxWaitingBytes && packets < PACKETS_PER_TURN) {
            final int slot = peer.poll(flow, nowNs);
            if (slot == PacketSlots.NONE) {
                break;
            }
            packets++;
            final int lengthBytes = slots.lengthBytes(slot);
            waitingBytes += lengthBytes;
            counters.increment(CounterType.IP_SENT_PACKETS);
            counters.add(CounterType.IP_SENT_SHORT_PACKETS, isShort ? 1 : 0);
            counters.add(CounterType.IP_SENT_BYTES, lengthBytes - VirtioHeader.LENGTH);
            peer.onSubmitted(flow, slot, nowNs);
            port.submitOrReport(
                    flow.end,
                    slot,
                    peer.node,
                    flow.end,
                    slots.address(slot),
                    lengthBytes,
                    slots.tag(slot));
        }
        return packets;
    }

    private int patience(final int slot, final int lengthBytes) {
        return PacketHeaders.isAcknowledgement(
                        slots.address(slot) + VirtioHeader.LENGTH,
                        lengthBytes - VirtioHeader.LENGTH)
                ? ContextKind.PATIENT_PACKET
                : 0;
    }

    /** A packet has arrived at its node's NIC, or its flow ended; as FlowListener.onSendDone. */
    void onSendDone(final int end, final int slot, final int status) {
        final PeerQueues peer = peers[slots.node(slot)];
        final long sentNs = slots.timeNs(slot);
        final PacketFlow flow = peer.onDone(end, slot, status == PmStatus.OK);
        if (status == PmStatus.OK) {
            peer.presence.onArrived();
            return;
        }
        peer.presence.onFailed(status, sentNs, nowNs);
        // Its slot is free, and not in use yet.
        onUnreachable(peer, slots.address(slot), slots.lengthBytes(slot));
        if (status == PmStatus.NO_SUCH_CONTEXT
                || status == PmStatus.NOT_ALLOWED
                || status == PmStatus.PEER_FULL
                || status == PmStatus.FLOW_LIMIT) {
            flow.silence(nowNs + SILENCE_NS);
        }
    }

    /** Gives up what a node has not taken in time. */
    private void check() {
        checkNs = nowNs + Math.min(MAX_CHECK_NS, setup.repairNs() / CHECKS_PER_REPAIR);
        for (int i = 0; i < known.size(); i++) {
            final PeerQueues peer = known.get(i);
            if (peer.hasWaiting()) {
                counters.add(
                        CounterType.IP_DROPPED_UNREACHABLE_PACKETS,
                        peer.dropOld(setup.repairNs(), nowNs));
            }
            endIfStuck(peer.node, peer.shortFlow);
            endIfStuck(peer.node, peer.bulkFlow);
        }
    }

    private void endIfStuck(final int node, final PacketFlow flow) {
        if (flow.isStuck(setup.repairNs(), nowNs)) {
            counters.increment(CounterType.IP_GAPS_EVENTS);
            port.endFlow(flow.end, node, flow.end);
        }
    }

    /** Slots in use, without the one that the next packet is read into. */
    public int usedSlots() {
        return slots.used() - 1;
    }

    @Override
    public long taken() {
        return 0;
    }

    @Override
    public long nextDeadlineNs() {
        return usedSlots() > 0 ? checkNs : NEVER;
    }

    @Override
    public boolean prepareToSleep() {
        return (!isReadable || isGone) && !receiver.hasWork() && !broadcasts.hasWork();
    }

    @Override
    public void awake() {}

    @Override
    public int wakeDescriptor() {
        return isGone ? -1 : device.descriptor();
    }

    /** The device can be read. */
    @Override
    public void clearWake() {
        isReadable = true;
    }

    /** Ends the flows, when the loop stops; {@link #free} follows. */
    @Override
    public void close() {
        if (isClosed || port == null) {
            return;
        }
        isClosed = true;
        receiver.close();
        receiver.giveBack(port);
        port.closeContext(SHORT_END);
        port.closeContext(BULK_END);
        for (final PeerQueues peer : known) {
            peer.clear();
        }
    }

    /** Gives the memory back, once no link holds frames any more. */
    public void free() {
        arena.close();
    }
}
