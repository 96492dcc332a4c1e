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
     * Writes the message of ICMP that tells this machine that a packet did not reach its node.
     *
     * @param frame address of the packet's Ethernet header.
     * @param lengthBytes bytes from there.
     * @param node that it was for.
     * @param answer where the Ethernet header of the message is written, with room for {@link
     *     IpPlan#UNREACHABLE_LENGTH} bytes.
     * @return bytes of the message; 0 if the packet must not be answered.
     */
    int unreachable(long frame, int lengthBytes, int node, long answer);

    /**
     * The node whose MAC a packet for all nodes comes from, as it says itself.
     *
     * @param frame address of its Ethernet header.
     * @param lengthBytes bytes from there; may be any number.
     * @return -1 if no node has that MAC, or the packet is for one node.
     */
    int senderToAll(long frame, int lengthBytes);

    /**
     * True if a packet may be written to the device that began at another node: its MACs are that
     * node's and this one's, or one of a group, and it claims no address of a third node.
     *
     * @param frame address of its Ethernet header.
     * @param lengthBytes bytes from there; may be any number.
     * @param source node id of that node.
     */
    boolean isFrom(long frame, int lengthBytes, int source);
}
