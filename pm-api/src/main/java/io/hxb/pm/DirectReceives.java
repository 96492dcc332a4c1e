package io.hxb.pm;

import io.hxb.linux.FutexWords;
import io.hxb.pm.attach.DirectMemory;
import io.hxb.pm.idle.IdleParameters;
import io.hxb.pm.shm.DirectPage;
import io.hxb.pm.shm.DirectRing;

import java.util.Arrays;

/**
 * The rings by which a context receives from others of its node: gives each its turn. Owned by the
 * context's thread.
 */
final class DirectReceives {
    /** Rings that a context may have to receive from. */
    static final int MAX_RINGS = 64;

    /** Messages in a row from one ring while there are some in others. */
    private static final int MESSAGES_PER_TURN = 64;

    /** Nothing in a ring was sent before what came through the node. */
    static final int NODE_FIRST = 0;

    /** Something was, and can be received. */
    static final int RING_FIRST = 1;

    /** Something was, and cannot be received before something else is released. */
    static final int RING_FULL = 2;

    private final int ownNode;
    private final int maxLengthBytes;
    private final int maxHeld;
    private final ReceivedMessages held;

    /** By the index that handles have; null where there is none. */
    private final DirectReceive[] rings = new DirectReceive[MAX_RINGS];

    /** Indexes below this may be in use. */
    private int end;

    /** The ring that has a message, as the last look has found. */
    private int ready;

    /** Messages that it may still have before the others are asked. */
    private int turnLeft = MESSAGES_PER_TURN;

    private final ReceivePace pace = new ReceivePace();

    /** Signals that come for rings which are closed meanwhile. */
    private int signals;

    /**
     * Makes the rings of a context, none yet.
     *
     * @param maxHeld messages of one ring that may be held, a power of two.
     */
    DirectReceives(
            final int ownNode,
            final int maxLengthBytes,
            final int maxHeld,
            final ReceivedMessages held) {
        this.ownNode = ownNode;
        this.maxLengthBytes = maxLengthBytes;
        this.maxHeld = maxHeld;
        this.held = held;
    }

    /** Takes a ring that was offered; gives it up if there are too many, or it is too short. */
    void take(final int peerContext, final DirectMemory memory) {
        for (int i = 0; i < end; i++) {
            if (rings[i] != null && rings[i].peerContext() == peerContext) {
                rings[i].onSenderReplaced();
            }
        }
        int index = 0;
        while (index < MAX_RINGS && rings[index] != null) {
            index++;
        }
        if (index == MAX_RINGS
                || !DirectRing.isLongEnough(memory.capacityBytes(), maxLengthBytes)) {
            new DirectPage(memory.pageAddress()).state(DirectPage.GIVEN_UP);
            memory.close();
            return;
        }
        rings[index] = new DirectReceive(peerContext, memory, maxLengthBytes, maxHeld);
        end = Math.max(end, index + 1);
    }

    /** A context that sent by a ring is closed. */
    void onSenderGone(final int peerContext) {
        for (int i = 0; i < end; i++) {
            if (rings[i] != null && rings[i].peerContext() == peerContext) {
                rings[i].onSenderGone();
            }
        }
    }

    /** True if there is no ring. */
    boolean isEmpty() {
        return end == 0;
    }

    /** True if a message is there for {@link #receive}; may wait some microseconds for several. */
    boolean isReady() {
        return hasMessage() || (pace.mayPause() && pause());
    }

    private boolean pause() {
        pace.pause();
        return hasMessage();
    }

    /**
     * True if a message comes in the ring of the last one within some looks, while the context
     * talks with others in turns.
     */
    // A peer that answers through a ring is quick, and a look at all else that may end a wait takes
    // as
    // long as the answer. Where messages come in one direction it would take the line from the
    // sender.
    boolean comesSoon() {
        final DirectReceive ring = rings[ready];
        if (ring == null || pace.isOneWay()) {
            return false;
        }
        for (int i = 0; i < IdleParameters.CLOSE_LOOKS; i++) {
            Thread.onSpinWait();
            if (ring.isReady()) {
                return true;
            }
        }
        return false;
    }

    /** This context sends something, and may wait for an answer. */
    void onSend() {
        pace.onSend();
    }

    private boolean hasMessage() {
        for (int i = 0; i < end; i++) {
            final int index = ready + i < end ? ready + i : ready + i - end;
            if (rings[index] != null && rings[index].isReady()) {
                ready = index;
                return true;
            }
        }
        return false;
    }

