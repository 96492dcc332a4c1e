package io.hxb.link;

import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.linux.Memory;

/**
 * Where the long frames of one loop are joined, of fragments, of segments, or of both: what is lost
 * of a frame that was sent as segments is sent again as fragments. Owned by that loop.
 *
 * <p>The source in the sense of {@link FrameReassembler} is the neighbour and link that a piece
 * came from: what a piece claims about its origin is not proven before its frame is complete. Their
 * number and the node that they claim to come from identify frames. So two nodes behind one relay
 * may use the same numbers.
 *
 * <p>The header of a fragment of each incomplete frame is kept at the beginning of its buffer, as
 * soon as it is known.
 */
public final class LongFrameJoin implements AutoCloseable {
    private static final int LINK_SHIFT = 48;
    private static final int ORIGIN_MASK = 0xFF_FFFF;

    private final BufferPool pool;
    private final FrameReassembler reassembler;
    private final FragmentFlyweight fragment = new FragmentFlyweight();

    /**
     * Makes it without frames.
     *
     * @param pool of the buffers.
     * @param reassembler of this loop, which is closed with it.
     */
    public LongFrameJoin(final BufferPool pool, final FrameReassembler reassembler) {
        this.pool = pool;
        this.reassembler = reassembler;
    }

    /** Distinguishes the nodes of a cluster, as far as three dimensions do; 24 bits. */
    public static int origin(final long coordinates) {
        return (int) (coordinates ^ coordinates >>> 24 ^ coordinates >>> 48) & ORIGIN_MASK;
    }

    private static long source(final int link, final long sourceAddress) {
        return ((long) link << LINK_SHIFT) ^ sourceAddress;
    }

    private static long number(final int origin, final int number) {
        return ((long) origin << Integer.SIZE) | (number & 0xFFFF_FFFFL);
    }

    private static long numberOf(final long header) {
        final long coordinates = Memory.getLong(header + FrameHeaderFlyweight.SOURCE_OFFSET);
        return number(origin(coordinates), FragmentFlyweight.number(header));
    }

    /**
     * Takes a valid fragment and its pool buffer.
     *
     * @param link index of the link that it arrived on.
     * @param sourceAddress link address of the neighbour.
     * @return the buffer with the whole frame, or {@link BufferPool#NONE}; see {@link
     *     FrameReassembler#answer}.
     */
    public int onBuffer(
            final int link, final long sourceAddress, final int bufferId, final long nowNs) {
        final long header = pool.headerAddress(bufferId);
        // Where it remains if this is the first fragment of its frame, whose range moves over it.
        final long kept = pool.address(bufferId);
        Memory.copyShort(header, kept, FrameHeaderFlyweight.LENGTH);
        return reassembler.onBuffer(
                source(link, sourceAddress),
                numberOf(kept),
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
    public int onFrame(
            final int link, final long sourceAddress, final long header, final long nowNs) {
        final int id =
                reassembler.onRange(
                        source(link, sourceAddress),
                        numberOf(header),
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

    /**
     * Takes the payload of a segment that lies at the header address of a pool buffer, and the
     * buffer.
     *
     * @param itsOrigin {@link #origin} of the node that it claims to come from.
     * @param itsNumber number of the long frame.
     * @param frameBytes length of the long frame.
     * @param offset of the payload in it.
     * @return as {@link #onBuffer}, like the other arguments.
     */
    public int onSegmentBuffer(
            final int link,
            final long sourceAddress,
            final int itsOrigin,
            final int itsNumber,
            final int frameBytes,
            final int offset,
            final int bufferId,
            final int lengthBytes,
            final long nowNs) {
        final int id =
                reassembler.onBuffer(
                        source(link, sourceAddress),
                        number(itsOrigin, itsNumber),
                        frameBytes,
                        offset,
                        bufferId,
                        lengthBytes,
                        nowNs);
        forgetHeader();
        return id;
    }

    /**
     * Takes the payload of a segment that lies elsewhere.
     *
     * @param address first byte of the payload.
     * @return as {@link #onBuffer}, like the other arguments.
     */
    public int onSegment(
            final int link,
            final long sourceAddress,
            final int itsOrigin,
            final int itsNumber,
            final int frameBytes,
            final int offset,
            final long address,
            final int lengthBytes,
            final long nowNs) {
        final int id =
                reassembler.onRange(
                        source(link, sourceAddress),
                        number(itsOrigin, itsNumber),
                        frameBytes,
                        offset,
                        address,
                        lengthBytes,
                        nowNs);
        forgetHeader();
        return id;
    }

    // A frame that begins with a segment has no header of a fragment yet.
    private void forgetHeader() {
        if (reassembler.begunBuffer() != BufferPool.NONE) {
            Memory.putByte(
                    pool.address(reassembler.begunBuffer()) + FrameHeaderFlyweight.TYPE_OFFSET, 0);
        }
    }

    /**
     * The header of a fragment of the frame that {@link FrameReassembler#missing} has found.
     *
     * @param bufferId the buffer that it named.
     * @return address of the header; 0 if neither a fragment nor the beginning of the frame has
     *     arrived.
     */
    public long missingHeader(final int bufferId) {
        final long kept = pool.address(bufferId);
        if (FragmentFlyweight.isFragment(kept)) {
            return kept;
        }
        if (reassembler.arrivedOffset(0) > 0
                || reassembler.arrivedBytes(0) < FrameHeaderFlyweight.LENGTH) {
            return 0;
        }
        fragment.write(
                kept,
                pool.headerAddress(bufferId),
                (int) reassembler.missingNumber(),
                reassembler.missingFrameBytes(),
                0,
                FragmentFlyweight.UNIT_BYTES);
        return kept;
    }

    /** What joins the pieces. */
    public FrameReassembler reassembler() {
        return reassembler;
    }

    /** Gives the buffers of incomplete frames back. */
    @Override
    public void close() {
        reassembler.close();
    }
}
