package io.hxb.sim.traffic;

import java.util.SplittableRandom;

/** Where a host sends its next message. Owned by one run. */
interface Destinations {
    /** This message is not sent. */
    int NOWHERE = -1;

    /** The destination of the next message of a host, or {@link #NOWHERE}. */
    int next(int source, SplittableRandom random);

    /** How much a host sends, as a share of the host that sends most, 0 to 1. */
    default double share(final int source) {
        return 1;
    }
}
