package io.hxb.flow;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.pm.shm.ShortRing;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.ObjIntConsumer;

/** An application in the simulation: sends numbered messages, checks those it gets. */
final class SimContext {
    static final int SLOTS = 64;
    private static final int HEADER_BYTES = 24;
    private static final long NOWHERE = -1;

    final SimNode node;
    final int id;
    final int incarnation;
    final FlowLoop loop;
    final Map<Integer, Integer> statusCounts = new HashMap<>();
    final Map<Long, Integer> peerStatus = new HashMap<>();

    /** Frames it takes before it is full; 0 while it sleeps. */
    int capacityFrames = 64;

    long received;
    long submitted;
    long done;
    long staged;

    /** Messages that never came though later ones of their source did. */
    long gaps;

    /** Of these, those that this node had acknowledged before their flow ended. */
    long acknowledgedGaps;

    /** A stream did not start with its first message, as when this context opened later. */
    boolean lateStart;

    boolean isOpen = true;

    /** Reported ends of flows. */
    int peerEvents;

    /** What is called for each message that is done, with its number and status. */
    ObjIntConsumer<Long> onDone = (number, status) -> {};

    /** What is called for each message that arrives, with its stream and number. */
    MessageListener onMessage = (stream, number) -> {};

    private final SplittableRandom random;
    private final long memory;
    private final int slotBytes;
    private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
    private final boolean[] inUse = new boolean[SLOTS];
    private final int[] following = new int[SLOTS];
    private final long record;
    private long stagedTo = NOWHERE;
    private int lastStaged;
    private final ArrayDeque<long[]> held = new ArrayDeque<>();
    private final Map<Long, Long> nextToSend = new HashMap<>();
    private final Map<Long, Long> lastReceived = new HashMap<>();
    private final Map<Long, SimContext> byStream;
    private final Map<Long, Set<Long>> acknowledged = new HashMap<>();
    private final long[] numberOf = new long[SLOTS];
    private final long[] destinationOf = new long[SLOTS];
    private boolean wasFull;

    SimContext(
            final SimNode node,
            final int id,
            final int incarnation,
            final FlowLoop loop,
            final ContextTerms terms,
            final Arena arena,
            final SplittableRandom random,
            final Map<Long, SimContext> byStream) {
        this.node = node;
        this.id = id;
        this.incarnation = incarnation;
        this.loop = loop;
        this.random = random;
        this.byStream = byStream;
        byStream.put(stream(), this);
        slotBytes = node.table.sizes().maxMessageBytes();
        memory = arena.allocate((long) SLOTS * slotBytes, 8).address();
        record = arena.allocate(ShortRing.recordBytes(ShortRing.MAX_LENGTH), 8).address();
        for (int slot = 0; slot < SLOTS; slot++) {
            freeSlots.add(slot);
        }
        loop.openContext(id, incarnation, terms);
    }

    int heldFrames() {
        return held.size();
    }

    boolean isIdle() {
        return done == submitted;
    }

    boolean hasFreeSlot() {
        return !freeSlots.isEmpty();
    }

    /** Sends one message; false when no slot is free. */
    boolean send(final int toNode, final int toContext, final int lengthBytes) {
        if (freeSlots.isEmpty()) {
            return false;
        }
        final int slot = freeSlots.poll();
        final long to = (long) toNode << 16 | toContext;
        final long number = nextToSend.merge(to, 1L, Long::sum);
        final long payload = memory + (long) slot * slotBytes;
        final int length = Math.max(HEADER_BYTES, Math.min(lengthBytes, slotBytes));
        Memory.putLong(payload, stream());
        Memory.putLong(payload + 8, number);
        Memory.putLong(payload + 16, number * 31 + length);
        for (int offset = HEADER_BYTES; offset < length; offset++) {
            Memory.putByte(payload + offset, (int) number + offset);
        }
        inUse[slot] = true;
        numberOf[slot] = number;
        destinationOf[slot] = to;
        submitted++;
        if (length <= ShortRing.MAX_LENGTH && number % 3 != 0 && stage(slot, to, length)) {
            return true;
        }
        stagedTo = NOWHERE;
        final int status = loop.submit(id, slot, toNode, toContext, payload, length, (int) number);
        if (status != PmStatus.OK) {
            throw new AssertionError("submit: " + PmStatus.name(status));
        }
        return true;
    }

    /** Sends a short message as one of a run, if the flow takes it. */
    private boolean stage(final int slot, final long to, final int length) {
        final long payload = memory + (long) slot * slotBytes;
        Memory.putLong(record, Memory.getLong(payload + 8) << 32 | (long) slot << 16 | length);
        Memory.copy(payload, record + ShortRing.HEADER_BYTES, length);
        final long taken =
                loop.stage(
                        id,
                        (int) (to >>> 16),
                        (int) to & 0xFFFF,
                        record,
                        ShortRing.recordBytes(length),
                        1,
                        to != stagedTo);
        if (taken == StageResult.NONE) {
            return false;
        }
        if (to == stagedTo) {
            following[lastStaged] = slot;
        }
        stagedTo = to;
        lastStaged = slot;
        staged++;
        return true;
    }

