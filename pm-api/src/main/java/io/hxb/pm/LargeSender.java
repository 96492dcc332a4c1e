package io.hxb.pm;

import io.hxb.linux.Memory;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayDeque;

/** The sending half of large messages. Owned by the thread that owns the context. */
final class LargeSender implements PmContext.SendDoneListener {
    private static final int INDEX_BITS = 16;

    private final PmContext context;
    private final int ownNode;
    private final int fragmentBytes;
    private final int regionFragmentBytes;
    private final Transfer[] transfers;
    private final Transfer[] slotTransfer;
    private final ArrayDeque<Transfer> free = new ArrayDeque<>();
    private final ArrayDeque<Transfer> done = new ArrayDeque<>();
    private final ArrayDeque<Destination> ready = new ArrayDeque<>();

    /** Destinations for which there was no buffer, or no room, when they had their turn. */
    private final ArrayDeque<Destination> held = new ArrayDeque<>();

    private final Long2ObjectHashMap<Destination> destinations = new Long2ObjectHashMap<>();
    private long begun;
    private int unfinished;
    private boolean isRoomNew;

    LargeSender(final PmContext context, final int maxTransfers) {
        this.context = context;
        ownNode = context.device().nodeId();
        fragmentBytes = context.maxLengthBytes();
        regionFragmentBytes = context.device().mtuBytes();
        if (fragmentBytes < LargeStart.LENGTH) {
            throw new IllegalArgumentException(
                    "send buffers are too small for large messages: " + fragmentBytes);
        }
        transfers = new Transfer[maxTransfers];
        slotTransfer = new Transfer[context.sendBufferCount()];
        for (int i = 0; i < maxTransfers; i++) {
            transfers[i] = new Transfer(i);
            free.add(transfers[i]);
        }
        context.sendDoneListener(this);
    }

    long begin(
            final int node,
            final int destinationContext,
            final PmRegion region,
            final long start,
            final long lengthBytes,
            final int tag) {
        final Transfer transfer = free.poll();
        if (transfer == null) {
            return PmStatus.NO_BUFFERS;
        }
        final Destination destination = destination(node, destinationContext);
        transfer.number = ((begun << INDEX_BITS) | transfer.index) & Long.MAX_VALUE;
        transfer.wireNumber = (int) begun & Integer.MAX_VALUE;
        begun++;
        transfer.destination = destination;
        transfer.region = region;
        transfer.start = start;
        transfer.lengthBytes = lengthBytes;
        transfer.tag = tag;
        transfer.sentBytes = 0;
        transfer.isStarted = false;
        transfer.inFlight = 0;
        transfer.status = PmStatus.OK;
        transfer.isDone = false;
        destination.queue.add(transfer);
        if (destination.queue.size() == 1) {
            ready.add(destination);
        }
        unfinished++;
        return transfer.number;
    }

    private Destination destination(final int node, final int destinationContext) {
        final long key = ((long) node << 32) | destinationContext;
        Destination destination = destinations.get(key);
        if (destination == null) {
            destination = new Destination(node, destinationContext);
            destinations.put(key, destination);
        }
        return destination;
    }

    /** A context does not want the rest of a message. */
    void onRefused(final int node, final int destinationContext, final int wireNumber) {
        final Destination destination = destinations.get(((long) node << 32) | destinationContext);
        if (destination == null) {
            return;
        }
        for (final Transfer transfer : transfers) {
            if (transfer.destination == destination
                    && transfer.wireNumber == wireNumber
                    && transfer.isStarted
                    && !transfer.isDone
                    && transfer.status == PmStatus.OK) {
                transfer.status = PmStatus.TOO_LONG;
            }
        }
    }

    boolean isSent(final long number) {
        final int index = (int) number & ((1 << INDEX_BITS) - 1);
        if (number < 0 || index >= transfers.length) {
            throw new IllegalArgumentException("there was no such transfer: " + number);
        }
        context.unfinishedSends();
        return transfers[index].number != number || transfers[index].isDone;
    }

    int unfinished() {
        context.unfinishedSends();
        return unfinished;
    }

    boolean canGoOn() {
        return !done.isEmpty() || !ready.isEmpty() || (isRoomNew && !held.isEmpty());
    }

    /** Sends up to {@code limit} fragments, one for each destination in turn; returns how many. */
    int sendFragments(final int limit) {
        context.unfinishedSends();
        if (isRoomNew) {
            isRoomNew = false;
            ready.addAll(held);
            held.clear();
        }
        int sent = 0;
        while (sent < limit && !ready.isEmpty()) {
            final Destination destination = ready.poll();
            final Transfer transfer = destination.queue.peek();
            if (transfer.status == PmStatus.OK && !sendNext(destination, transfer)) {
                held.add(destination);
                continue;
            }
            sent++;
            if (transfer.isAllSent() || transfer.status != PmStatus.OK) {
                destination.queue.poll();
                transfer.isStarted = true;
                transfer.sentBytes = transfer.lengthBytes;
                finishIfDone(transfer);
            }
            if (!destination.queue.isEmpty()) {
                ready.add(destination);
            }
        }
        return sent;
    }

