package io.hxb.node.loop;

import io.hxb.pm.idle.IdleParameters;
import io.hxb.pm.idle.IdlePolicy;

/**
 * How a loop waits when it has nothing to do, see {@link io.hxb.pm.idle.IdlePolicy}.
 *
 * @param spinNs longest time it polls before it sleeps, in ns: 0 = sleeps at once, {@code
 *     Long.MAX_VALUE} = never sleeps as long as it has a CPU of its own.
 * @param sharedSpinNs the same while other threads wait for its CPU.
 */
public record WaitMode(long spinNs, long sharedSpinNs) {
    /** Sleeps in epoll at once. */
    public static final WaitMode BLOCK = hybrid(0);

    /** Polls for 50 us as long as that finds something, then sleeps. */
    public static final WaitMode HYBRID = hybrid(IdleParameters.SPIN_NS);

    /** Never sleeps as long as it has a CPU of its own; without one waits as {@link #HYBRID}. */
    public static final WaitMode SPIN = new WaitMode(Long.MAX_VALUE, HYBRID.spinNs);

    /** Polls for {@code spinNs} as long as that finds something, then sleeps. */
    public static WaitMode hybrid(final long spinNs) {
        return new WaitMode(spinNs, spinNs);
    }

    /** The choice of one thread that waits this way. */
    IdlePolicy spin() {
        return new IdlePolicy(spinNs, sharedSpinNs);
    }

    /** The same with another maximum time of polling while other threads wait for the CPU. */
    public WaitMode withSharedSpinNs(final long ns) {
        return new WaitMode(spinNs, ns);
    }
}
