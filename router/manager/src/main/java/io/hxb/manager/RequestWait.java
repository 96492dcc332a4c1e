package io.hxb.manager;

import io.hxb.pm.idle.IdlePolicy;
import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;

/**
 * How the manager's thread waits: as the loops of nodes do, which look again and again for a while
 * as long as that finds something. A program that asks in a row would otherwise wait for little
 * else than the sleeps of this thread. Owned by that thread.
 */
final class RequestWait implements SelectStrategy {
    private final IdlePolicy idle;

    /**
     * No request has come yet.
     *
     * @param spinForNs how long the thread looks for the next request at most, in ns.
     */
    RequestWait(final long spinForNs) {
        this(new IdlePolicy(spinForNs));
    }

    RequestWait(final IdlePolicy idle) {
        this.idle = idle;
    }

    @Override
    public int calculateStrategy(final IntSupplier selectNow, final boolean hasTasks)
            throws Exception {
        // What the last wait slept for.
        idle.onWork();
        int ready = hasTasks ? selectNow.get() : 0;
        while (!hasTasks && ready == 0 && idle.isSpinning(System.nanoTime())) {
            Thread.onSpinWait();
            ready = selectNow.get();
        }
        return hasTasks || ready > 0 ? ready : SELECT;
    }
}
