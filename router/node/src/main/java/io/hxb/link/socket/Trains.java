package io.hxb.link.socket;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.TrainCounts;
import io.hxb.linux.Errno;
import io.hxb.os.MessageVector;
import io.hxb.os.Sockets;
import io.hxb.os.TrainVector;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.foreign.MemorySegment;

/**
 * Joins frames that wait in a {@link SocketSender} into trains: frames of one size to one neighbour
 * that follow each other, of which the last may be shorter, are one send. Kernel or NIC cut them
 * apart, so each still is a datagram of its own. Sub-classes define how the kernel gets the sizes.
 * Owned by the sender's loop.
 *
 * <p>Short frames go one by one. Where short frames of idle flows share the link trains stay short,
 * so that such a frame waits for a few others only. A link that refuses a train sends frame by
 * frame from then on.
 */
public abstract class Trains {
    private static final Logger LOGGER = LoggerFactory.getLogger(Trains.class);

    /** Source: RFC 768 over RFC 791, the longest datagram. */
    private static final int MAX_BYTES = 65_507;

    /** Frames below this length go one by one; with it a train has less than 64 segments. */
    static final int MIN_FRAME_BYTES = 1024;

    /** Frames of a train while lone frames share the link, and trains until they are forgotten. */
    private static final int SHORT_FRAMES = 4;

    private static final int SHORT_TRAINS = 256;

    private static final int MAX_TRAINS = 64;
    private static final int MAX_BATCH_FRAMES = 256;
    private static final int PIECES_A_FRAME = 4;

    /** The group of frames that go alone. */
    public static final long ALONE = 0;

    /** The group of messages that are no frames, which {@link #add} completes one by one. */
    public static final long WHOLE = -1;

    private final String link;
    private final TrainCounts counts = new TrainCounts();
    private final TrainVector vector;
    private final int maxFrames;
    private final int[] lengths = new int[MAX_TRAINS];
    private final int minTailBytes;
    private int shortTrains;
    private int built;
    private long firstGroup;
    private boolean isOn = true;

    /**
     * Makes the trains of one sender.
     *
     * @param link name of the link, for the log.
     * @param queueFrames frames that the sender holds, a power of two.
     * @param hasShortTails whether the last frame of a train may be as short as frames that go
     *     alone.
     */
    protected Trains(final String link, final int queueFrames, final boolean hasShortTails) {
        this.link = link;
        maxFrames = Math.min(queueFrames, MAX_BATCH_FRAMES);
        minTailBytes = hasShortTails ? 0 : MIN_FRAME_BYTES;
        vector = new TrainVector(MAX_TRAINS, (PIECES_A_FRAME + 1) * maxFrames);
    }

    /** False once the link has refused a train. */
    protected final boolean isOn() {
        return isOn;
    }

    /** True if frames of one group are sent in one piece. */
    protected boolean isJoining() {
        return isOn;
    }

    /** True if frames can only be sent by {@link #send}, also those that go alone. */
    protected boolean isNeeded() {
        return isOn;
    }

    /** True if frames of a group can be in a train now, which {@link #add} may then be given. */
    protected abstract boolean isJoinable(long group);

    /**
     * Adds one message.
     *
     * @param queue whose messages it is made of.
     * @param index of the first one.
     * @param frames of them.
     * @param totalBytes bytes of all frames.
     * @param segmentBytes bytes of each frame but the last, which may be shorter.
     * @param group of all; {@link #ALONE} for a frame that is not made part of a train, {@link
     *     #WHOLE} for a message that is none.
     */
    protected abstract void add(
            TrainVector vector,
            MessageVector queue,
            int index,
            int frames,
            int totalBytes,
            int segmentBytes,
            long group);

    /** What to do about a refusal, as part of a sentence. */
    protected abstract String advice();

    final TrainCounts counts() {
        return counts;
    }

