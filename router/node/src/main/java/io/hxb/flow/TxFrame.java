package io.hxb.flow;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.MessageRecordFlyweight;

/**
 * One data frame on its way: header in node-private memory, and what has to be known to send it
 * again. Free only when the receiver has it (or the flow ended) and no link holds it queued. Owned
 * by one loop. What it carries and what becomes of it are in one object, because each transmission
 * and each acknowledgement needs both.
 */
final class TxFrame {
    static final int NOT_SHARED = -1;
    static final int NO_LINK = -1;

    /** Place among the frames that wait to be sent. */
    final WaitQueue.Place<TxFrame> stagedPlace = new WaitQueue.Place<>(this);

    private final int index;

    /** Header memory of its own, for frames of one message. */
    private final long ownHeaderAddress;

    // What it carries.

    private long headerAddress;
    private int headerLengthBytes;
    private long payloadAddress;
    private int payloadLengthBytes;
    private int sharedIndex = NOT_SHARED;

    /** Slot of the first message; the others follow in the context's books, or are its run. */
    private int firstSlot;

    private int messageCount;

    /** Made of a run of short messages, of which nothing else is remembered. */
    private boolean isRun;

    /** Of a run: bytes of its records, of which the last is padded by that many. */
    private int bodyBytes;

    private int paddingBytes;

    /** Of a run: takes no more of them. */
    private boolean isFull;

    // What becomes of it.

    private SendFlow flow;
    private int sequence;
    private int attempts;

    /** Link that took it last; negative for none. */
    private int takenLink;

    /** Place among all transmissions of the flow. */
    private int order;

    /** Link among whose transmissions it is judged, NO_LINK for none, and its place there. */
    private int judgedLink;

    private int linkOrder;
    private long sentNs;
    private boolean isLost;

    /** Its link has failed: it is sent again immediately, over any other link. */
    private boolean isStranded;

    /** Times that a link holds it now. */
    private int queued;

    /** Done: acknowledged, or its flow has ended, with this status. */
    private boolean isFinished;

    private int status;

    /** Messages at the front that are done with {@code PmStatus.OK} all the same. */
    private int okMessages;

    TxFrame(final int index, final long ownHeaderAddress) {
        this.index = index;
        this.ownHeaderAddress = ownHeaderAddress;
    }

    private void begin(final int shared, final long address) {
        assert flow == null && queued == 0 : "the frame is in use";
        sharedIndex = shared;
        headerAddress = address;
        payloadAddress = 0;
        payloadLengthBytes = 0;
        messageCount = 0;
        attempts = 0;
        isRun = false;
        isLost = false;
        isFinished = false;
        isStranded = false;
    }

    /** Begins again with the message in {@code slot}, whose payload stays where it is. */
    void beginSingle(final int slot, final long address, final int lengthBytes) {
        begin(NOT_SHARED, ownHeaderAddress);
        headerLengthBytes = FrameHeaderFlyweight.LENGTH + MessageRecordFlyweight.LENGTH;
        payloadAddress = address;
        payloadLengthBytes = lengthBytes;
        firstSlot = slot;
        messageCount = 1;
    }

    /** Begins again, for copies of the messages from {@code slot} on; see {@link #close}. */
    void beginShared(final int slot, final int shared, final long address) {
        begin(shared, address);
        firstSlot = slot;
    }

    /** Notes the number of messages that were copied, and of their bytes. */
    void close(final int messages, final int bytes) {
        messageCount = messages;
        headerLengthBytes = FrameHeaderFlyweight.LENGTH + bytes;
    }

    /** Begins again as an empty run. */
    void beginRun(final int shared, final long address) {
        begin(shared, address);
        isRun = true;
        bodyBytes = 0;
        isFull = false;
    }

    /** Takes messages of a run, of which the first is in {@code slot}, after those that are in. */
    void append(final int slot, final int messages, final int bytes, final int padding) {
        assert isRun && attempts == 0 && !isFull : "no run that takes more";
        if (messageCount == 0) {
            firstSlot = slot;
        }
        messageCount += messages;
        bodyBytes += bytes;
        paddingBytes = messages == 0 ? paddingBytes : padding;
    }

    /** The run is complete. */
    void fill() {
        isFull = true;
    }

