package io.hxb.time;

/** Deadlines as times of a clock in ns, whose zero is anywhere and which overflows. Stateless. */
public final class Deadline {
    /** There is no deadline. */
    public static final long NEVER = Long.MAX_VALUE;

    private Deadline() {}

    /** The earlier of two deadlines, of which either may be {@link #NEVER}. */
    public static long earlier(final long oneNs, final long otherNs) {
        if (oneNs == NEVER || otherNs == NEVER) {
            return oneNs == NEVER ? otherNs : oneNs;
        }
        return oneNs - otherNs <= 0 ? oneNs : otherNs;
    }

    /** A deadline that is over becomes {@code nowNs}; others, and {@link #NEVER}, stay. */
    public static long notBefore(final long nowNs, final long deadlineNs) {
        return deadlineNs == NEVER || deadlineNs - nowNs > 0 ? deadlineNs : nowNs;
    }
}
