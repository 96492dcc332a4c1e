package io.hxb.pm;

import io.hxb.linux.Memory;
import io.hxb.pm.attach.DirectMemory;
import io.hxb.pm.shm.DirectPage;
import io.hxb.pm.shm.DirectRing;

import java.lang.invoke.VarHandle;

/**
 * The ring by which a context sends to one other of its node. Messages go through the node until
 * the receiver has the ring; then one more does, the begin, and those after it are in the ring.
 * Owned by the context's thread.
 */
final class DirectSend implements AutoCloseable {
    /**
     * Looks for room without success until the receiver's exact position is worth its cache line.
     */
    static final int LOOKS = 64;

    private final DirectMemory memory;
    private final DirectPage page;
    private final DirectRing ring;
    private boolean isOpen;
    private boolean isBroken;
    private boolean isReceiverGone;
    private long released;

    /** Position after the last message; what leaves the ring or is skipped is none. */
    private long messagesEnd;

    /** Looks for room that was not found. */
    private int looks;

    /** Length of a message that found no room, if any has since this was asked last. */
    private int refusedBytes = -1;

    /** Position of what is written in place after a record that skips it; -1 for none. */
    private long strandedPosition = -1;

    private long strandedAddress;
    private final DirectSleep sleep;

    /** Whether the end that goes to sleep executes a fence for both. */
    private boolean hasFences;

    DirectSend(final DirectMemory memory) {
        this.memory = memory;
        page = new DirectPage(memory.pageAddress());
        sleep = new DirectSleep(page.senderSleeps());
        ring = new DirectRing(memory.recordsAddress(), memory.capacityBytes());
    }

    /** Number that the ring has with the node. */
    long number() {
        return memory.number();
    }

    /** True while messages are to be put here. */
    boolean isOpen() {
        return isOpen;
    }

    /** True if the receiver has given the ring up, or reports an impossible position. */
    boolean isBroken() {
        return isBroken || page.state() == DirectPage.GIVEN_UP;
    }

    /** The receiver is closed. */
    void onReceiverGone() {
        isReceiverGone = true;
        isBroken = true;
    }

    /** True if the receiver has not released all messages. */
    boolean hasUnreleased() {
        return messagesEnd - page.released() > 0;
    }

    /** True if the receiver is closed, so that the next one of its number is another. */
    boolean isReceiverGone() {
        return isReceiverGone;
    }

    /** True if a begin may be sent: the receiver has the ring, and has read all of it. */
    boolean mayBegin() {
        return page.state() == DirectPage.TAKEN
                && strandedPosition < 0
                && page.released() == ring.position();
    }

    /** Writes the payload of the begin, {@link DirectPage#BEGIN_BYTES} bytes. */
    void writeBegin(final long address) {
        Memory.putLong(address, page.id(0));
        Memory.putLong(address + Long.BYTES, page.id(1));
    }

    /** The begin has been sent. */
    void open() {
        isOpen = true;
        hasFences = page.hasFences();
    }

    /**
     * True if a message fits. One that fits since the receiver has just made room may be found to
     * do so at the {@link #LOOKS}th time only, unless this thread goes to sleep.
     */
    boolean hasRoom(final int lengthBytes) {
        return ring.hasRoom(lengthBytes, released)
                || isToldRoom(lengthBytes)
                || ((sleep.isSleeping() || ++looks % LOOKS == 0) && hasRoomNow(lengthBytes));
    }

    // Looks at the position that seldom changes. The exact one changes with each message, and
    // reading it takes its cache line from the receiver.
    private boolean isToldRoom(final int lengthBytes) {
        final long reported = page.releasedHint();
        if (reported - released > 0) {
            setReleased(reported);
        }
        return ring.hasRoom(lengthBytes, released);
    }

    /** True if a message fits now. */
    boolean hasRoomNow(final int lengthBytes) {
        if (!ring.hasRoom(lengthBytes, released)) {
            setReleased(page.released());
        }
        return ring.hasRoom(lengthBytes, released);
    }

    /** A message found no room. */
    void onRefused(final int lengthBytes) {
        refusedBytes = lengthBytes;
    }

    /** True if that message would find room now, or the ring is of no use any more. */
    boolean hasRoomAgain() {
        return hasRoom(refusedBytes) || isBroken();
    }

    private void setReleased(final long position) {
        if (position - released < 0 || position - ring.position() > 0) {
            isBroken = true;
        } else {
            released = strandedPosition < 0 ? position : Math.min(position, strandedPosition);
        }
    }

    /** Where the payload of the next message is written. */
    long payloadAddress() {
        return ring.payloadAddress();
    }

    /** Sends the message whose payload is in its place, and wakes the receiver if it sleeps. */
    void append(final int lengthBytes, final int tag) {
        ring.append(lengthBytes, tag);
        messagesEnd = ring.position();
        wakeReceiver();
    }

    /** Messages go through the node from now on, until the next begin. */
    void leave() {
        isOpen = false;
        ring.leave();
        wakeReceiver();
    }

    /** Sends others before the message that is being written in its place. */
    void strand(final int lengthBytes) {
        strandedPosition = ring.position();
        strandedAddress = ring.payloadAddress();
        ring.skip(lengthBytes);
    }

    boolean isStranded() {
        return strandedPosition >= 0;
    }

    /** Where the message is that others were sent before. */
    long strandedAddress() {
        return strandedAddress;
    }

    /** That message is sent elsewhere, or given up. */
    void unstrand() {
        strandedPosition = -1;
    }

    // After a full fence here, or the one that the receiver executes, either the receiver sees the
    // record, or this thread sees that it sleeps.
    private void wakeReceiver() {
        if (!hasFences) {
            VarHandle.fullFence();
        }
        DirectSleep.wake(memory, page.receiverSleeps());
    }

    /** How this thread sleeps until the receiver releases something. */
    DirectSleep sleep() {
        return sleep;
    }

    @Override
    public void close() {
        memory.close();
    }
}
