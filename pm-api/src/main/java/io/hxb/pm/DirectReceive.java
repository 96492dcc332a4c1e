package io.hxb.pm;

import io.hxb.linux.Memory;
import io.hxb.linux.ProcessBarrier;
import io.hxb.pm.attach.DirectMemory;
import io.hxb.pm.shm.DirectPage;
import io.hxb.pm.shm.DirectRing;

import java.lang.invoke.VarHandle;

/**
 * The ring by which a context receives from one other of its node. The sender is a process of the
 * same user; a header that cannot be ends the use of the ring. Owned by the context's thread.
 */
final class DirectReceive implements AutoCloseable {
    /** Parts of a ring; the sender is notified of each that is released. */
    private static final int HINTS_PER_RING = 8;

    private final int peerContext;
    private final int maxLengthBytes;
    private final int partBytes;
    private final DirectMemory memory;
    private final DirectPage page;
    private final DirectRing ring;
    private final long id0;
    private final long id1;

    /** Whether the end that goes to sleep executes a fence for both. */
    private final boolean hasFences;

    /** Of each message held, in order: where its record ends; inverted once it is released. */
    private final long[] ends;

    private long firstHeld = ReceivedMessages.newBase();
    private long nextHeld = firstHeld;

    /** Position up to which the sender was notified that the records are released. */
    private long announced;

    /** Header of the next message if it has been seen, else 0. */
    private long header;

    private boolean isActive;
    private boolean hasBegun;
    private boolean isSenderGone;
    private boolean isGivenUp;
    private final DirectSleep sleep;

    /**
     * Takes a ring that was offered.
     *
     * @param maxLengthBytes longest message of the node.
     * @param maxHeld messages that may be held, a power of two.
     */
    DirectReceive(
            final int peerContext,
            final DirectMemory memory,
            final int maxLengthBytes,
            final int maxHeld) {
        this.peerContext = peerContext;
        this.memory = memory;
        this.maxLengthBytes = maxLengthBytes;
        page = new DirectPage(memory.pageAddress());
        sleep = new DirectSleep(page.receiverSleeps());
        ring = new DirectRing(memory.recordsAddress(), memory.capacityBytes());
        id0 = page.id(0);
        id1 = page.id(1);
        partBytes = memory.capacityBytes() / HINTS_PER_RING;
        ends = new long[maxHeld];
        if (page.isValid()) {
            page.take(ProcessBarrier.isRegistered());
            hasFences = page.hasFences();
        } else {
            hasFences = false;
            giveUp();
        }
    }

    int peerContext() {
        return peerContext;
    }

    /** True if a message from the sender that came through the node is the begin of this ring. */
    boolean isBegin(final long payloadAddress) {
        // A sender that is closed meanwhile has sent it, and what is in the ring, before.
        return !isActive
                && Memory.getLong(payloadAddress) == id0
                && Memory.getLong(payloadAddress + Long.BYTES) == id1;
    }

    /** The begin has come: what is in the ring follows what came through the node. */
    void begin() {
        hasBegun = true;
        isActive = !isGivenUp;
    }

    /** True if what comes through the node now was sent after what is in the ring. */
    boolean isBeforeNode() {
        return isActive;
    }

    /** True if there is a message; passes records that have none. */
    boolean isReady() {
        if (header == 0) {
            header = isActive ? nextMessage() : 0;
        }
        return header != 0 && nextHeld - firstHeld < ends.length;
    }

    /** True if there is a message, but too many are held. */
    boolean isFull() {
        return header != 0 && nextHeld - firstHeld == ends.length;
    }

    private long nextMessage() {
        long next = ring.header();
        while (next != 0 && !DirectRing.isMessage(next)) {
            pass(next);
            next = isActive ? ring.header() : 0;
        }
        if (next != 0 && DirectRing.lengthBytes(next) > maxLengthBytes) {
            giveUp();
            next = 0;
        }
        return next;
    }

    private void pass(final long special) {
        final int bytes = DirectRing.skippedBytes(special);
        if (bytes < DirectRing.HEADER_BYTES
                || bytes > DirectRing.recordBytes(maxLengthBytes)
                || bytes % DirectRing.HEADER_BYTES != 0) {
            giveUp();
            return;
        }
        ring.take(bytes);
        if (firstHeld == nextHeld) {
            publish(ring.position());
        } else {
            // Released with the message before it.
            final int last = (int) (nextHeld - 1) & (ends.length - 1);
            ends[last] = ends[last] < 0 ? ~ring.position() : ring.position();
        }
        if (DirectRing.isLeave(special)) {
            isActive = false;
        }
    }

    /**
     * Takes the message that {@link #isReady} has found.
     *
     * @param message filled with it.
     * @param sourceNode id of this node.
     * @param ringBits of this ring, see {@link ReceivedMessages#ringBits}.
     */
    void take(final PmMessage message, final int sourceNode, final int ringBits) {
        final int lengthBytes = DirectRing.lengthBytes(header);
        message.set(
                ReceivedMessages.handle(nextHeld, ringBits),
                ring.payloadAddress(),
                lengthBytes,
                DirectRing.tag(header),
                sourceNode,
                peerContext);
        header = 0;
        ring.take(DirectRing.recordBytes(lengthBytes));
        ends[(int) nextHeld & (ends.length - 1)] = ring.position();
        nextHeld++;
    }

    /** True if the message of that number is held; numbers count modulo 2^39. */
    boolean isHeld(final long number) {
        final long offset = ReceivedMessages.positionsBetween(firstHeld, number);
        return offset < nextHeld - firstHeld && ends[index(firstHeld + offset)] >= 0;
    }

    /** Releases a message that is held, and wakes the sender if it sleeps. */
    void release(final long number) {
        final long held = firstHeld + ReceivedMessages.positionsBetween(firstHeld, number);
        final int index = index(held);
        ends[index] = ~ends[index];
        if (held == firstHeld) {
            long end = 0;
            while (firstHeld != nextHeld && ends[index(firstHeld)] < 0) {
                end = ~ends[index(firstHeld)];
                firstHeld++;
            }
            publish(end);
        }
    }

    private int index(final long number) {
        return (int) number & (ends.length - 1);
    }

    // The exact position is in a cache line that a sender takes only when it has to.
    private void publish(final long position) {
        page.released(position);
        if (position - announced >= partBytes) {
            announced = position;
            page.releasedHint(position);
        }
        if (!hasFences) {
            VarHandle.fullFence();
        }
        DirectSleep.wake(memory, page.senderSleeps());
    }

    /** How this thread sleeps until the sender sends something. */
    DirectSleep sleep() {
        return sleep;
    }

    /** The sender is gone: nothing more comes than is there. */
    void onSenderGone() {
        isSenderGone = true;
    }

    /** True if nothing comes any more and nothing is held. */
    // The begin may come through the node after the news that its sender is gone.
    boolean isOver() {
        return firstHeld == nextHeld && (isGivenUp || (isSenderGone && hasBegun && !isReady()));
    }

    /** Another context has the sender's number: a begin that has not come does not come. */
    void onSenderReplaced() {
        if (isSenderGone && !hasBegun) {
            giveUp();
        }
    }

    /** Takes no more from the ring, and notifies the sender. */
    void giveUp() {
        isGivenUp = true;
        isActive = false;
        header = 0;
        page.state(DirectPage.GIVEN_UP);
        VarHandle.fullFence();
        DirectSleep.wake(memory, page.senderSleeps());
    }

    @Override
    public void close() {
        memory.close();
    }
}
