package io.hxb.tap;

/** Whose packets are whose: the addresses of the virtual NICs of a cluster. Any thread. */
public interface PacketAddresses {
    /** To every node: a broadcast or multicast packet. */
    int BROADCAST = -1;

    /** Nowhere: {@link #reply} makes an answer of it, which the device gets at once. */
    int LOCAL_REPLY = -2;

    /**
     * Where a packet goes that was read from the device.
     *
     * @param frame address of its Ethernet header.
     * @param lengthBytes bytes from there; may be any number.
     * @return a node id other than this node's, {@link #BROADCAST}, {@link #LOCAL_REPLY}, or a
     *     lower number if it is dropped.
     */
    int destination(long frame, int lengthBytes);

    /**
     * Makes the answer to a packet for which {@link #destination} returned {@link #LOCAL_REPLY}, in
     * its place. Its {@link VirtioHeader} has to be cleared.
     *
     * @param frame address of its Ethernet header, with room for {@link IpPlan#REPLY_LENGTH} bytes.
     * @return bytes of the answer.
     */
    int reply(long frame);

    /**
     * True if a packet may be written to the device that another node sent: its MACs are that
     * node's and this one's, or one of a group, and it claims no address of a third node.
     *
     * @param frame address of its Ethernet header.
     * @param lengthBytes bytes from there; may be any number.
     * @param source node id of the node that sent it.
     */
    boolean isFrom(long frame, int lengthBytes, int source);
}
