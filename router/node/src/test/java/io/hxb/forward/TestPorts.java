package io.hxb.forward;

import io.hxb.trunk.Port;
import io.hxb.trunk.PortTesting;

/** Ports whose neighbours are all there. */
final class TestPorts {
    private TestPorts() {}

    static void reachAll(final Port[] ports) {
        for (final Port port : ports) {
            for (int neighbour = 0; neighbour < 256; neighbour++) {
                PortTesting.reach(port, neighbour);
            }
        }
    }
}
