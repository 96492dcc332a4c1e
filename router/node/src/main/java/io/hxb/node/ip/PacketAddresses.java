package io.hxb.node.ip;

/** Whose packets are whose: the addresses of the virtual NICs of a cluster. Stateless. */
public interface PacketAddresses {
    /** A packet for all nodes. */
    int ALL_NODES = -1;

    /** A question about a node's address, which this node answers itself. */
    int ANSWERED_HERE = -2;

    /** A packet for nobody: a foreign address, a tag, too short. */
    int NOBODY = -3;

    /**
     * Where a packet of this machine goes.
     *
     * @param frame address of the Ethernet frame.
     * @param lengthBytes of the frame, any number.
     * @return a node id, or one of the constants.
     */
    int destination(long frame, int lengthBytes);

    /**
     * Makes the answer to a question out of it, in place.
     *
     * @param frame for which {@link #destination} returned {@link #ANSWERED_HERE}.
     * @param lengthBytes of the frame.
     * @return bytes of the answer, up to 128; 0 for none.
     */
    int answer(long frame, int lengthBytes);

    /**
     * True if a packet that arrived from another node is one that it may send to this one: it has
     * that node's address as its source and this node's, or that of several, as its destination.
     *
     * @param node id of the node that sent it.
     * @param frame address of the Ethernet frame.
     * @param lengthBytes of the frame, any number.
     */
    boolean isFrom(int node, long frame, int lengthBytes);
}
