package io.hxb.frame;

import io.hxb.linux.Memory;

/**
 * What an ENDED frame announces: the context that a flow led to is closed, and this is what it had
 * released of the flow. It answers a frame that came too late, or is sent unasked when messages
 * were not released. Owned by the thread that wrapped it.
 *
 * <pre>
 * offset length meaning (little-endian)
 *     12      4 incarnation of the context that is closed
 *     32      4 incarnation of the flow's source
 *     40      4 sequence of the frame that is answered; unasked: the next one wanted
 *     44      4 sequence before which no frame is reported unreleased
 *     48      2 frames from there on to the last that had arrived
 *     50      1 type of the frame that is answered, 0 = unasked
 *     51      1 1 = the context is open again, 2 = some messages were not released; or both
 *     60      2 epoch of the flow
 *     64    8*n runs of frames that were not released, in order
 *     +0      2 frames between the sequence at 44 and the first of the run
 *     +2      2 frames in the run
 *     +4      2 messages of each that were not released, the last ones; 65,535 = all
 *     +6      2 0
 * </pre>
 */
public final class EndedFlyweight {
    /** Bytes of one run. */
    public static final int RUN_BYTES = 8;

    /** Runs of one frame. */
    public static final int MAX_RUNS = 16;

    /** Messages left of a frame of which none was released. */
    public static final int ALL_MESSAGES = 0xFFFF;

    private static final int OPEN_AGAIN = 1;
    private static final int LOST = 2;
    private static final int FLAGS = OPEN_AGAIN | LOST;
    private static final int FLAGS_SHIFT = 8;
    private static final int TYPE_MASK = 0xFF;

    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();

    /** Lays the flyweight over the header at {@code headerAddress}. */
    public EndedFlyweight wrap(final long headerAddress) {
        header.wrap(headerAddress);
        return this;
    }

    /** True if the runs lie in the body, one after the other, before the last that arrived. */
    static boolean isValid(final long headerAddress) {
        final int bodyBytes = FrameHeaderFlyweight.bodyLength(headerAddress);
        final int kind = Memory.getUnsignedShort(headerAddress + FrameHeaderFlyweight.EPOCH_OFFSET);
        if (bodyBytes % RUN_BYTES != 0
                || bodyBytes > MAX_RUNS * RUN_BYTES
                || (kind & TYPE_MASK) >= FrameType.COUNT
                || kind >>> FLAGS_SHIFT > FLAGS) {
            return false;
        }
        final int seen =
                Memory.getUnsignedShort(headerAddress + FrameHeaderFlyweight.WINDOW_OFFSET);
        int end = 0;
        for (int offset = 0; offset < bodyBytes; offset += RUN_BYTES) {
            final long run = headerAddress + FrameHeaderFlyweight.LENGTH + offset;
            final int first = Memory.getUnsignedShort(run);
            final int frames = Memory.getUnsignedShort(run + 2);
            if (first < end
                    || frames == 0
                    || first + frames > seen
                    || Memory.getUnsignedShort(run + 4) == 0
                    || Memory.getUnsignedShort(run + 6) != 0) {
                return false;
            }
            end = first + frames;
        }
        return true;
    }

    /** Type of the frame that is answered; 0 if the frame was sent unasked. */
    public int answeredType() {
        return header.epoch() & TYPE_MASK;
    }

    /** True if another incarnation of the context is open. */
    public boolean isOpenAgain() {
        return (header.epoch() >>> FLAGS_SHIFT & OPEN_AGAIN) != 0;
    }

    /** True if messages had arrived that were not released, acknowledged ones too. */
    public boolean hasLost() {
        return (header.epoch() >>> FLAGS_SHIFT & LOST) != 0;
    }

    /** Sets the type of the frame that is answered, and the flags. */
    public EndedFlyweight kind(
            final int answeredType, final boolean isOpenAgain, final boolean hasLost) {
        final int flags = (isOpenAgain ? OPEN_AGAIN : 0) | (hasLost ? LOST : 0);
        header.epoch(flags << FLAGS_SHIFT | answeredType);
        return this;
    }

    /** Sequence before which no frame is reported unreleased. */
    public int firstSequence() {
        return header.acknowledgement();
    }

    /** The sequence after the last that had arrived. */
    public int seenTo() {
        return header.acknowledgement() + header.windowFrames();
    }

    /** Sets the two ends: at most 65,535 frames apart. */
    public EndedFlyweight ends(final int firstSequence, final int seenTo) {
        assert seenTo - firstSequence >= 0 && seenTo - firstSequence <= 0xFFFF : seenTo;
        header.acknowledgement(firstSequence).windowFrames(seenTo - firstSequence);
        return this;
    }

    /** Runs in the body. */
    public int runs() {
        return header.bodyLength() / RUN_BYTES;
    }

    /** First sequence of run {@code index}. */
    public int runFirst(final int index) {
        return header.acknowledgement() + Memory.getUnsignedShort(runAddress(index));
    }

    /** Frames of run {@code index}. */
    public int runFrames(final int index) {
        return Memory.getUnsignedShort(runAddress(index) + 2);
    }

    /** Messages left of each frame of run {@code index}, or {@link #ALL_MESSAGES}. */
    public int runMessagesLeft(final int index) {
        return Memory.getUnsignedShort(runAddress(index) + 4);
    }

    /** Writes run {@code index}, after {@link #ends}. */
    public EndedFlyweight run(
            final int index, final int firstSequence, final int frames, final int messagesLeft) {
        final long run = runAddress(index);
        Memory.putShort(run, firstSequence - header.acknowledgement());
        Memory.putShort(run + 2, frames);
        Memory.putShort(run + 4, messagesLeft);
        Memory.putShort(run + 6, 0);
        return this;
    }

    private long runAddress(final int index) {
        return header.bodyAddress() + (long) index * RUN_BYTES;
    }
}