    /** The run is to be sent as it is. */
    void closeRun() {
        headerLengthBytes = FrameHeaderFlyweight.LENGTH + bodyBytes - paddingBytes;
    }

    /** Belongs to a flow that will send it. */
    void assign(final SendFlow owner) {
        flow = owner;
    }

    /** Belongs to a flow that sends it with {@code itsSequence}. */
    void assign(final SendFlow owner, final int itsSequence) {
        flow = owner;
        sequence = itsSequence;
    }

    /** A link is about to take it. */
    void onQueued() {
        queued++;
    }

    /** The link did not take it. */
    void onRefused() {
        queued--;
    }

    /** It was sent; see {@link LossDetector}. */
    void onTransmitted(
            final int link,
            final int itsOrder,
            final int linkJudged,
            final int itsLinkOrder,
            final long nowNs) {
        attempts++;
        takenLink = link;
        order = itsOrder;
        judgedLink = linkJudged;
        linkOrder = itsLinkOrder;
        sentNs = nowNs;
        isLost = false;
        isStranded = false;
    }

    /** A link no longer holds it, since it left at {@code nowNs}; true if it is done with. */
    boolean onReleased(final long nowNs) {
        queued--;
        assert queued >= 0 : "given back more often than queued";
        if (queued > 0) {
            return false;
        }
        if (!isFinished && nowNs - sentNs > 0) {
            sentNs = nowNs;
        }
        return isFinished;
    }

    void markLost() {
        assert !isLost : "lost already";
        isLost = true;
    }

    /** Its link has failed. */
    void strand() {
        isStranded = true;
    }

    /** It need not be sent again; true if no link holds it, so that it is done with. */
    boolean finish(final int itsStatus) {
        return finish(itsStatus, 0);
    }

    /** As the other method, but its first {@code messagesOk} messages are done with OK. */
    boolean finish(final int itsStatus, final int messagesOk) {
        assert !isFinished : "finished already";
        status = itsStatus;
        okMessages = messagesOk;
        isFinished = true;
        return queued == 0;
    }

    /** It is to be sent to another incarnation, as if it had never been sent. */
    void renew() {
        attempts = 0;
        isLost = false;
        isStranded = false;
        isFull = true;
    }

    /** Belongs to no flow; returns its memory for several messages, NOT_SHARED for none. */
    int free() {
        assert queued == 0 : "a link holds it";
        final int shared = sharedIndex;
        sharedIndex = NOT_SHARED;
        flow = null;
        return shared;
    }

    int index() {
        return index;
    }

    long headerAddress() {
        return headerAddress;
    }

    /** Header and what of the body follows it in memory. */
    int headerLengthBytes() {
        return headerLengthBytes;
    }

    long payloadAddress() {
        return payloadAddress;
    }

    int payloadLengthBytes() {
        return payloadLengthBytes;
    }

    /** Bytes of the body, wherever they lie. */
    int lengthBytes() {
        return headerLengthBytes - FrameHeaderFlyweight.LENGTH + payloadLengthBytes;
    }

    boolean isShared() {
        return sharedIndex != NOT_SHARED;
    }

    int firstSlot() {
        return firstSlot;
    }

    int messageCount() {
        return messageCount;
    }

    boolean isRun() {
        return isRun;
    }

    /** Of a run: bytes of its records. */
    int bodyBytes() {
        return bodyBytes;
    }

    /** Of a run: it is complete. */
    boolean isFull() {
        return isFull;
    }

    SendFlow flow() {
        return flow;
    }

    int sequence() {
        return sequence;
    }

    /** Times that it was sent. */
    int attempts() {
        return attempts;
    }

    int takenLink() {
        return takenLink;
    }

    int order() {
        return order;
    }

    int judgedLink() {
        return judgedLink;
    }

    int linkOrder() {
        return linkOrder;
    }

    long sentNs() {
        return sentNs;
    }

    boolean isLost() {
        return isLost;
    }

    boolean isStranded() {
        return isStranded;
    }

    /** True while a link holds it. */
    boolean isQueued() {
        return queued > 0;
    }

    int status() {
        return status;
    }

    int okMessages() {
        return okMessages;
    }
}
