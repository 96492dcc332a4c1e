package io.hxb.node.collective;

import io.hxb.pm.PmStatus;

/** Where the messages of groups go: the node's own context. Owned by the thread of that context. */
public interface GroupOutlet {
    /** Longest message in bytes. */
    int maxLengthBytes();

    /**
     * Claims a buffer for a message.
     *
     * @param lengthBytes of the message, up to {@link #maxLengthBytes()}.
     * @return 0 or more, {@link PmStatus#NO_BUFFERS} to try again later, or another status if
     *     nothing can be sent any more.
     */
    int claim(int node, int context, int lengthBytes);

    /** Where the message is written. */
    long address(int slot);

    /** Sends what was claimed. */
    void send(int slot, int lengthBytes, int tag);
}
