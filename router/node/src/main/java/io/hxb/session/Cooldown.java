package io.hxb.session;

/**
 * Time since something was done. Immutable.
 *
 * @param sinceNs when, or {@code Long.MIN_VALUE} for never.
 */
record Cooldown(long sinceNs) {
    static final Cooldown NONE = new Cooldown(Long.MIN_VALUE);

    boolean isOver(final long lengthNs, final long nowNs) {
        return sinceNs == Long.MIN_VALUE || nowNs - sinceNs >= lengthNs;
    }
}
