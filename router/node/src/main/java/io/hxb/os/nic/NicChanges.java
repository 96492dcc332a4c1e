package io.hxb.os.nic;

import io.hxb.linux.LinuxException;

/**
 * Hears of every change to NICs and their addresses in the network namespace of the thread that
 * opens it. Owned by one thread. Source: rtnetlink(7).
 */
public final class NicChanges implements AutoCloseable {
    // RTMGRP_LINK, _IPV4_IFADDR, _IPV6_IFADDR; not routes, of which some machines get thousands.
    private static final int GROUPS = 0x1 | 0x10 | 0x100;

    private final Netlink netlink;

    private NicChanges(final Netlink netlink) {
        this.netlink = netlink;
    }

    /** Starts listening; needs no privilege. */
    public static NicChanges open() throws LinuxException {
        return new NicChanges(Netlink.listening(GROUPS));
    }

    /** Readable when something has changed. */
    public int descriptor() {
        return netlink.descriptor();
    }

    /** True if something has changed since this was last asked, or may have. */
    public boolean hasHeard() {
        return netlink.hasHeard();
    }

    @Override
    public void close() {
        netlink.close();
    }
}
