package io.hxb.trunk;

/** Lets tests of other packages set what only the health of the trunks sets. */
public final class PortTesting {
    private PortTesting() {}

    /** Makes a neighbour usable over a port. */
    public static void reach(final Port port, final int neighbour) {
        port.set(neighbour, LinkState.GOOD, LinkReason.HELLO);
    }

    /** Makes a neighbour's link address known to a port and its bypass. */
    public static void learn(final Port port, final int neighbour, final long address) {
        port.learn(neighbour, address);
    }
}