    /**
     * Sends from the head of a queue.
     *
     * @param queue the frames, {@code [frameBytes.length]}.
     * @param frameBytes bytes of each.
     * @param groups frames of which group may be in one train, {@code [frameBytes.length]}.
     * @param head position of the first frame.
     * @param tail position after the last.
     * @return frames that the kernel took, or the negative errno of the first {@link #firstFrames}.
     */
    final int send(
            final MemorySegment errno,
            final int descriptor,
            final MessageVector queue,
            final int[] frameBytes,
            final long[] groups,
            final int head,
            final int tail) {
        build(queue, frameBytes, groups, head, head + Math.min(tail - head, maxFrames));
        final int result = Sockets.sendBatch(errno, descriptor, vector.address(), built);
        int frames = 0;
        for (int i = 0; i < result; i++) {
            frames += lengths[i];
            if (lengths[i] > 1) {
                counts.onTrain(lengths[i]);
            }
        }
        return result < 0 ? result : frames;
    }

    /** Frames in the first datagram or train of the last {@link #send}. */
    final int firstFrames() {
        return lengths[0];
    }

    private void build(
            final MessageVector queue,
            final int[] frameBytes,
            final long[] groups,
            final int head,
            final int end) {
        final int mask = frameBytes.length - 1;
        vector.clear();
        built = 0;
        firstGroup = groups[head & mask];
        int position = head;
        while (position != end && built < MAX_TRAINS) {
            final int index = position & mask;
            final boolean isWhole = groups[index] == WHOLE;
            final boolean isAlone =
                    !isWhole && isAlone(queue, index, frameBytes[index], groups[index]);
            final int frames =
                    isAlone || isWhole ? 1 : trainFrames(frameBytes, groups, position, end);
            add(
                    vector,
                    queue,
                    index,
                    frames,
                    sum(frameBytes, index, frames),
                    frameBytes[index],
                    isAlone ? ALONE : groups[index]);
            lengths[built++] = frames;
            position += frames;
        }
    }

    private static int sum(final int[] frameBytes, final int first, final int frames) {
        int bytes = 0;
        for (int i = first; i < first + frames; i++) {
            bytes += frameBytes[i];
        }
        return bytes;
    }

    private boolean isAlone(
            final MessageVector queue, final int index, final int lengthBytes, final long group) {
        if (lengthBytes < MIN_FRAME_BYTES) {
            if (isSparse(queue, index)) {
                shortTrains = SHORT_TRAINS;
            }
            return true;
        }
        return !isOn || group == ALONE || !isJoinable(group);
    }

    /** True if the frame of a message was sent by an idle flow. */
    protected boolean isSparse(final MessageVector queue, final int index) {
        return FrameHeaderFlyweight.isSparse(queue.firstAddress(index));
    }

    private int trainFrames(
            final int[] frameBytes, final long[] groups, final int first, final int end) {
        final int index = first & frameBytes.length - 1;
        final int size = frameBytes[index];
        // The messages of a train lie after each other, so it ends where the ring does.
        int limit = Math.min(end - first, frameBytes.length - index);
        if (shortTrains > 0) {
            shortTrains--;
            limit = Math.min(limit, SHORT_FRAMES);
        }
        int bytes = size;
        int frames = 1;
        int last = size;
        while (frames < limit && last == size) {
            last = frameBytes[index + frames];
            bytes += last;
            if (last > size
                    || last < minTailBytes
                    || bytes > MAX_BYTES
                    || groups[index + frames] != groups[index]) {
                break;
            }
            frames++;
        }
        return frames;
    }

    /**
     * The kernel did not take the first frames of a {@link #send}: ends trains on this link if that
     * is why.
     *
     * @return true if the frames should be sent again, one by one.
     */
    final boolean isRefused(final int error) {
        if (firstGroup == WHOLE) {
            onWholeRefused(error);
            return false;
        }
        if (!isOn || lengths[0] == 1 || !isOfTrains(error)) {
            return false;
        }
        isOn = false;
        counts.onRefused();
        LOGGER.warn(
                "link {}: frames are sent one by one, since the kernel refuses several at once"
                        + " ({}): {}",
                link,
                Errno.describe(error),
                advice());
        return true;
    }

    /** The kernel has not taken a message of the group {@link #WHOLE}, which is lost. */
    protected void onWholeRefused(final int error) {}

    private static boolean isOfTrains(final int error) {
        return error == Errno.EIO
                || error == Errno.EINVAL
                || error == Errno.EMSGSIZE
                || error == Errno.EOPNOTSUPP;
    }
}
