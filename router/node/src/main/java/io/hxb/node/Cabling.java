package io.hxb.node;

import io.hxb.linkstate.LinkStateReceiver;
import io.hxb.linkstate.LinkStates;
import io.hxb.routing.CablingMap;

/**
 * What the loops of a node share where nodes are cabled in any way: what all nodes tell of their
 * cables, and the routes of the map. All loops receive; the first one does the work.
 */
final class Cabling implements LinkStateReceiver {
    private final LinkStates states;
    private final CablingMap map;
    private volatile boolean hasNews = true;
    private volatile Runnable wakeUp = () -> {};

    Cabling(final LinkStates states) {
        this.states = states;
        map = new CablingMap(states.nodes());
    }

    LinkStates states() {
        return states;
    }

    CablingMap map() {
        return map;
    }

    /** Sets what ends the sleep of the node's first loop; before the loops start. */
    void driver(final Runnable value) {
        wakeUp = value;
    }

    @Override
    public void onFrame(
            final int from, final long bodyAddress, final int bodyLength, final long nowNs) {
        states.onFrame(from, bodyAddress, bodyLength, nowNs);
        onNews();
    }

    /** There is something to look at. */
    void onNews() {
        hasNews = true;
        wakeUp.run();
    }

    /** True if there has been something since the last call of {@link #takeNews}. */
    boolean hasNews() {
        return hasNews;
    }

    /** Forgets the news, which the caller looks at; the first loop calls it. */
    boolean takeNews() {
        final boolean had = hasNews;
        hasNews = false;
        return had;
    }
}
