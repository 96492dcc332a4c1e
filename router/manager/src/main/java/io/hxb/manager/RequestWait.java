package io.hxb.manager;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;

/**
 * How the manager's thread waits. After a request it looks for the next one for a while, since a
 * program that asks in a row would wait for little else than the thread's sleeps; after anything
 * else, such as a probe, it sleeps at once. Owned by that thread.
 */
final class RequestWait implements SelectStrategy {
    private final long spinForNs;
    private boolean isRequested;
    private long requestNs;

    /**
     * No request has come yet.
     *
     * @param spinForNs how long the thread looks for the next request, in ns.
     */
    RequestWait(final long spinForNs) {
        this.spinForNs = spinForNs;
        requestNs = System.nanoTime() - spinForNs;
    }

    /** A request has been answered. */
    void onRequest() {
        isRequested = true;
    }

    @Override
    public int calculateStrategy(final IntSupplier selectNow, final boolean hasTasks)
            throws Exception {
        if (isRequested) {
            isRequested = false;
            requestNs = System.nanoTime();
        }
        int ready = hasTasks ? selectNow.get() : 0;
        while (!hasTasks && ready == 0 && System.nanoTime() - requestNs < spinForNs) {
            Thread.onSpinWait();
            ready = selectNow.get();
        }
        return hasTasks || ready > 0 ? ready : SELECT;
    }
}