    // False if there is no send buffer for it. A failure is left in the transfer's status.
    private boolean sendNext(final Destination destination, final Transfer transfer) {
        final int slot =
                context.claim(
                        destination.node, destination.context, claimBytes(destination, transfer));
        if (slot == PmStatus.NO_BUFFERS) {
            return false;
        }
        if (slot < 0 || transfer.status != PmStatus.OK) {
            if (slot >= 0) {
                context.abandon(slot);
            } else {
                transfer.status = slot;
            }
            return true;
        }
        final int result =
                transfer.isStarted ? sendFragment(slot, transfer) : sendStart(slot, transfer);
        if (result == PmStatus.OK) {
            slotTransfer[slot] = transfer;
            transfer.inFlight++;
        } else {
            transfer.status = result;
        }
        return true;
    }

    /**
     * Room that the next message of a transfer needs in send buffers: none for what the node reads
     * in a region, so that as many fragments can be under way as there are slots. Where there may
     * be a direct ring it is copied, and has to find room there.
     */
    private int claimBytes(final Destination destination, final Transfer transfer) {
        if (!transfer.isStarted) {
            return LargeStart.LENGTH + inlineBytes(transfer);
        }
        final boolean isReadInPlace = transfer.region != null && destination.node != ownNode;
        final long leftBytes = transfer.lengthBytes - transfer.sentBytes;
        return isReadInPlace ? 0 : (int) Math.min(leftBytes, fragmentBytes);
    }

    /** Payload that goes with the start. */
    private int inlineBytes(final Transfer transfer) {
        return transfer.lengthBytes <= fragmentBytes - LargeStart.LENGTH
                ? (int) transfer.lengthBytes
                : 0;
    }

    private int sendStart(final int slot, final Transfer transfer) {
        final long address = context.sendAddress(slot);
        Memory.putLong(address, transfer.lengthBytes);
        Memory.putInt(address + LargeStart.TAG, transfer.tag);
        Memory.putInt(address + LargeStart.RESERVED, 0);
        transfer.isStarted = true;
        final int inlineBytes = inlineBytes(transfer);
        Memory.copy(transfer.address(), address + LargeStart.LENGTH, inlineBytes);
        transfer.sentBytes = inlineBytes;
        return context.send(slot, LargeStart.LENGTH + inlineBytes, transfer.wireNumber);
    }

    private int sendFragment(final int slot, final Transfer transfer) {
        final int tag = transfer.wireNumber | LargeStart.FRAGMENT;
        final long leftBytes = transfer.lengthBytes - transfer.sentBytes;
        if (transfer.region != null) {
            final int lengthBytes = (int) Math.min(leftBytes, regionFragmentBytes);
            final long offset = transfer.start + transfer.sentBytes;
            transfer.sentBytes += lengthBytes;
            return context.sendFrom(slot, transfer.region, offset, lengthBytes, tag);
        }
        final int lengthBytes = (int) Math.min(leftBytes, fragmentBytes);
        Memory.copy(transfer.start + transfer.sentBytes, context.sendAddress(slot), lengthBytes);
        transfer.sentBytes += lengthBytes;
        return context.send(slot, lengthBytes, tag);
    }

    @Override
    public void onRoom() {
        isRoomNew = true;
    }

    @Override
    public void onSendDone(final int slot, final int status) {
        isRoomNew = true;
        final Transfer transfer = slotTransfer[slot];
        if (transfer == null) {
            return;
        }
        slotTransfer[slot] = null;
        transfer.inFlight--;
        if (status != PmStatus.OK && transfer.status == PmStatus.OK) {
            transfer.status = status;
        }
        finishIfDone(transfer);
    }

    private void finishIfDone(final Transfer transfer) {
        if (transfer.isAllSent() && transfer.inFlight == 0 && !transfer.isDone) {
            transfer.isDone = true;
            unfinished--;
            done.add(transfer);
        }
    }

    /** Reports the transfers that are done; returns how many. */
    int reportSent(final PmLargeHandler handler) {
        int reported = 0;
        Transfer transfer = done.poll();
        while (transfer != null) {
            transfer.region = null;
            free.add(transfer);
            reported++;
            handler.onSent(transfer.number, transfer.status);
            transfer = done.poll();
        }
        return reported;
    }

    /** A destination context and the transfers that wait for it; the first one is being sent. */
    private static final class Destination {
        private final int node;
        private final int context;
        private final ArrayDeque<Transfer> queue = new ArrayDeque<>();

        private Destination(final int node, final int context) {
            this.node = node;
            this.context = context;
        }
    }

    /** One message being sent. */
    private static final class Transfer {
        private final int index;
        private Destination destination;
        private long number = -1;
        private int wireNumber;
        private PmRegion region;
        private long start;
        private long lengthBytes;
        private long sentBytes;
        private int tag;
        private boolean isStarted;
        private int inFlight;
        private int status;
        private boolean isDone;

        private Transfer(final int index) {
            this.index = index;
        }

        private boolean isAllSent() {
            return isStarted && sentBytes == lengthBytes;
        }

        private long address() {
            return region == null ? start : region.address() + start;
        }
    }
}
