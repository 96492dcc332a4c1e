package io.hxb.linkstate;

/** Takes the LINK_STATE frames of a node; any loop may call it. */
@FunctionalInterface
public interface LinkStateReceiver {
    /**
     * A frame arrived that passed every check.
     *
     * @param from number of the node that sent it, any number.
     * @param bodyAddress its body, which is valid.
     */
    void onFrame(int from, long bodyAddress, int bodyLength, long nowNs);
}
