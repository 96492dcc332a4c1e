package io.hxb.flow;

import io.hxb.frame.MessageRecordFlyweight;

/**
 * What waits to be sent on one flow: frames made of runs of short messages, and after them messages
 * in their send slots. Owned by the loop of the flow.
 */
final class SendBacklog {
    /** See {@link #onLeft}. */
    static final long NOT_MEASURED = -1;

    /** As many frames as may be staged; more wait only after the peer's context was closed. */
    private static final int COUNTED_FRAMES = 16;

    private final MessageSlots slots;
    private final WaitQueue<TxFrame> staged = new WaitQueue<>();
    private int stagedMessages;
    private int firstSlot = MessageSlots.NONE;
    private int lastSlot = MessageSlots.NONE;
    private int messages;

    /** Bytes of the records of the messages, if all were to share frames. */
    private long recordBytes;

    private boolean isHeldBack;

    /** Messages up to the one whose wait is measured, which is the last of them; 0 for none. */
    private int watched;

    private long watchedSinceNs;

    SendBacklog(final MessageSlots slots) {
        this.slots = slots;
    }

    /**
     * Measures how long the message that came last waits; there is one.
     *
     * @return false if another one is measured.
     */
    boolean watchLast(final long nowNs) {
        if (watched > 0) {
            return false;
        }
        watched = messageCount();
        watchedSinceNs = nowNs;
        return true;
    }

    /** The turn in which the message that is measured was taken began at that time. */
    void watchedSince(final long turnNs) {
        watchedSinceNs = turnNs;
    }

    /**
     * The first {@code count} messages leave.
     *
     * @return how long the one that is measured has waited, in ns; {@link #NOT_MEASURED} if it is
     *     not among them.
     */
    long onLeft(final int count, final long nowNs) {
        if (watched == 0) {
            return NOT_MEASURED;
        }
        watched = Math.max(0, watched - count);
        return watched == 0 ? nowNs - watchedSinceNs : NOT_MEASURED;
    }

    /** True if nothing waits. */
    boolean isEmpty() {
        return firstSlot == MessageSlots.NONE && staged.isEmpty();
    }

    /** Messages that wait, staged ones too. */
    int messageCount() {
        return stagedMessages + messages;
    }

    /** Puts the message in {@code slot}, of {@code lengthBytes}, at the end. */
    void add(final int slot, final int lengthBytes) {
        if (firstSlot == MessageSlots.NONE) {
            firstSlot = slot;
        } else {
            slots.chain(lastSlot, slot);
        }
        lastSlot = slot;
        messages++;
        recordBytes += MessageRecordFlyweight.paddedLength(lengthBytes);
        isHeldBack = false;
    }

    /** True if messages wait in slots. */
    boolean hasMessages() {
        return firstSlot != MessageSlots.NONE;
    }

    /** Slot of the message that waits longest; there is one. */
    int firstSlot() {
        return firstSlot;
    }

    /** Slot of the message that came last; there is one. */
    int lastSlot() {
        return lastSlot;
    }

    long recordBytes() {
        return recordBytes;
    }

    /** Bytes of all that waits, about: of several staged frames only that they are many. */
    long waitingBytes() {
        if (staged.length() > 1) {
            return Long.MAX_VALUE;
        }
        final TxFrame frame = staged.first();
        if (frame == null) {
            return recordBytes;
        }
        return recordBytes + bodyBytes(frame);
    }

    /** Bytes of all that waits, of which the first {@link #COUNTED_FRAMES} staged frames count. */
    long reportedBytes() {
        return recordBytes + staged.sum(COUNTED_FRAMES, SendBacklog::bodyBytes);
    }

    private static int bodyBytes(final TxFrame frame) {
        return frame.isRun() ? frame.bodyBytes() : frame.lengthBytes();
    }

    /**
     * The first {@code count} messages, with {@code bytes} of records, are in a frame now.
     *
     * @param following slot of the next one, or NONE.
     */
    void onTaken(final int count, final int bytes, final int following) {
        firstSlot = following;
        messages -= count;
        recordBytes -= bytes;
        assert messages >= 0 && (messages == 0) == (following == MessageSlots.NONE)
                : messages + " messages are left";
        assert recordBytes >= 0 : recordBytes;
    }

    /**
     * Removes all messages; returns the slot of the first, from which the chain leads to the
     * others.
     */
    int takeMessages() {
        final int first = firstSlot;
        firstSlot = MessageSlots.NONE;
        lastSlot = MessageSlots.NONE;
        messages = 0;
        recordBytes = 0;
        watched = 0;
        return first;
    }

    /** Puts a frame after those that wait; no message may wait in a slot, as it was there first. */
    void stage(final TxFrame frame) {
        assert firstSlot == MessageSlots.NONE : "messages wait in slots";
        staged.add(frame.stagedPlace);
    }

    /**
     * Puts frames in front of all that waits, in their order. They had left before, so that a wait
     * which is being measured would be none in the queue alone: it is left out.
     */
    void putBack(final WaitQueue<TxFrame> frames, final int messageCount) {
        watched = 0;
        frames.takeAll(staged);
        staged.takeAll(frames);
        stagedMessages += messageCount;
        isHeldBack = false;
    }

    /** The frame that waits longest, which stays; null when there is none. */
    TxFrame firstStaged() {
        return staged.first();
    }

    /** Adds to the number of messages in frames that wait. */
    void onStaged(final int count) {
        stagedMessages += count;
        isHeldBack &= count == 0;
    }

    int stagedFrames() {
        return staged.length();
    }

    /** The last of the frames that wait; null when there is none. */
    TxFrame lastStaged() {
        return staged.last();
    }

    /** Takes the first of the frames that wait; null when there is none. */
    TxFrame pollStaged() {
        final TxFrame frame = staged.poll();
        if (frame != null) {
            stagedMessages -= frame.messageCount();
            assert stagedMessages >= 0 : stagedMessages;
        }
        return frame;
    }

    /**
     * Lets messages that do not fill a frame wait for more, once; false if they have waited
     * already.
     */
    boolean holdBack() {
        final boolean isFirst = !isHeldBack;
        isHeldBack = true;
        return isFirst;
    }
}
