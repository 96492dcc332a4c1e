package io.hxb.pm;

/**
 * What a context does with messages to one destination that takes them slowly. Immutable.
 *
 * @param maxMessages messages that may be claimed or unfinished at the same time, 1 or more; {@link
 *     Integer#MAX_VALUE} for the destination's share of the send buffers, which is never exceeded.
 * @param maxWaitNs longest wait of a call that sends or claims, in ns, 0 or more, whatever time-out
 *     the call is given; {@link Long#MAX_VALUE} for the call's. With 0 the call returns {@link
 *     PmStatus#NO_BUFFERS} immediately.
 * @param isDropping true to drop messages for which there is no buffer within that time: the call
 *     returns {@link PmStatus#DROPPED}, and {@link PmDestination#droppedMessages()} counts it.
 */
public record PmDestinationOptions(int maxMessages, long maxWaitNs, boolean isDropping) {
    /** The destination's share of the send buffers, and the time-outs of the calls. */
    public static final PmDestinationOptions DEFAULT =
            new PmDestinationOptions(Integer.MAX_VALUE, Long.MAX_VALUE, false);

    /** Calls never wait: {@link PmStatus#NO_BUFFERS}. */
    public static final PmDestinationOptions FAIL =
            new PmDestinationOptions(Integer.MAX_VALUE, 0, false);

    /** Calls never wait: {@link PmStatus#DROPPED}. */
    public static final PmDestinationOptions DROP =
            new PmDestinationOptions(Integer.MAX_VALUE, 0, true);

    /**
     * Checks the options.
     *
     * @throws IllegalArgumentException if one is out of its range.
     */
    public PmDestinationOptions {
        if (maxMessages < 1) {
            throw new IllegalArgumentException("maxMessages must be 1 or more: " + maxMessages);
        }
        if (maxWaitNs < 0) {
            throw new IllegalArgumentException("maxWaitNs must be 0 or more: " + maxWaitNs);
        }
    }

    /**
     * {@return these options with another number of messages}
     *
     * @param count as {@link #maxMessages()}.
     */
    public PmDestinationOptions withMaxMessages(final int count) {
        return new PmDestinationOptions(count, maxWaitNs, isDropping);
    }

    /**
     * {@return these options with another longest wait}
     *
     * @param ns as {@link #maxWaitNs()}.
     */
    public PmDestinationOptions withMaxWaitNs(final long ns) {
        return new PmDestinationOptions(maxMessages, ns, isDropping);
    }
}
