package io.hxb.trunk;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.linux.Memory;
import io.hxb.topology.Shape;

import java.util.Arrays;

/**
 * Sends one loop's frames over the trunk of one dimension, round robin over the links that reach
 * the neighbour and take frames; links of a smaller weight get fewer. Owned by that loop.
 *
 * <p>A turn of a link is one frame, or a run of frames while bulk data is announced: frames can
 * only be joined to trains that follow each other on one link.
 *
 * <p>A link whose NIC has clearly more to send than another's misses every second turn, until the
 * other has as much: a source that waits for acknowledgements would otherwise keep only one NIC
 * busy. It does not miss more, because a link that swallows frames has nothing to send either.
 *
 * <p>While bulk data waits at the links, short frames of idle flows and those of the flows
 * themselves, such as acknowledgements, are sent ahead of it, on the link where the least waits.
 * They may be an eighth of what is sent; more of them take turns as all frames do, so that nobody
 * gains from dividing bulk data among idle flows.
 *
 * <p>Source: RFC 8290, where flows that had nothing queued go first for a bounded time; RI2N/UDP,
 * link choice by round robin per frame; PM/Ethernet-HXB, frames are spread over all NICs of a
 * dimension.
 */
public final class TrunkSender {
    /** All links that reach the neighbour are full. */
    public static final int BLOCKED = -1;

    /** No link reaches the neighbour. */
    public static final int NO_ROUTE = -2;

    private static final int FLUSH_FRAMES = 64;
    private static final int FLUSH_BYTES = 128 << 10;
    private static final int LOOK_BYTES_A_LINK = 128 << 10;

    /** Of what is sent between two looks, what may go ahead of the rest. */
    private static final int AHEAD_PART = 8;

    /** Where less than this waits, in the kernel and before it, nothing has to go ahead. */
    private static final int BUSY_BYTES = 16 << 10;

    /** Longest frame that goes ahead: a sparse one with its seal, or most acknowledgements. */
    private static final int MAX_AHEAD_BYTES = 512;

    /** Of a run, at most: a quarter of a millisecond at 1 Gbit/s, and half of the longest train. */
    private static final int MAX_RUN_BYTES = 32 << 10;

    /** A few jumbo frames, half a millisecond at 1 Gbit/s. */
    private static final long UNEVEN_BYTES = 64 << 10;

    private final Port[] ports;
    private final LinkSender[] senders;
    // By link of the trunk and neighbour.
    private final long[][] sentFrames;
    private final long[][] sentBytes;
    private final int[] sentAt;
    private final long[] unsentBytes;
    private final boolean[] isFuller;
    private final boolean[] hasMissed;
    private final QueueLimit limit;
    private int next;
    private int turns;
    private int lookBytes;

    /** Whether bulk data waits, and how much may go ahead of it until the next look. */
    private boolean isBusy;

    private int aheadBytes;

    /** Bytes of a run, 0 for one frame a turn, and what is left of the one on the next link. */
    private int runBytes;

    private int leftBytes;

    /**
     * Makes the sender of one trunk.
     *
     * @param ports the trunk's ports, {@code [links]}.
     * @param senders this loop's senders on the same links, {@code [links]}.
     */
    public TrunkSender(final Port[] ports, final LinkSender[] senders) {
        this.ports = ports.clone();
        this.senders = senders.clone();
        assert senders.length == ports.length : "a sender for each port";
        for (final Port port : ports) {
            assert port.dimension() == ports[0].dimension() : "a trunk lies in one dimension";
        }
        sentFrames = new long[ports.length][Shape.MAX_EXTENT];
        sentBytes = new long[ports.length][Shape.MAX_EXTENT];
        sentAt = new int[ports.length];
        unsentBytes = new long[ports.length];
        isFuller = new boolean[ports.length];
        hasMissed = new boolean[ports.length];
        final int maxBytes =
                Arrays.stream(senders).mapToInt(LinkSender::maxUnsentBytes).min().orElse(0);
        limit = maxBytes > 0 ? new QueueLimit(ports.length, maxBytes) : null;
    }

    /**
     * Frames queued for a neighbour on one link, modulo 2^32; any thread may ask and get a slightly
     * old value.
     *
     * @param number number of the link in the trunk.
     */
    public int sentFrames(final int number, final int neighbour) {
        return (int) sentFrames[number][neighbour];
    }

    /** Adds what is queued for each neighbour to the counters of this loop. Called at start. */
    public void addCounters(final CounterBlock block) {
        for (int number = 0; number < ports.length; number++) {
            final int index = ports[number].link().index();
            final long[] frames = sentFrames[number];
            final long[] bytes = sentBytes[number];
            block.neighbours(
                            CounterType.LINK_NEIGHBOUR_SENT_FRAMES,
                            index,
                            (into, at, count) -> System.arraycopy(frames, 0, into, at, count))
                    .neighbours(
                            CounterType.LINK_NEIGHBOUR_SENT_BYTES,
                            index,
                            (into, at, count) -> System.arraycopy(bytes, 0, into, at, count));
        }
    }

