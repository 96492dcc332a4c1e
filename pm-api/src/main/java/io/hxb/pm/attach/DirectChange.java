package io.hxb.pm.attach;

/**
 * A change of the DirectRings that a context has with others, as the node reports it to the
 * context. Immutable.
 *
 * @param kind {@link #NONE}, {@link #OFFERED}, {@link #RECEIVER_GONE} or {@link #SENDER_GONE}.
 * @param peerContext the other end.
 * @param ring number of the ring with the node.
 * @param memory of a ring that is offered, which the receiver of this closes; else null, also where
 *     it could not be mapped.
 */
public record DirectChange(int kind, int peerContext, long ring, DirectMemory memory) {
    /** There is no change. */
    public static final int NONE = 0;

    /** The other context wants to send by a ring. */
    public static final int OFFERED = 1;

    /** The other context was to receive by a ring, and is closed. */
    public static final int RECEIVER_GONE = 2;

    /** The other context sent by a ring, and is closed. */
    public static final int SENDER_GONE = 3;

    /** No change. */
    public static final DirectChange NOTHING = new DirectChange(NONE, 0, 0, null);
}
