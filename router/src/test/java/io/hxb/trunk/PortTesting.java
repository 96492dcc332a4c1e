package io.hxb.trunk;

import io.hxb.trunk.event.LinkReason;
import io.hxb.trunk.event.LinkState;

/** Lets tests of other packages set what only {@link Discovery} sets. */
public final class PortTesting {
    private PortTesting() {}

    /** Makes a neighbour usable over a port. */
    public static void reach(final Port port, final int neighbour) {
        port.set(neighbour, LinkState.GOOD, LinkReason.HELLO);
    }
}