    /**
     * Announces that long frames to one neighbour follow: links that send trains get several in a
     * row, but no more than lets every link have some of them.
     *
     * @param bytes of them; 0 if other frames follow.
     */
    public void announceBulk(final int bytes) {
        if (leftBytes > 0) {
            leftBytes = 0;
            next = following(next);
        }
        runBytes = Math.min(MAX_RUN_BYTES, bytes / ports.length);
    }

    /**
     * Queues one frame on the next link that takes it; see {@link LinkSender#offer}.
     *
     * @param neighbour coordinate of the next hop in this dimension, 0 to 255.
     * @param backlogFrames frames that may wait on a link whose socket is full; with 0, blocked
     *     links are skipped.
     * @return number of the link that took it, {@link #BLOCKED} or {@link #NO_ROUTE}.
     */
    public int offer(final int neighbour, final int backlogFrames, final OutgoingFrame frame) {
        final int lengthBytes = frame.lengthBytes();
        final int count = ports.length;
        if (lookBytes <= 0) {
            look(neighbour);
        }
        if (isBusy && aheadBytes >= lengthBytes && isUrgent(frame)) {
            final int link = sendAhead(neighbour, frame);
            if (link >= 0) {
                return link;
            }
        }
        int index = next;
        boolean isKnown = false;
        boolean isFullKnown = false;
        int tries = count;
        for (int tried = 0; tried < tries; tried++) {
            final int number = index;
            index = following(index);
            final int weight = ports[number].weight(neighbour);
            if (weight == 0 || !ports[number].link().isUp()) {
                leftBytes = 0;
                continue;
            }
            isKnown = true;
            final boolean isInRun = leftBytes > 0;
            if (!isInRun && weight < Port.FULL_WEIGHT && !isDue(number, weight)) {
                continue;
            }
            isFullKnown = true;
            if (!isInRun && isFuller[number]) {
                hasMissed[number] = !hasMissed[number];
                if (hasMissed[number]) {
                    tries = 2 * count;
                    continue;
                }
            }
            if (hasRoom(senders[number], backlogFrames, lengthBytes)
                    && senders[number].offer(neighbour, frame)) {
                count(number, neighbour, senders[number].offeredFrames(), lengthBytes);
                onTaken(number, lengthBytes);
                return ports[number].link().index();
            }
            leftBytes = 0;
        }
        if (isKnown && !isFullKnown) {
            // Only links that have had their share are left: the next one is used all the same.
            makeDue();
        }
        isBusy |= isKnown;
        return isKnown ? BLOCKED : NO_ROUTE;
    }

    /**
     * True for a short frame that nothing may hold up: of an idle flow, or of the flows themselves.
     */
    public static boolean isUrgent(final OutgoingFrame frame) {
        if (frame.lengthBytes() > MAX_AHEAD_BYTES) {
            return false;
        }
        final long header = frame.headerAddress();
        final int type = Memory.getUnsignedByte(header + FrameHeaderFlyweight.TYPE_OFFSET);
        return type == FrameType.DATA
                ? FrameHeaderFlyweight.isSparse(header)
                : type != FrameType.FRAGMENT;
    }

    // Of the links that have their full share, the one where the least waits.
    private int sendAhead(final int neighbour, final OutgoingFrame frame) {
        final int lengthBytes = frame.lengthBytes();
        int best = -1;
        long leastBytes = Long.MAX_VALUE;
        boolean hasBulk = false;
        for (int i = 0; i < ports.length; i++) {
            if (ports[i].weight(neighbour) == Port.FULL_WEIGHT && ports[i].link().isUp()) {
                final long waitingBytes = senders[i].unsentBytes();
                hasBulk |= waitingBytes >= BUSY_BYTES || senders[i].queuedFrames() > 0;
                if (waitingBytes < leastBytes) {
                    leastBytes = waitingBytes;
                    best = i;
                }
            }
        }
        isBusy = hasBulk;
        if (!hasBulk || !senders[best].sendAhead(neighbour, frame)) {
            return BLOCKED;
        }
        aheadBytes -= lengthBytes;
        lookBytes -= lengthBytes;
        count(best, neighbour, 1, lengthBytes);
        return ports[best].link().index();
    }

    /**
     * Queues a fragment that is relayed: those of one frame, which have a number in common, take
     * one link, so that one loop of the next node sees all of them.
     *
     * @param frameNumber of the long frame that it is of.
     * @return as {@link #offer}, like the other arguments.
     */
    public int offerFragment(
            final int neighbour,
            final int backlogFrames,
            final OutgoingFrame frame,
            final int frameNumber) {
        int number = Integer.remainderUnsigned(frameNumber, ports.length);
        for (int tried = 0; tried < ports.length; tried++) {
            if (ports[number].isUsable(neighbour)) {
                return offerOn(number, neighbour, backlogFrames, frame);
            }
            number = following(number);
        }
        return NO_ROUTE;
    }

