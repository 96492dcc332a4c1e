package io.hxb.flow;

/**
 * One data frame on its way: header in node-private memory, and what has to be known to send it
 * again. Free only when the receiver has it (or the flow ended) and no link holds it queued. Owned
 * by one loop.
 */
final class TxFrame {
    static final int NOT_SHARED = -1;

    final int index;

    /** Header memory of its own, for frames of one message. */
    final long ownHeaderAddress;

    SendFlow flow;
    long headerAddress;
    int headerLengthBytes;
    long payloadAddress;
    int payloadLengthBytes;
    int sharedIndex = NOT_SHARED;

    /** Slot of the first message; the others follow in the context's books, or are its run. */
    int firstSlot;

    int messageCount;

    /** Made of a run of short messages, of which nothing else is remembered. */
    boolean isRun;

    /** Of a run: bytes of its records, of which the last is padded by so many. */
    int bodyBytes;

    int paddingBytes;

    /** Of a run: takes no more of them. */
    boolean isFull;

    /** Of a run that has not been sent: the flow's next. */
    TxFrame nextStaged;

    int sequence;

    /** Place among all transmissions of the flow, and among those on the same link. */
    int order;

    int linkOrder;
    int link;

    /** Link that it took last, of any flow; -1 for none. */
    int firstLink;

    int attempts;

    /** Times that a link holds it now. */
    int queued;

    long sentNs;
    int status;
    boolean isLost;

    /** Its link has failed: it is sent again at once, by whatever other link there is. */
    boolean isStranded;

    /** Acknowledged, or its flow ended. */
    boolean isFinished;

    TxFrame(final int index, final long ownHeaderAddress) {
        this.index = index;
        this.ownHeaderAddress = ownHeaderAddress;
    }

    /** Begins anew, without messages. */
    void begin() {
        messageCount = 0;
        attempts = 0;
        isRun = false;
        isLost = false;
        isFinished = false;
        isStranded = false;
    }

    /** Begins anew as a run whose frame lies at {@code address}. */
    void beginRun(final long address) {
        begin();
        isRun = true;
        headerAddress = address;
        payloadAddress = 0;
        payloadLengthBytes = 0;
        bodyBytes = 0;
        isFull = false;
    }
}
