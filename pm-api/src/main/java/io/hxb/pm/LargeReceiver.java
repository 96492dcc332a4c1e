package io.hxb.pm;

import io.hxb.linux.Memory;

import org.agrona.collections.Long2ObjectHashMap;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/** The receiving half of large messages. Owned by the thread that owns the context. */
final class LargeReceiver {
    private final PmContext context;
    private final PmLargeHandler handler;
    private final PmLargeMessages.Limits limits;
    private final LargeSender sender;
    private final Long2ObjectHashMap<Source> sources = new Long2ObjectHashMap<>();
    private final ArrayDeque<Source> free = new ArrayDeque<>();
    private final PmEvent event = new PmEvent();
    private long rejected;
    private long incompleteBytes;

    LargeReceiver(
            final PmContext context,
            final PmLargeHandler handler,
            final PmLargeMessages.Limits limits,
            final LargeSender sender) {
        this.sender = sender;
        this.context = context;
        this.handler = handler;
        this.limits = limits;
    }

    long rejected() {
        return rejected;
    }

    long incompleteBytes() {
        return incompleteBytes;
    }

    /** Takes one message of the context; the caller releases it. */
    void onMessage(final PmMessage message) {
        final long key = key(message.sourceNode(), message.sourceContext());
        if ((message.tag() & LargeStart.FRAGMENT) != 0) {
            onFragment(key, message);
            return;
        }
        // What ended an earlier message of this source was reported before this one arrived.
        pollEvents();
        final Source unfinished = sources.get(key);
        if (unfinished != null) {
            end(key, unfinished, PmStatus.PEER_RESTARTED);
        }
        onStart(key, message);
    }

    private void onStart(final long key, final PmMessage message) {
        final int inlineBytes = message.lengthBytes() - LargeStart.LENGTH;
        if (inlineBytes < 0) {
            rejected++;
            return;
        }
        final long address = message.address();
        final long lengthBytes = Memory.getLong(address);
        if (lengthBytes == LargeStart.REFUSED) {
            sender.onRefused(message.sourceNode(), message.sourceContext(), message.tag());
            return;
        }
        final boolean isInline = lengthBytes == inlineBytes;
        if (lengthBytes < 0
                || lengthBytes > limits.maxLengthBytes()
                || (!isInline && inlineBytes != 0)
                || sources.size() >= limits.maxSources()) {
            rejected++;
            if (lengthBytes > inlineBytes && inlineBytes == 0) {
                refuse(message);
            }
            return;
        }
        Source source = free.poll();
        if (source == null) {
            source = new Source();
        }
        source.node = message.sourceNode();
        source.context = message.sourceContext();
        source.wireNumber = message.tag();
        source.lengthBytes = lengthBytes;
        source.receivedBytes = 0;
        source.tag = Memory.getInt(address + LargeStart.TAG);
        source.target = handler.onStart(source.node, source.context, lengthBytes, source.tag);
        source.isRejected = PmLargeMessages.REJECT.equals(source.target);
        source.checkTarget();
        sources.put(key, source);
        if (source.isRejected && !isInline) {
            refuse(message);
        }
        if (inlineBytes > 0) {
            take(source, address + LargeStart.LENGTH, inlineBytes);
        }
        endIfComplete(key, source);
    }

    /**
     * Notifies the sender of a message that follows as fragments, so that it sends no more of it.
     * Without a send buffer it does not: the fragments are dropped in any case.
     */
    private void refuse(final PmMessage start) {
        final int slot =
                context.claim(start.sourceNode(), start.sourceContext(), LargeStart.LENGTH);
        if (slot >= 0) {
            final long address = context.sendAddress(slot);
            Memory.putLong(address, LargeStart.REFUSED);
            Memory.putLong(address + LargeStart.TAG, 0);
            context.send(slot, LargeStart.LENGTH, start.tag());
        }
    }

    private void onFragment(final long key, final PmMessage message) {
        final Source source = sources.get(key);
        final int lengthBytes = message.lengthBytes();
        if (source == null || source.wireNumber != (message.tag() & ~LargeStart.FRAGMENT)) {
            rejected++;
            return;
        }
        if (lengthBytes == 0 || lengthBytes > source.lengthBytes - source.receivedBytes) {
            rejected++;
            end(key, source, PmStatus.TOO_LONG);
            return;
        }
        take(source, message.address(), lengthBytes);
        endIfComplete(key, source);
    }

    private void take(final Source source, final long address, final int lengthBytes) {
        final long offset = source.receivedBytes;
        source.receivedBytes += lengthBytes;
        incompleteBytes += lengthBytes;
        if (source.target == null) {
            handler.onFragment(source.node, source.context, offset, address, lengthBytes);
        } else if (!source.isRejected) {
            MemorySegment.copy(Memory.ALL, address, source.target, offset, lengthBytes);
        }
    }

    private void endIfComplete(final long key, final Source source) {
        if (source.receivedBytes == source.lengthBytes) {
            end(key, source, PmStatus.OK);
        }
    }

    private void end(final long key, final Source source, final int status) {
        sources.remove(key);
        incompleteBytes -= source.receivedBytes;
        final MemorySegment target = source.target;
        source.target = null;
        free.add(source);
        if (!source.isRejected) {
            handler.onEnd(
                    source.node, source.context, source.lengthBytes, source.tag, target, status);
        }
    }

    /** Ends the messages of peers that are gone; returns the number of events. */
    int pollEvents() {
        int count = 0;
        while (context.pollEvent(event) == PmStatus.OK) {
            count++;
            final long key = key(event.node(), event.context());
            // A failed message to the peer shows as much, unless only this node is short of
            // flows.
            final Source source = event.status() == PmStatus.FLOW_LIMIT ? null : sources.get(key);
            if (source != null) {
                end(key, source, event.status());
            }
        }
        return count;
    }

    private static long key(final int node, final int context) {
        return ((long) node << 32) | context;
    }

    /** A message being received from one context. */
    private static final class Source {
        private int node;
        private int context;
        private int wireNumber;
        private long lengthBytes;
        private long receivedBytes;
        private int tag;
        private MemorySegment target;
        private boolean isRejected;

        private void checkTarget() {
            if (target != null && !isRejected && target.byteSize() < lengthBytes) {
                throw new IllegalArgumentException(
                        "a message of "
                                + lengthBytes
                                + " bytes does not fit into a target of "
                                + target.byteSize());
            }
        }
    }
}
