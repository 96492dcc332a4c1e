package io.hxb.node.loop;

import io.hxb.pm.idle.IdlePolicy;

/**
 * How a loop waits when it has nothing to do, see {@link io.hxb.pm.idle.IdlePolicy}.
 *
 * @param spinNs longest time it polls before it sleeps, in ns: 0 = sleeps at once, {@code
 *     Long.MAX_VALUE} = never sleeps as long as it has a CPU of its own.
 */
public record WaitMode(long spinNs) {
    /** Sleeps in epoll at once. */
    public static final WaitMode BLOCK = new WaitMode(0);

    /** Never sleeps as long as it has a CPU of its own. */
    public static final WaitMode SPIN = new WaitMode(Long.MAX_VALUE);

    /** The policy of one thread that waits this way. */
    IdlePolicy policy() {
        return new IdlePolicy(spinNs);
    }
}
