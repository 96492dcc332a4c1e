package io.hxb.flow;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The newest acknowledgement that came with a data frame, left by the loop that received it for the
 * loop that owns the sending flow. Any thread puts in; the owner takes.
 */
final class AckMailbox {
    private static final long NONE = Long.MIN_VALUE;
    private static final VarHandle POSTED;

    static {
        try {
            POSTED = MethodHandles.lookup().findVarHandle(AckMailbox.class, "posted", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long posted = NONE;

    /** Leaves an acknowledgement; an older one does not replace a newer one. Any thread. */
    void post(final int acknowledgement, final int windowFrames, final int acknowledgedEpoch) {
        final long value =
                (long) acknowledgement << 32
                        | (long) windowFrames << 16
                        | (acknowledgedEpoch & 0xFFFFL);
        long seen;
        do {
            seen = posted;
            if (seen != NONE && (short) seen == (short) value && newerBy(value, seen) < 0) {
                return;
            }
        } while (!POSTED.compareAndSet(this, seen, value));
    }

    /** Takes what was left; {@link #isAck} tells whether there is anything. */
    long take() {
        return posted == NONE ? NONE : (long) POSTED.getAndSet(this, NONE);
    }

    /** Throws away what was left. */
    void clear() {
        posted = NONE;
    }

    static boolean isAck(final long posted) {
        return posted != NONE;
    }

    static int acknowledgement(final long posted) {
        return (int) (posted >>> 32);
    }

    static int windowFrames(final long posted) {
        return (int) (posted >>> 16) & 0xFFFF;
    }

    static int epoch(final long posted) {
        return (int) posted & 0xFFFF;
    }

    private static int newerBy(final long value, final long seen) {
        final int steps = acknowledgement(value) - acknowledgement(seen);
        return steps != 0 ? steps : windowFrames(value) - windowFrames(seen);
    }
}
