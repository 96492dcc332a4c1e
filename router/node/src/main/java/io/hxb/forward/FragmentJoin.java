package io.hxb.forward;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.DropReason;
import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameCrc;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameValidator;
import io.hxb.frame.MissingFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameReassembler;
import io.hxb.link.LongFrameJoin;
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
 * <p>A relay takes what arrives as segments as one frame, too, since it sends that on with one
 * system call. A frame that has lost segments it sends on as fragments, so that the destination
 * knows what is missing.
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

    private final BufferPool pool;
    private final BufferPool.Share share;
    private final FrameSource output;
    private final CounterBlock counters;
    private final FrameReassembler reassembler;
    private final LongFrameJoin frames;
    private final ForwardParts parts;
    private final FrameCrc crc = new FrameCrc();
    private final FragmentFlyweight fragment = new FragmentFlyweight();
    private final MissingFlyweight missing = new MissingFlyweight();
    private long displacedSeen;

    /** Makes the place of one loop, in buffers of its {@code share}. */
    FragmentJoin(
            final ForwardParts parts,
            final BufferPool.Share share,
            final FrameSource output,
            final CounterBlock counters) {
        this.parts = parts;
        pool = parts.pool();
        this.share = share;
        this.output = output;
        this.counters = counters;
        final int places = Math.clamp(pool.bufferCount() / POOL_PART, MIN_FRAMES, MAX_FRAMES);
        reassembler =
                new FrameReassembler(
                        share, places, Math.max(1, places / NEIGHBOUR_PART), TIMEOUT_NS);
        reassembler.requestMissing(QUIET_NS);
        frames = new LongFrameJoin(pool, reassembler);
    }

    /** Where the pieces are joined. */
    LongFrameJoin frames() {
        return frames;
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

    /**
     * Requests what is missing, gives up what is too old, and sends on incomplete frames for other
     * nodes that have lost segments.
     *
     * @return how many of all.
     */
    int doWork(final Relay relay, final long nowNs) {
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
            final long header = frames.missingHeader(id);
            if (header != 0 && isValid(header)) {
                work += handle(relay, id, header, nowNs);
            }
        }
        return work;
    }

    // The header of a frame that comes as segments has not been checked yet. One that claims to
    // come
    // from this node is forged.
    private boolean isValid(final long header) {
        return Memory.getLong(header + FrameHeaderFlyweight.SOURCE_OFFSET) != parts.here()
                && FrameValidator.checkHeader(
                                header,
                                FrameHeaderFlyweight.frameLength(header),
                                parts.cluster().clusterId())
                        == DropReason.NONE
                && FrameValidator.checkEndToEnd(header, parts.cluster().shape(), crc)
                        == DropReason.NONE;
    }

    private int handle(final Relay relay, final int id, final long header, final long nowNs) {
        final long end = Memory.getLong(header + FrameHeaderFlyweight.DESTINATION_OFFSET);
        if (end == parts.here()) {
            return requestMissing(header);
        }
        if (!reassembler.isMissingStuck()) {
            return 0;
        }
        for (int i = 0; i < reassembler.arrived(); i++) {
            sendOn(relay, id, header, reassembler.arrivedOffset(i), reassembler.arrivedBytes(i));
        }
        reassembler.giveUpMissing(nowNs);
        return 1;
    }

    // A range may be as long as a buffer, which then has no room for the header of the fragment.
    private void sendOn(
            final Relay relay,
            final int id,
            final long header,
            final int offset,
            final int lengthBytes) {
        final int maxBytes =
                pool.frameBytes() - FrameHeaderFlyweight.LENGTH & -FragmentFlyweight.UNIT_BYTES;
        for (int done = 0; done < lengthBytes; done += maxBytes) {
            final int bytes = Math.min(maxBytes, lengthBytes - done);
            final int start = offset + done;
            final int copy = isWhole(start, bytes) ? share.acquire() : BufferPool.NONE;
            if (copy == BufferPool.NONE) {
                return;
            }
            final long target = pool.headerAddress(copy);
            fragment.write(
                    target,
                    header,
                    FragmentFlyweight.number(header),
                    reassembler.missingFrameBytes(),
                    start,
                    bytes);
            Memory.copy(
                    pool.headerAddress(id) + start, target + FrameHeaderFlyweight.LENGTH, bytes);
            relay.relay(copy, FrameHeaderFlyweight.LENGTH + bytes);
        }
    }

    // Segments of a foreign length do not begin and end where fragments do.
    private boolean isWhole(final int offset, final int lengthBytes) {
        final int end = offset + lengthBytes;
        return offset % FragmentFlyweight.UNIT_BYTES == 0
                && (end % FragmentFlyweight.UNIT_BYTES == 0
                        || end == reassembler.missingFrameBytes());
    }

    private int requestMissing(final long header) {
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return 0;
        }
        final long request = pool.headerAddress(id);
        missing.wrap(request).answer(header);
        final int ranges = Math.min(reassembler.gaps(), MissingFlyweight.MAX_RANGES);
        int added = 0;
        for (int i = 0; i < ranges; i++) {
            if (isWhole(reassembler.gapOffset(i), reassembler.gapBytes(i))) {
                missing.add(reassembler.gapOffset(i), reassembler.gapBytes(i));
                added++;
            }
        }
        final int frameBytes = FrameHeaderFlyweight.frameLength(request);
        final int link =
                added == 0
                        ? -1
                        : output.send(output.outgoing().wrap(request, frameBytes, share, id));
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
        frames.close();
    }

    /** Sends fragments on. */
    @FunctionalInterface
    interface Relay {
        /**
         * Takes a fragment for another node and its pool buffer.
         *
         * @param lengthBytes of the frame in it.
         */
        void relay(int bufferId, int lengthBytes);
    }
}
