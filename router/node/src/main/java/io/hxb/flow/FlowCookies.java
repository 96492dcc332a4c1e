package io.hxb.flow;

import io.hxb.frame.FrameHeaderFlyweight;

import java.security.SecureRandom;

/**
 * The first sequences that the receivers of a node ask for: each is a ticket, which the source
 * shows with its first frame. So OPEN leaves nothing behind here: a flow is made for data only that
 * proves that its source heard the answer, and no frame of an earlier flow passes for one of a
 * later flow. Immutable; any thread.
 *
 * <p>A ticket is a keyed hash of both ends, their incarnations, the epoch and the time, which
 * counts in slices of a sixteenth to an eighth of the peer timeout. It is valid for one peer
 * timeout at least, as long as a source tries. The idea is that of SYN cookies (RFC 4987, 3.6).
 *
 * <pre>
 * bits of the sequence
 *   31..26 number of the slice, modulo 64
 *   25..0  hash, so far below 2^26 that the first frames do not change the slice
 * </pre>
 */
class FlowCookies {
    /** No time, as those of slices are even: the ticket is not valid. */
    static final long INVALID = 1;

    /** Frames that a source may send before it has an answer to the first. */
    static final int MAX_FRAMES = 16;

    private static final int HASH_BITS = 26;
    private static final long HASHES = (1L << HASH_BITS) - 4_096;
    private static final int SLICES = 64;

    private final long key0;
    private final long key1;
    private final int sliceShift;
    private final int validSlices;

    /** Makes those of one node, with a key that nobody knows. */
    FlowCookies(final long peerTimeoutNs) {
        this(peerTimeoutNs, new SecureRandom());
    }

    private FlowCookies(final long peerTimeoutNs, final SecureRandom random) {
        this(peerTimeoutNs, random.nextLong(), random.nextLong());
    }

    /** Makes those with a certain key. */
    FlowCookies(final long peerTimeoutNs, final long key0, final long key1) {
        this.key0 = key0;
        this.key1 = key1;
        sliceShift = Long.SIZE - 1 - Long.numberOfLeadingZeros(peerTimeoutNs / 8);
        validSlices = (int) (peerTimeoutNs >>> sliceShift) + 2;
        assert validSlices < SLICES / 2 : validSlices;
    }

    /** The time after which a ticket is not valid any more, whatever clocks are rounded to. */
    final long lifetimeNs() {
        return (validSlices + 2L) << sliceShift;
    }

    /** The start of the slice of {@code nowNs}, which a ticket of that time carries. */
    final long issueNs(final long nowNs) {
        return nowNs & -(1L << sliceShift);
    }

    /**
     * The first sequence of a flow.
     *
     * @param frame from the source, with the epoch of the flow: OPEN or a later one.
     * @param issueNs from {@link #issueNs} or {@link #issueOf}.
     */
    int first(final FlowContext context, final FrameHeaderFlyweight frame, final long issueNs) {
        return first(context.id, context.incarnation, frame, issueNs);
    }

    /** As the other method, for a context that may be closed. */
    int first(
            final int contextId,
            final int incarnation,
            final FrameHeaderFlyweight frame,
            final long issueNs) {
        final long hash =
                SipHash.hash(
                        key0,
                        key1,
                        frame.source(),
                        (long) frame.sourceIncarnation() << 32 | (incarnation & 0xFFFF_FFFFL),
                        (long) frame.sourceContext() << 48 | (long) contextId << 32 | frame.epoch(),
                        issueNs);
        final int slice = (int) (issueNs >>> sliceShift) & (SLICES - 1);
        return (slice << HASH_BITS) | (int) (((hash >>> 32) * HASHES) >>> 32);
    }

    /**
     * When the ticket was issued that one of the first frames of a flow shows.
     *
     * @param frame DATA or PROBE for {@code context}.
     * @return as {@link #issueNs}, or {@link #INVALID}.
     */
    long issueOf(final FlowContext context, final FrameHeaderFlyweight frame, final long nowNs) {
        return issueOf(context.id, context.incarnation, frame, nowNs);
    }

    /** As the other method, for a context that may be closed. */
    long issueOf(
            final int contextId,
            final int incarnation,
            final FrameHeaderFlyweight frame,
            final long nowNs) {
        final int sequence = frame.sequence();
        // A loop whose turn began earlier may be a slice behind the one that issued it.
        final int now = (int) (nowNs >>> sliceShift) + 1;
        final int age = ((now - (sequence >>> HASH_BITS)) & (SLICES - 1)) - 1;
        if (age > validSlices) {
            return INVALID;
        }
        final long issueNs = issueNs(nowNs) - ((long) age << sliceShift);
        final int ahead = sequence - first(contextId, incarnation, frame, issueNs);
        return ahead >= 0 && ahead <= MAX_FRAMES ? issueNs : INVALID;
    }

    /**
     * A number of 16 bits that nobody can guess, for a request that {@code flow} sends at {@code
     * nowNs}.
     */
    final int nonce(final SendFlow flow, final long nowNs) {
        return (int)
                        SipHash.hash(
                                key1, key0, flow.key, flow.context.incarnation, flow.epoch(), nowNs)
                & 0xFFFF;
    }
}
