package io.hxb.flow;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What the loops that receive frames of one flow leave for the loop that owns its context: how many
 * came, in one long with marks. Any thread; the owner takes.
 */
final class ArrivalSummary {
    /** Acknowledge at once. */
    static final long NOW = 1L << 62;

    /** One that could not be delivered at once. */
    static final long OUT_OF_ORDER = 1L << 61;

    /** One that had arrived before and was sent again. */
    static final long AGAIN = 1L << 60;

    private static final VarHandle NOTED;

    static {
        try {
            NOTED = MethodHandles.lookup().findVarHandle(ArrivalSummary.class, "noted", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long noted;

    // Any one of several frames that arrive at the same time will do, so these need no order.
    private long askedRoute;
    private int againSequence;

    /** Notes frames, or one with the weight of several, with marks. */
    void add(final int frames, final long marks) {
        NOTED.getAndAdd(this, (long) frames);
        if (marks != 0) {
            NOTED.getAndBitwiseOr(this, marks);
        }
    }

    /** A frame had arrived before. */
    void addAgain(final int sequence) {
        againSequence = sequence;
        add(1, NOW | AGAIN);
    }

    /** A frame that was sent again came by {@code route}. */
    void onSentAgain(final long route) {
        askedRoute = route;
    }

    /** Takes what was noted; 0 for nothing. */
    long take() {
        return noted == 0 ? 0 : (long) NOTED.getAndSet(this, 0L);
    }

    /** Route of the last frame that was sent again. */
    long askedRoute() {
        return askedRoute;
    }

    /** Sequence of the last frame that had arrived before. */
    int againSequence() {
        return againSequence;
    }

    static int frames(final long arrivals) {
        return (int) arrivals;
    }

    static boolean isNow(final long arrivals) {
        return (arrivals & NOW) != 0;
    }

    static boolean isOutOfOrder(final long arrivals) {
        return (arrivals & OUT_OF_ORDER) != 0;
    }

    static boolean isAgain(final long arrivals) {
        return (arrivals & AGAIN) != 0;
    }
}
