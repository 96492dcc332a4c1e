package io.hxb.node;

import io.hxb.context.ContextLoop;

/** The contexts of one loop of a node that serves applications. Owned by that loop. */
record LoopContexts(ContextLoop contexts) implements ContextPolling {
    @Override
    public int doWork(final long nowNs) {
        return contexts.doWork(nowNs);
    }

    @Override
    public boolean prepareToSleep() {
        return contexts.prepareToSleep();
    }

    @Override
    public void awake() {
        contexts.awake();
    }

    @Override
    public int wakeDescriptor() {
        return contexts.wakeDescriptor();
    }

    @Override
    public void clearWake() {
        contexts.clearWake();
    }

    @Override
    public void close() {
        contexts.close();
    }
}
