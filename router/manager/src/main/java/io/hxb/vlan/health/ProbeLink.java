package io.hxb.vlan.health;

/** Sends probes out of a host's NIC. Called by the thread that owns the {@link PathHealth}. */
public interface ProbeLink {
    /**
     * Sends a frame in a VID; it may get lost.
     *
     * @param mac its destination, first byte highest.
     * @param vid of its tag.
     * @param address its bytes from the EtherType on, which are copied.
     * @param lengthBytes how many.
     */
    void send(long mac, int vid, long address, int lengthBytes);
}
