package io.hxb.flow;

/**
 * What the flows of a context carry: messages, operations on remote memory, or packets of IP. A
 * context that uses remote memory has three ends in the network, one of each kind, so that its
 * operations do not wait for messages that nobody receives, nor answers for requests. Packets have
 * two ends of the node's own. The number of an end in frames is that of its context with the kind
 * in the two highest bits. Stateless.
 */
public final class ContextKind {
    /** Messages: the number is that of the context itself. */
    public static final int MESSAGES = 0;

    /** Requests for operations on the context's memory. */
    public static final int REQUESTS = 1;

    /** Answers to what the context has requested. */
    public static final int ANSWERS = 2;

    /** Packets that the virtual NIC of a node sends, to the ends with these numbers. */
    public static final int PACKETS = 3;

    /** Number of the end for packets of connections that send much. */
    public static final int BULK_PACKETS = 0;

    /** Number of the end for packets of connections that send little. */
    public static final int SHORT_PACKETS = 1;

    /** Tag of a packet for all nodes, which its receiver passes on; 0 is that of most packets. */
    public static final int PASSED_ON_PACKET = 1;

    /** Tag of a short packet that nothing waits for: it acknowledges data, and carries none. */
    public static final int PATIENT_PACKET = 2;

    /** Number of kinds. */
    public static final int COUNT = 4;

    /** Contexts are 0 to this - 1. */
    public static final int MAX_CONTEXTS = 1 << 14;

    /** Ends of packets. */
    static final int PACKET_ENDS = 2;

    private static final int SHIFT = 14;

    private ContextKind() {}

    /** The kind of an end; {@link #COUNT} or more, or negative, for a number that has none. */
    public static int of(final int endId) {
        return endId >> SHIFT;
    }

    /** The context that an end belongs to. */
    public static int number(final int endId) {
        return endId & (MAX_CONTEXTS - 1);
    }

    /** True for the end whose flows carry few and short packets, which wait for nobody. */
    static boolean isOfShortPackets(final int endId) {
        return endId == end(PACKETS, SHORT_PACKETS);
    }

    /** The end of a kind that a context has. */
    public static int end(final int kind, final int contextId) {
        return kind << SHIFT | contextId;
    }
}
