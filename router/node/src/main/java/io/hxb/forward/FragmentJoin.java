package io.hxb.forward;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.DropReason;
import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.MissingFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameReassembler;
import io.hxb.linux.Memory;

/**
 * Joins the fragments of long frames to this node, and requests lost ones from their sources. Owned
 * by one loop.
 *
 * <p>A lost fragment does not cost its frame: when a later frame of the same neighbour is complete,
 * or nothing has arrived for a while, a MISSING frame requests the missing ranges, and the source
 * sends these from the frame, which it still has in flight; see {@link MissingFlyweight}. An
 * incomplete frame is requested at most {@link FrameReassembler#MAX_REQUESTS} times, with
 * exponential backoff, and then left to the retransmission of its flow, as it is where the payload
 * is encrypted: the encrypted bytes are not kept. Alternatives: the flow alone repeats the whole
 * frame, which at a loss of 1 % costs 8 to 50 % of the goodput; or shorter frames while there is
 * loss, which costs CPU.
 *
 * <p>The source in the sense of {@link FrameReassembler} is the neighbour and link that a fragment
 * came from: what a fragment claims about its origin is not proven before its frame is complete.
 */
final class FragmentJoin {
    /** Part of the pool's buffers that incomplete frames of one loop may hold. */
    private static final int POOL_PART = 16;

    private static final int MIN_FRAMES = 4;
    private static final int MAX_FRAMES = 256;

    /** Part of these that frames from one neighbour may hold. */
    private static final int NEIGHBOUR_PART = 4;

    /** Time until a frame is given up, and until the first request without later frames. */
    private static final long TIMEOUT_NS = 50_000_000;

    private static final long QUIET_NS = 1_000_000;
    private static final int REQUESTS_A_TURN = 8;
    private static final int LINK_SHIFT = 48;

    private final BufferPool pool;
    private final BufferPool.Share share;
    private final FrameSource output;
    private final CounterBlock counters;
    private final FrameReassembler reassembler;
    private final MissingFlyweight missing = new MissingFlyweight();
    private long displacedSeen;

    /** Makes the place of one loop, in buffers of its {@code share}. */
    FragmentJoin(
            final BufferPool pool,
            final BufferPool.Share share,
            final FrameSource output,
            final CounterBlock counters) {
        this.pool = pool;
        this.share = share;
        this.output = output;
        this.counters = counters;
        final int frames = Math.clamp(pool.bufferCount() / POOL_PART, MIN_FRAMES, MAX_FRAMES);
        reassembler =
                new FrameReassembler(
                        share, frames, Math.max(1, frames / NEIGHBOUR_PART), TIMEOUT_NS);
        reassembler.requestMissing(QUIET_NS);
    }

    /**
     * Takes a valid fragment and its pool buffer.
     *
     * @param link index of the link that it arrived on.
     * @param sourceAddress link address of the neighbour.
     * @return the buffer with the whole frame, or {@link BufferPool#NONE}; see {@link #dropReason}.
     */
    int onBuffer(final int link, final long sourceAddress, final int bufferId, final long nowNs) {
        final long header = pool.headerAddress(bufferId);
        // Where it remains if this is the first fragment of its frame, whose range moves over it.
        final long kept = pool.address(bufferId);
        Memory.copyShort(header, kept, FrameHeaderFlyweight.LENGTH);
        return reassembler.onBuffer(
                source(link, sourceAddress),
                frameNumber(kept),
                FragmentFlyweight.frameBytes(kept),
                FragmentFlyweight.offset(kept),
                bufferId,
                header + FrameHeaderFlyweight.LENGTH,
                FrameHeaderFlyweight.frameLength(kept) - FrameHeaderFlyweight.LENGTH,
                nowNs);
    }

    /**
     * Takes the range of a valid fragment that lies elsewhere.
     *
     * @return as {@link #onBuffer}, like the other arguments.
     */
    int onFrame(final int link, final long sourceAddress, final long header, final long nowNs) {
        final int id =
                reassembler.onRange(
                        source(link, sourceAddress),
                        frameNumber(header),
                        FragmentFlyweight.frameBytes(header),
                        FragmentFlyweight.offset(header),
                        header + FrameHeaderFlyweight.LENGTH,
                        FrameHeaderFlyweight.frameLength(header) - FrameHeaderFlyweight.LENGTH,
                        nowNs);
        if (reassembler.begunBuffer() != BufferPool.NONE) {
            Memory.copyShort(
                    header, pool.address(reassembler.begunBuffer()), FrameHeaderFlyweight.LENGTH);
        }
        return id;
    }

    private static long source(final int link, final long sourceAddress) {
        return ((long) link << LINK_SHIFT) ^ sourceAddress;
    }

    // Several senders of a node, or several nodes, may use one number at the same time.
    private static long frameNumber(final long header) {
        final long sequence = Memory.getInt(header + FrameHeaderFlyweight.SEQUENCE_OFFSET);
        return (sequence << Integer.SIZE) | (FragmentFlyweight.number(header) & 0xFFFF_FFFFL);
    }

    /** Why the last fragment was dropped; {@link DropReason#NONE} if it was not. */
    int dropReason() {
        return switch (reassembler.answer()) {
            case FrameReassembler.TAKEN -> DropReason.NONE;
            case FrameReassembler.DOUBLED -> DropReason.FRAGMENT_DOUBLED;
            case FrameReassembler.CONTRADICTING -> DropReason.FRAGMENT_CONTRADICTING;
            case FrameReassembler.LATE -> DropReason.FRAGMENT_LATE;
            default -> DropReason.FRAGMENT_REFUSED;
        };
    }

    /** Requests missing ranges and gives up frames that are too old; returns how many of both. */
    int doWork(final long nowNs) {
        if (reassembler.openFrames() == 0) {
            return 0;
        }
        int work = reassembler.expire(nowNs);
        counters.add(CounterType.FORWARD_EXPIRED_FRAMES, work);
        final long displaced = reassembler.counts().displaced();
        counters.add(CounterType.FORWARD_DISPLACED_FRAMES, displaced - displacedSeen);
        displacedSeen = displaced;
        for (int i = 0; i < REQUESTS_A_TURN; i++) {
            final int id = reassembler.missing(nowNs);
            if (id == BufferPool.NONE) {
                break;
            }
            work += request(pool.address(id));
        }
        return work;
    }

    private int request(final long fragmentAddress) {
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return 0;
        }
        final long header = pool.headerAddress(id);
        missing.wrap(header).answer(fragmentAddress);
        final int ranges = Math.min(reassembler.gaps(), MissingFlyweight.MAX_RANGES);
        for (int i = 0; i < ranges; i++) {
            missing.add(reassembler.gapOffset(i), reassembler.gapBytes(i));
        }
        final int frameBytes = FrameHeaderFlyweight.frameLength(header);
        final int link = output.send(output.outgoing().wrap(header, frameBytes, share, id));
        if (link < 0) {
            share.release(id);
            return 0;
        }
        counters.increment(CounterType.FORWARD_ASKED_FRAMES);
        return 1;
    }

    /** The latest time for the next {@link #doWork}; Long.MAX_VALUE for never. */
    long nextDeadlineNs() {
        return reassembler.nextDeadlineNs();
    }

    /** Gives the buffers of incomplete frames back. */
    void close() {
        reassembler.close();
    }
}
