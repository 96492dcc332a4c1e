package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.link.BufferPool;
import io.hxb.topology.Shape;

/** What tests make the flows of a node with. Immutable. */
record FlowSetup(FlowConfig config, FlowSizes sizes, int initialSequence) {

    /** As in a real cluster. */
    FlowSetup(final FlowSizes sizes) {
        this(FlowConfig.DEFAULT, sizes, 0);
    }

    int mtuBytes() {
        return sizes.mtuBytes();
    }

    FlowTable newTable(
            final Shape shape,
            final long ownCoordinates,
            final BufferPool pool,
            final FlowListener listener) {
        return new FlowTable(config, sizes, shape, ownCoordinates, pool, listener, initialSequence);
    }
}
