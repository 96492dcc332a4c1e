package io.hxb.pm.attach;

/** A DirectRing that was offered to another context. Owned by the thread of the sender. */
public interface DirectOffer {
    /** What has become of an offer. */
    enum State {
        /** The node has not answered yet. */
        OPEN,
        /** The node passes the ring on: the memory has its number and its signal. */
        TAKEN,
        /** There is to be no ring. */
        REFUSED
    }

    /** {@return the memory as the sender has it, which the owner of the offer closes} */
    DirectMemory memory();

    /** {@return what has become of it} Never waits. */
    State state();

    /** Nobody wants the node's answer any more. */
    void forget();
}
