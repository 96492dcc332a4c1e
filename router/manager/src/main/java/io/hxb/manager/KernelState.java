package io.hxb.manager;

import java.util.List;

/** What the kernel knows that the manager is asked for. Called by the manager's thread. */
public interface KernelState {
    /**
     * The MAC address that the kernel knows for an IP address.
     *
     * @param address an IPv6 address, or an IPv4 address mapped to one, {@code [16]}.
     * @return first byte highest; 0 if it knows none.
     */
    long macOf(byte[] address);

    /** The NICs that the paths begin at. */
    List<NicState> nics();

    /**
     * A NIC as it is now.
     *
     * @param name of at most 15 characters.
     * @param mac its address, first byte highest.
     * @param mtuBytes its MTU.
     * @param isUp true if it can be used.
     * @param foreignPrograms BPF programs at its hooks that are not the manager's.
     */
    record NicState(String name, long mac, int mtuBytes, boolean isUp, int foreignPrograms) {}
}
