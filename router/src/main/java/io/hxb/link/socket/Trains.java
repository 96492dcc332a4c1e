package io.hxb.link.socket;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.TrainCounts;
import io.hxb.linux.Errno;
import io.hxb.linux.Memory;
import io.hxb.os.MessageVector;
import io.hxb.os.Sockets;
import io.hxb.os.TrainVector;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.foreign.MemorySegment;

/**
 * Joins frames that wait in a {@link SocketSender} into trains: frames of one size to one neighbour
 * that follow each other, of which the last may be shorter, are one send. Kernel or NIC cut them
 * apart, so each still is a datagram of its own. Owned by the sender's loop.
 *
 * <p>Short frames go one by one. Where short frames of idle flows share the link trains stay short,
 * so that such a frame waits for a few others only. A link that refuses a train sends frame by
 * frame from then on.
 */
public final class Trains {
    private static final Logger LOGGER = LoggerFactory.getLogger(Trains.class);

    /** Source: RFC 768 over RFC 791, the longest datagram. */
    private static final int MAX_BYTES = 65_507;

    /** Frames below this length go one by one; with it a train has less than 64 segments. */
    private static final int MIN_FRAME_BYTES = 1024;

    /** Frames of a train while lone frames share the link, and trains until they are forgotten. */
    private static final int SHORT_FRAMES = 4;

    private static final int SHORT_TRAINS = 256;

    private static final int MAX_TRAINS = 64;
    private static final int MAX_BATCH_FRAMES = 256;
    private static final int PIECES_A_FRAME = 3;

    private final String link;
    private final TrainCounts counts = new TrainCounts();
    private final TrainVector vector;
    private final int maxFrames;
    private final int[] lengths = new int[MAX_TRAINS];
    private int shortTrains;
    private int built;
    private boolean isOn = true;

    /**
     * Makes the trains of one sender.
     *
     * @param link name of the link, for the log.
     * @param queueFrames frames that the sender holds, a power of two.
     */
    public Trains(final String link, final int queueFrames) {
        this.link = link;
        maxFrames = Math.min(queueFrames, MAX_BATCH_FRAMES);
        vector = new TrainVector(MAX_TRAINS, PIECES_A_FRAME * maxFrames);
    }

    /** False once the link has refused a train. */
    boolean isOn() {
        return isOn;
    }

    TrainCounts counts() {
        return counts;
    }

    /**
     * Sends from the head of a queue.
     *
     * @param queue the frames, {@code [frameBytes.length]}.
     * @param frameBytes bytes of each.
     * @param head position of the first frame.
     * @param tail position behind the last.
     * @return frames that the kernel took, or the negative errno of the first {@link #firstFrames}.
     */
    int send(
            final MemorySegment errno,
            final int descriptor,
            final MessageVector queue,
            final int[] frameBytes,
            final int head,
            final int tail) {
        build(queue, frameBytes, head, head + Math.min(tail - head, maxFrames));
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
    int firstFrames() {
        return lengths[0];
    }

    private void build(
            final MessageVector queue, final int[] frameBytes, final int head, final int end) {
        final int mask = frameBytes.length - 1;
        vector.clear();
        built = 0;
        int position = head;
        while (position != end && built < MAX_TRAINS) {
            final int frames = trainFrames(queue, frameBytes, position, end);
            vector.add(queue, position & mask, frames, frameBytes[position & mask]);
            lengths[built++] = frames;
            position += frames;
        }
    }

    private int trainFrames(
            final MessageVector queue, final int[] frameBytes, final int first, final int end) {
        final int index = first & frameBytes.length - 1;
        final int size = frameBytes[index];
        if (size < MIN_FRAME_BYTES) {
            if (FrameHeaderFlyweight.isSparse(queue.firstAddress(index))) {
                shortTrains = SHORT_TRAINS;
            }
            return 1;
        }
        // The messages of a train lie behind each other, so it ends where the ring does.
        int limit = Math.min(end - first, frameBytes.length - index);
        if (shortTrains > 0) {
            shortTrains--;
            limit = Math.min(limit, SHORT_FRAMES);
        }
        final long address = name(queue, index);
        int bytes = size;
        int frames = 1;
        int last = size;
        while (frames < limit && last == size) {
            last = frameBytes[index + frames];
            bytes += last;
            if (last > size
                    || last < MIN_FRAME_BYTES
                    || bytes > MAX_BYTES
                    || name(queue, index + frames) != address) {
                break;
            }
            frames++;
        }
        return frames;
    }

    // Family, port and address of a sockaddr_in.
    private static long name(final MessageVector queue, final int index) {
        return Memory.getLong(queue.nameAddress(index));
    }

    /**
     * The kernel did not take the first frames of a {@link #send}: ends trains on this link if that
     * is why.
     *
     * @return true if the frames should be sent again, one by one.
     */
    boolean isRefused(final int error) {
        if (!isOn || lengths[0] == 1 || !isOfTrains(error)) {
            return false;
        }
        isOn = false;
        counts.onRefused();
        LOGGER.warn(
                "link {}: frames are sent one by one, since the kernel refuses several at once"
                        + " ({}): let socket.mtu be at most the MTU of the path less 28, and the"
                        + " NIC compute checksums (ethtool -K NIC tx on)",
                link,
                Errno.describe(error));
        return true;
    }

    private static boolean isOfTrains(final int error) {
        return error == Errno.EIO
                || error == Errno.EINVAL
                || error == Errno.EMSGSIZE
                || error == Errno.EOPNOTSUPP;
    }
}
