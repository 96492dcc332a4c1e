package io.hxb.config;

/** What the links of a cluster are made of. */
public enum Backend {
    /** Ethernet frames on NICs through AF_PACKET sockets; needs CAP_NET_RAW. */
    RAW,

    /** UDP sockets; needs no privilege. */
    UDP
}
