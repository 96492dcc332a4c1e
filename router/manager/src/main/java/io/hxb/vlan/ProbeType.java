package io.hxb.vlan;

/** How taggers know the frames by which hosts probe paths: they are no traffic. Stateless. */
public final class ProbeType {
    /** Their EtherType: OUI extended. Source: IEEE 802-2014, 9.2.4. */
    public static final int ETHER_TYPE = 0x88B7;

    private ProbeType() {}
}