    void onRunDone(final int firstSlot, final int messages, final int status) {
        int slot = firstSlot;
        for (int left = messages; left > 0; left--) {
            final int next = following[slot];
            onSendDone(slot, status);
            slot = next;
        }
    }

    void onSendDone(final int slot, final int status) {
        if (!inUse[slot]) {
            throw new AssertionError("done twice: slot " + slot);
        }
        inUse[slot] = false;
        freeSlots.add(slot);
        done++;
        if (status == PmStatus.OK) {
            acknowledged
                    .computeIfAbsent(destinationOf[slot], to -> new HashSet<>())
                    .add(numberOf[slot]);
        }
        statusCounts.merge(status, 1, Integer::sum);
        onDone.accept(numberOf[slot], status);
        // A link that still reads it now sends rubbish, which the receiver notices.
        Memory.fill(memory + (long) slot * slotBytes, slotBytes, 0xEE);
    }

    void onPeerStatus(final int peerNode, final int peerContext, final int status) {
        peerEvents++;
        peerStatus.put((long) peerNode << 16 | peerContext, status);
    }

    int onFrame(
            final FlowEndpoints ends,
            final int bufferId,
            final long body,
            final int bodyBytes,
            final int count) {
        if (held.size() >= capacityFrames) {
            wasFull = true;
            return FlowListener.FULL;
        }
        int offset = 0;
        for (int message = 0; message < count; message++) {
            final int length = Memory.getInt(body + offset);
            check(ends.sourceNode(), ends.sourceContext(), body + offset + 8, length);
            if (offset + 8 + length > bodyBytes) {
                throw new AssertionError("message beyond the body");
            }
            offset += (8 + length + 7) & -8;
        }
        held.add(new long[] {ends.flowHandle(), bufferId});
        return FlowListener.DELIVERED;
    }

    /** Gives some frames back. */
    void release(final int maxFrames) {
        for (int i = 0; i < maxFrames && !held.isEmpty(); i++) {
            final long[] frame = random.nextBoolean() ? held.pollFirst() : held.pollLast();
            loop.released((int) frame[0], (int) frame[1]);
        }
        if (wasFull && held.size() < capacityFrames) {
            wasFull = false;
            loop.resume(id);
        }
    }

    int errors() {
        return statusCounts.entrySet().stream()
                .filter(entry -> entry.getKey() != PmStatus.OK)
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    void close() {
        isOpen = false;
        loop.closeContext(id);
    }

    /**
     * Closes without releasing what is held, except for some of the first messages of frames.
     *
     * @param onLeft called with stream and number of each message that was not released.
     */
    void abandon(final MessageListener onLeft) {
        isOpen = false;
        for (final long[] frame : held) {
            final FrameHeaderFlyweight header =
                    new FrameHeaderFlyweight().wrap(node.pool.headerAddress((int) frame[1]));
            final int count = header.messageCount();
            final int left = 1 + random.nextInt(count);
            long body = header.bodyAddress();
            for (int message = 0; message < count; message++) {
                if (message >= count - left) {
                    onLeft.onMessage(Memory.getLong(body + 8), Memory.getLong(body + 16));
                }
                body += (8 + Memory.getInt(body) + 7) & -8;
            }
            final int messagesLeft = left == count ? 0xFFFF : left;
            loop.abandoned((int) frame[0], header.sequence(), messagesLeft);
            loop.released((int) frame[0], (int) frame[1]);
        }
        held.clear();
        loop.closeContext(id);
    }

    private long stream() {
        return (long) node.id << 48 | (long) id << 32 | incarnation;
    }

    /** True if a message to another context was acknowledged; then the flow's end was reported. */
    private boolean isAcknowledged(final SimContext other, final long number) {
        final long to = (long) other.node.id << 16 | other.id;
        final boolean isDone = acknowledged.getOrDefault(to, Set.of()).contains(number);
        if (isDone && !peerStatus.containsKey(to)) {
            throw new AssertionError("message " + number + " is lost without a word");
        }
        return isDone;
    }

    private void check(
            final int sourceNode, final int sourceContext, final long payload, final int length) {
        final long stream = Memory.getLong(payload);
        final long number = Memory.getLong(payload + 8);
        if (stream >>> 32 != ((long) sourceNode << 16 | sourceContext)
                || Memory.getLong(payload + 16) != number * 31 + length) {
            throw new AssertionError("damaged message from " + sourceNode + "." + sourceContext);
        }
        for (int offset = HEADER_BYTES; offset < length; offset += 97) {
            if (Memory.getByte(payload + offset) != (byte) (number + offset)) {
                throw new AssertionError("damaged payload of message " + number);
            }
        }
        final long last = lastReceived.getOrDefault(stream, 0L);
        if (number <= last) {
            throw new AssertionError(
                    "message " + number + " after " + last + " from node " + sourceNode);
        }
        for (long missing = last + 1; last != 0 && missing < number; missing++) {
            gaps++;
            acknowledgedGaps += byStream.get(stream).isAcknowledged(this, missing) ? 1 : 0;
        }
        lateStart |= last == 0 && number != 1;
        lastReceived.put(stream, number);
        onMessage.onMessage(stream, number);
        received++;
    }

    /** Hears of messages: the number in their stream. */
    interface MessageListener {
        void onMessage(long stream, long number);
    }
}
