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
 * the memory that they are sent from, and hands each to the flow of its node when that has little
 * waiting, so that packets wait here, where they can be marked or dropped. A node that is slow,
 * stopped or gone holds up packets for itself alone. Owned by one loop; allocates when a node is
 * sent to for the first time, and then nothing.
 */
public final class IpService implements ContextPolling {
    /** The end of flows with packets. */
    static final int END = ContextKind.end(ContextKind.PACKETS, 0);

    private static final Logger LOGGER = LoggerFactory.getLogger(IpService.class);
    private static final int LARGE_SLOTS = 256;
    private static final int SMALL_SLOTS = 2_048;

    /** Frames that other nodes may have on the way to this one. */
    private static final int QUOTA_FRAMES = 2_048;

    private static final int PACKETS_PER_TURN = 64;
    private static final int BYTES_PER_TURN = 1 << 20;

    /** What a flow may have waiting: enough that a turn of it does not run short. */
    private static final int FLOW_BYTES = 256 << 10;

    /** Packets to all nodes, a second, and at once. */
    private static final int COPIED_PER_SECOND = 1_000;

    private static final int COPIED_AT_ONCE = 100;

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
    private final TokenBucket copies =
            new TokenBucket(COPIED_AT_ONCE, 1_000_000_000L / COPIED_PER_SECOND);
    private CounterBlock counters;
    private FlowPort port;
    private int landing;
    private boolean isReadable = true;
    private boolean isGone;
    private boolean isClosed;
    private long checkNs;
    private long nowNs;

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
        receiver = new PacketReceiver(device, addresses, setup.incarnation());
        peers = new PeerQueues[setup.nodeCount()];
        active = new ArrayDeque<>(setup.nodeCount() + 1);
        landing = slots.takeLarge();
    }

    /** Takes what flows deliver. */
    PacketReceiver receiver() {
        return receiver;
    }

    /**
     * Begins: opens the end of flows. Called once, before the loop runs.
     *
     * @param flows of the loop that drives this.
     * @param itsCounters of that loop.
     */
    public void start(final FlowPort flows, final CounterBlock itsCounters) {
        port = flows;
        counters = itsCounters;
        receiver.start(itsCounters);
        flows.openContext(
                END,
                setup.incarnation(),
                new ContextTerms(QUOTA_FRAMES, true, 0, new PacketRights()));
    }

    @Override
    public int doWork(final long timeNs) {
        nowNs = timeNs;
        int work = receiver.giveBack(port);
        work += read();
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
            copyToAll(lengthBytes);
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
        final int slot = mayQueue(peer, lengthBytes) ? takeLanded(peer, lengthBytes) : -1;
        if (slot >= 0) {
            enqueue(peer, slot, lengthBytes);
        }
    }

    private boolean mayQueue(final PeerQueues peer, final int lengthBytes) {
        if (lengthBytes > setup.messageBytes()) {
            counters.increment(CounterType.IP_DROPPED_LENGTH_PACKETS);
            return false;
        }
        if (peer.isSilent(nowNs)) {
            counters.increment(CounterType.IP_DROPPED_UNREACHABLE_PACKETS);
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

    private void enqueue(final PeerQueues peer, final int slot, final int lengthBytes) {
        slots.put(slot, lengthBytes, peer.node);
        peer.add(slot, nowNs);
        if (!peer.isActive()) {
            peer.activate(true);
            active.add(peer);
        }
    }

    private void copyToAll(final int lengthBytes) {
        if (!copies.take(nowNs)) {
            counters.increment(CounterType.IP_DROPPED_RATE_PACKETS);
            return;
        }
        for (int node = 0; node < peers.length; node++) {
            if (node == setup.node()) {
                continue;
            }
            final PeerQueues peer = peer(node);
            if (!mayQueue(peer, lengthBytes)) {
                continue;
            }
            final boolean isLarge = lengthBytes > PacketSlots.SMALL_BYTES;
            int slot = PacketSlots.NONE;
            if (peer.hasRoom(isLarge)) {
                slot = isLarge ? slots.takeLarge() : slots.takeSmall();
            }
            if (slot == PacketSlots.NONE) {
                counters.increment(CounterType.IP_DROPPED_FULL_PACKETS);
            } else {
                enqueue(peer, copyLanded(slot, lengthBytes), lengthBytes);
            }
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
        int packets = 0;
        long waitingBytes = port.waitingBytes(END, peer.node, END);
        while (waitingBytes < FLOW_BYTES && packets < PACKETS_PER_TURN) {
            final int slot = peer.poll(nowNs);
            if (slot == PacketSlots.NONE) {
                break;
            }
            packets++;
            final int lengthBytes = slots.lengthBytes(slot);
            waitingBytes += lengthBytes;
            counters.increment(CounterType.IP_SENT_PACKETS);
            counters.add(CounterType.IP_SENT_BYTES, lengthBytes - VirtioHeader.LENGTH);
            peer.onSubmitted(slot, nowNs);
            port.submitOrReport(END, slot, peer.node, END, slots.address(slot), lengthBytes, 0);
        }
        return packets;
    }

    /** A packet has arrived at its node's NIC, or its flow ended; as FlowListener.onSendDone. */
    void onSendDone(final int slot, final int status) {
        final PeerQueues peer = peers[slots.node(slot)];
        peer.onDone(slot);
        if (status == PmStatus.OK) {
            return;
        }
        counters.increment(CounterType.IP_DROPPED_UNREACHABLE_PACKETS);
        if (status == PmStatus.NO_SUCH_CONTEXT
                || status == PmStatus.NOT_ALLOWED
                || status == PmStatus.PEER_FULL
                || status == PmStatus.FLOW_LIMIT) {
            peer.silence(nowNs + SILENCE_NS);
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
            if (peer.isStuck(setup.repairNs(), nowNs)) {
                counters.increment(CounterType.IP_GAPS_EVENTS);
                port.endFlow(END, peer.node, END);
            }
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
        return (!isReadable || isGone) && !receiver.hasWork();
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
        port.closeContext(END);
        for (final PeerQueues peer : known) {
            peer.clear();
        }
    }

    /** Gives the memory back, once no link holds frames any more. */
    public void free() {
        arena.close();
    }
}