    /** Receives the message that {@link #isReady} has found. */
    void receive(final PmMessage message) {
        rings[ready].take(message, ownNode, ReceivedMessages.ringBits(ready));
        held.onDirect(1);
        pace.onMessages(1);
        if (--turnLeft <= 0) {
            turnLeft = MESSAGES_PER_TURN;
            ready = ready + 1 < end ? ready + 1 : 0;
        }
    }

    /**
     * Receives messages of the ring that {@link #isReady} has found, and releases each.
     *
     * @param message that the handler is called with.
     * @param limit most messages, 1 or more.
     * @return how many.
     */
    int receive(final PmMessageHandler handler, final PmMessage message, final int limit) {
        final DirectReceive ring = rings[ready];
        final int ringBits = ReceivedMessages.ringBits(ready);
        final int most = Math.min(limit, turnLeft);
        int count = 0;
        do {
            ring.take(message, ownNode, ringBits);
            held.onDirect(1);
            count++;
            try {
                handler.onMessage(message);
            } finally {
                if (message.handle() != PmMessage.NO_HANDLE) {
                    final long number = ReceivedMessages.position(message.handle());
                    message.clear();
                    ring.release(number);
                    held.onDirect(-1);
                }
            }
        } while (count < most && ring.isReady());
        pace.onMessages(count);
        turnLeft -= count;
        if (turnLeft <= 0) {
            turnLeft = MESSAGES_PER_TURN;
            ready = ready + 1 < end ? ready + 1 : 0;
        }
        return count;
    }

    /** Takes notice if a message that came through the node is the begin of a ring. */
    boolean isBegin(final int node, final int context, final long payload, final int lengthBytes) {
        if (node != ownNode || lengthBytes != DirectPage.BEGIN_BYTES) {
            return false;
        }
        for (int i = 0; i < end; i++) {
            if (rings[i] != null
                    && rings[i].peerContext() == context
                    && rings[i].isBegin(payload)) {
                rings[i].begin();
                return true;
            }
        }
        return false;
    }

    /**
     * Whether messages in a ring have to be received before one that came through the node.
     *
     * @return {@link #NODE_FIRST}; {@link #RING_FIRST}: {@link #receive} has the first of them;
     *     {@link #RING_FULL}: more of them are held than may be, so nothing can be received yet.
     */
    int order(final int node, final int context) {
        for (int i = 0; i < end && node == ownNode; i++) {
            final DirectReceive ring = rings[i];
            if (ring != null && ring.peerContext() == context && ring.isBeforeNode()) {
                if (ring.isReady()) {
                    ready = i;
                    return RING_FIRST;
                }
                if (ring.isFull()) {
                    return RING_FULL;
                }
                if (ring.isBeforeNode()) {
                    // A sender that leaves the ring announces it before it sends through the node.
                    ring.giveUp();
                }
            }
        }
        return NODE_FIRST;
    }

    /** True if the handle is of a message in a ring. */
    static boolean isDirect(final long handle) {
        return ReceivedMessages.ring(handle) < MAX_RINGS;
    }

    /**
     * Releases the message with a handle of a ring.
     *
     * @throws IllegalStateException if no such message is held.
     */
    void release(final long handle) {
        final DirectReceive ring = rings[ReceivedMessages.ring(handle)];
        final long number = ReceivedMessages.position(handle);
        if (ring == null || !ring.isHeld(number)) {
            throw new IllegalStateException("no message with this handle is held: " + handle);
        }
        ring.release(number);
        held.onDirect(-1);
    }

    /** There is nothing to receive: forgets rings that are over. */
    void onIdle() {
        for (int i = 0; i < end; i++) {
            final DirectReceive ring = rings[i];
            if (ring != null && ring.isOver()) {
                signals += ring.sleep().end();
                ring.close();
                rings[i] = null;
            }
        }
        while (end > 0 && rings[end - 1] == null) {
            end--;
            ready = 0;
        }
    }

    /**
     * Asks all senders to wake this thread; false if there are none.
     *
     * @param words as of {@link DirectSleep#start}.
     */
    boolean sleep(final FutexWords words) {
        for (int i = 0; i < end; i++) {
            if (rings[i] != null) {
                rings[i].sleep().start(words);
            }
        }
        return end > 0;
    }

    /** Ends what {@link #sleep} began; returns the signals that have come for it or will. */
    int awake() {
        int count = signals;
        signals = 0;
        for (int i = 0; i < end; i++) {
            count += rings[i] == null ? 0 : rings[i].sleep().end();
        }
        return count;
    }

    /** Gives all rings up; their messages must not be read any more. */
    void close() {
        for (int i = 0; i < end; i++) {
            if (rings[i] != null) {
                rings[i].giveUp();
                rings[i].close();
            }
        }
        Arrays.fill(rings, null);
        end = 0;
    }
}
