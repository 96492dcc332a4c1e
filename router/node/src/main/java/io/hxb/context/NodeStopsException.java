package io.hxb.context;

import java.io.Serial;

/** Nothing can be opened any more, because the node is about to end. Immutable. */
final class NodeStopsException extends IllegalStateException {
    @Serial private static final long serialVersionUID = 1L;

    NodeStopsException() {
        super("the node stops");
    }
}
