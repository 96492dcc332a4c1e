package io.hxb.session;

/**
 * Time since something was done. Immutable.
 *
 * @param sinceNs when, or {@code Long.MIN_VALUE} for never.
 */
record Pause(long sinceNs) {
    static final Pause NONE = new Pause(Long.MIN_VALUE);

    boolean isOver(final long lengthNs, final long nowNs) {
        return sinceNs == Long.MIN_VALUE || nowNs - sinceNs >= lengthNs;
    }
}
