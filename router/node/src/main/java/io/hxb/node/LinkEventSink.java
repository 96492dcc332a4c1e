package io.hxb.node;

import io.hxb.pm.shm.LinkEventRing;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.health.LinkEvent;

/** Where applications learn of the links of their node. Called by the node's first loop. */
interface LinkEventSink {
    /** For nodes without applications. */
    LinkEventSink NONE =
            new LinkEventSink() {
                @Override
                public void put(
                        final LinkEvent event, final int neighbourNode, final long timeMs) {}

                @Override
                public void wake() {}
            };

    /**
     * Reports an event of a link.
     *
     * @param neighbourNode node id of the neighbour that it leads to.
     * @param timeMs time of day.
     */
    void put(LinkEvent event, int neighbourNode, long timeMs);

    /** Wakes the applications that sleep, after something was reported. */
    void wake();

    /** The events of a node's page. */
    record OfPage(LinkEventRing ring, Runnable waker) implements LinkEventSink {
        @Override
        public void put(final LinkEvent event, final int neighbourNode, final long timeMs) {
            ring.put(
                    timeMs,
                    neighbourNode,
                    event.dimension(),
                    event.number(),
                    event.state() == LinkState.GOOD,
                    event.isLast(),
                    event.reason().text());
        }

        @Override
        public void wake() {
            waker.run();
        }
    }
}
