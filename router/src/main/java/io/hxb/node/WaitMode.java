package io.hxb.node;

/**
 * How a loop waits when it has nothing to do.
 *
 * @param spinNs longest time it polls before it sleeps, in ns, see {@link
 *     io.hxb.pm.idle.AdaptiveSpin}: 0 = sleeps at once, {@code Long.MAX_VALUE} = never sleeps.
 */
public record WaitMode(long spinNs) {
    /** Sleeps in epoll at once. */
    public static final WaitMode BLOCK = new WaitMode(0);

    /** Never sleeps. */
    public static final WaitMode SPIN = new WaitMode(Long.MAX_VALUE);

    /** Polls for 50 us as long as that finds something, then sleeps. */
    public static final WaitMode HYBRID = new WaitMode(50_000);
}
