package io.hxb.config;

/** What the links of a cluster are made of: a row for each kind of link. */
public enum Backend {
    /** Ethernet frames on NICs through AF_PACKET sockets; needs CAP_NET_RAW. */
    RAW(true),

    /** UDP sockets; needs no privilege. */
    UDP(false);

    private final boolean usesNics;

    Backend(final boolean usesNics) {
        this.usesNics = usesNics;
    }

    /**
     * True if the file names a NIC for each link, which is the node's alone and may be in a network
     * namespace; otherwise it gives each link an address and a port.
     */
    public boolean usesNics() {
        return usesNics;
    }
}
