package io.hxb.tool.lab.switches;

/**
 * Where a host's NIC is. Immutable.
 *
 * @param namespace of the host.
 * @param nic name of its NIC.
 * @param address with the length of its prefix, such as {@code 10.77.0.1/16}; empty for none.
 */
public record HostPlace(String namespace, String nic, String address) {
    /** NIC of a host that has a namespace of its own. */
    public static final String NIC = "eth0";

    private static final int HOSTS_A_BYTE = 256;

    /** A host in a namespace of its own. */
    public static HostPlace apart(final String namespace, final int host) {
        return new HostPlace(namespace, NIC, address(host) + "/16");
    }

    /**
     * Name of one of its NICs.
     *
     * @param index from 0; further NICs have names of their own only in a namespace of the host.
     */
    public String nic(final int index) {
        return index == 0 ? nic : "eth" + index;
    }

    /** IP address of a host that has a namespace of its own. */
    public static String address(final int host) {
        return "10.77." + (host + 1) / HOSTS_A_BYTE + "." + (host + 1) % HOSTS_A_BYTE;
    }
}