    /**
     * Queues a frame on one link only: the one that took it before.
     *
     * @param link index of the link in the node.
     * @return as {@link #offer}; {@link #NO_ROUTE} also if the link is not of this trunk.
     */
    public int offerOnLink(final int link, final int neighbour, final OutgoingFrame frame) {
        for (int number = 0; number < ports.length; number++) {
            if (ports[number].link().index() == link && ports[number].isUsable(neighbour)) {
                return offerOn(number, neighbour, 0, frame);
            }
        }
        return NO_ROUTE;
    }

    private int offerOn(
            final int number,
            final int neighbour,
            final int backlogFrames,
            final OutgoingFrame frame) {
        final LinkSender sender = senders[number];
        if (!hasRoom(sender, backlogFrames, frame.lengthBytes())
                || !sender.offer(neighbour, frame)) {
            return BLOCKED;
        }
        count(number, neighbour, sender.offeredFrames(), frame.lengthBytes());
        lookBytes -= frame.lengthBytes();
        return ports[number].link().index();
    }

    /**
     * The links to a neighbour are full of frames whose shortest way it is.
     *
     * @param untilNs until when that holds.
     */
    public void busy(final int neighbour, final long untilNs) {
        for (final Port port : ports) {
            if (port.isUsable(neighbour)) {
                port.busy(untilNs);
            }
        }
    }

    /** True if the links to a neighbour are full of frames whose shortest way it is. */
    public boolean isBusy(final int neighbour, final long nowNs) {
        for (final Port port : ports) {
            if (port.isUsable(neighbour) && port.isBusy(nowNs)) {
                return true;
            }
        }
        return false;
    }

    /**
     * True if at least one link reaches the neighbour.
     *
     * @param neighbour its coordinate in this dimension, 0 to 255.
     */
    public boolean isReached(final int neighbour) {
        for (final Port port : ports) {
            if (port.isUsable(neighbour)) {
                return true;
            }
        }
        return false;
    }

    /**
     * True if at least one link that reaches the neighbour is not blocked, so that a frame is worth
     * preparing for {@link #offer}, which may still find the link full.
     *
     * @param neighbour its coordinate in this dimension, 0 to 255.
     */
    public boolean isWritable(final int neighbour) {
        for (int i = 0; i < ports.length; i++) {
            if (ports[i].isUsable(neighbour) && !senders[i].isBlocked()) {
                return true;
            }
        }
        return false;
    }

    private void count(
            final int number, final int neighbour, final int frames, final int lengthBytes) {
        sentFrames[number][neighbour] += frames;
        sentBytes[number][neighbour] += lengthBytes;
    }

    private int following(final int number) {
        return number + 1 == ports.length ? 0 : number + 1;
    }

    private void onTaken(final int number, final int lengthBytes) {
        lookBytes -= lengthBytes;
        if (leftBytes == 0) {
            sentAt[number] = ++turns;
            leftBytes = senders[number].sendsTrains() ? runBytes : 0;
        }
        leftBytes = Math.max(0, leftBytes - lengthBytes);
        next = leftBytes > 0 ? number : following(number);
    }

    private void look(final int neighbour) {
        lookBytes = LOOK_BYTES_A_LINK * ports.length;
        aheadBytes = lookBytes / AHEAD_PART;
        long minBytes = Long.MAX_VALUE;
        long maxBytes = 0;
        for (int i = 0; i < ports.length; i++) {
            unsentBytes[i] = 0;
            if (ports[i].isUsable(neighbour)) {
                unsentBytes[i] = senders[i].unsentBytes();
                minBytes = Math.min(minBytes, unsentBytes[i]);
                maxBytes = Math.max(maxBytes, unsentBytes[i]);
            }
        }
        for (int i = 0; i < ports.length; i++) {
            isFuller[i] = unsentBytes[i] - minBytes >= UNEVEN_BYTES;
        }
        isBusy = maxBytes >= BUSY_BYTES;
        if (limit != null) {
            limitQueues(neighbour);
        }
    }

    private void limitQueues(final int neighbour) {
        final long nowNs = System.nanoTime();
        if (!limit.begin(nowNs)) {
            return;
        }
        for (int i = 0; i < ports.length; i++) {
            if (ports[i].isUsable(neighbour)) {
                limit.look(i, senders[i].sentBytes(), unsentBytes[i], senders[i].isBlocked());
            }
        }
        if (limit.end(nowNs)) {
            for (final LinkSender sender : senders) {
                sender.limitUnsent(limit.bytes());
            }
        }
    }

    // A link of a smaller weight is skipped until it is due its share of the turns.
    private boolean isDue(final int number, final int weight) {
        return (long) (turns - sentAt[number]) * weight >= (long) Port.FULL_WEIGHT * ports.length;
    }

    private void makeDue() {
        turns += Port.FULL_WEIGHT * ports.length;
    }

    // What waits here waits as well as what waits in the kernel.
    private static boolean hasRoom(
            final LinkSender sender, final int backlogFrames, final int lengthBytes) {
        final int queued = sender.queuedFrames();
        if ((queued >= FLUSH_FRAMES || queued * lengthBytes >= FLUSH_BYTES)
                && !sender.isBlocked()) {
            sender.flush();
        }
        return !sender.isBlocked() || sender.queuedFrames() < backlogFrames;
    }
}
