package io.hxb.link;

/**
 * Sends frames on one link from one loop: frames are queued by {@link #offer} and handed to the
 * kernel together by {@link #flush}. Owned by that loop.
 */
public interface LinkSender extends AutoCloseable {
    /**
     * Queues one frame. One longer than {@link Link#mtuBytes} is cut into fragments, up to {@link
     * Link#maxFrameBytes}. Its memory must stay untouched until its owner gets it back during a
     * later {@link #flush} or {@link #close}; the link may overwrite the {@link
     * Link#HEADROOM_BYTES} before the header. Never blocks, never allocates.
     *
     * @param neighbour coordinate of the receiver in the link's dimension, or {@link
     *     Link#BROADCAST}.
     * @param frame not needed after the call; its owner is called within this call only if it
     *     returns true and flushes the queue.
     * @return false when the queue is full or the neighbour's address is not known: nothing was
     *     taken, the caller keeps the frame.
     */
    boolean offer(int neighbour, OutgoingFrame frame);

    /**
     * Frames on the wire that the last accepted {@link #offer} has queued: more than one for a
     * frame that was cut.
     */
    default int offeredFrames() {
        return 1;
    }

    /**
     * Sends one short frame at once, before those that are queued, and also if as much waits as
     * {@link #limitUnsent} allows. Costs up to three system calls.
     *
     * @param neighbour coordinate of the receiver in the link's dimension.
     * @param frame as for {@link #offer}; its memory goes back within the call if this returns
     *     true.
     * @return false if the link did not take it: the caller keeps the frame.
     */
    default boolean sendAhead(final int neighbour, final OutgoingFrame frame) {
        return false;
    }

    /**
     * Hands queued frames to the kernel until none are left or it refuses more.
     *
     * @return frames taken by the kernel; the others stay queued and {@link #isBlocked()} is true.
     */
    int flush();

    /**
     * Gives every queued frame back to its owner unsent: the link does not take them, and they can
     * go elsewhere. A link that never keeps frames for long need not return any.
     *
     * @return frames given back; they do not count as send errors.
     */
    default int discard() {
        return 0;
    }

    /** Frames queued and not yet taken by the kernel. */
    int queuedFrames();

    /**
     * The maximum number of frames that the kernel took and the NIC has not sent yet. Costs a
     * system call.
     *
     * @return 0 or more; also 0 where that is not known.
     */
    default int unsentFrames() {
        return 0;
    }

    /**
     * Bytes that the kernel took and the NIC has not sent yet, including the kernel's overhead for
     * each frame: to be compared with another link of the same kind. Costs a system call.
     *
     * @return 0 or more; also 0 where that is not known.
     */
    default long unsentBytes() {
        return 0;
    }

    /**
     * The largest limit that {@link #limitUnsent} can set.
     *
     * @return bytes, with the kernel's overhead for each frame; 0 if there is no limit to be set.
     */
    default int maxUnsentBytes() {
        return 0;
    }

    /**
     * Limits what {@link #unsentBytes} counts: the link is blocked when there is as much. Costs a
     * system call.
     *
     * @param bytes up to {@link #maxUnsentBytes}.
     */
    default void limitUnsent(final int bytes) {}

    /**
     * True from a flush that could not send everything until the next flush that could. The loop
     * then waits for {@link #descriptor()} to become writable.
     */
    boolean isBlocked();

    /** A descriptor that becomes writable when a blocked sender can go on; -1 for none. */
    int descriptor();

    /** Frames thrown away because the NIC refused them (down, gone, too long), since start. */
    long sendErrors();

    /** Frames and bytes (HXB header + body) the kernel took, since start. */
    long sentFrames();

    /** Bytes (HXB header + body) the kernel took, since start. */
    long sentBytes();

    /**
     * The EtherType by which a frame leaves for {@code neighbour}, if it leaves as an Ethernet
     * frame; for captures.
     *
     * @return 0 on links whose frames have none.
     */
    default int etherType(final int neighbour, final long headerAddress) {
        return 0;
    }

    /** True if frames of one size to one neighbour that follow each other are sent in one piece. */
    default boolean sendsTrains() {
        return false;
    }

    /** Frames that were sent in one piece; nothing unless overridden. */
    default TrainCounts trains() {
        return TrainCounts.NONE;
    }

    /** Long frames that were sent as segments; nothing unless overridden. */
    default LongFrameCounts longFrames() {
        return LongFrameCounts.NONE;
    }

    /** Gives every queued frame back to its owner and closes the descriptor. */
    @Override
    void close();
}
