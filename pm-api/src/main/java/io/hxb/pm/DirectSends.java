package io.hxb.pm;

import io.hxb.linux.FutexWords;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.DirectOffer;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rings by which a context sends to others of its node: decides when one is offered. Owned by
 * the context's thread.
 */
final class DirectSends {
    /** Messages that go through the node before a ring is offered for the first time. */
    static final int MESSAGES_BEFORE_OFFER = 32;

    /** Rings by which a context may send. */
    static final int MAX_RINGS = 64;

    private static final int PATIENCE = 8;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Attachment attachment;
    private final int contextId;

    /** By context; null where there is none. */
    private final DirectSend[] rings;

    /** Messages to each context that are left until a ring is offered. */
    private final int[] untilOffer;

    private final int[] nextPatience;

    /** Without an answer, by context. */
    private final Map<Integer, DirectOffer> offers = new HashMap<>();

    private int count;

    /** The ring that had no room, and for how long a message. */
    private DirectSend full;

    private int fullLengthBytes;

    /** The ring whose receiver was asked to wake this thread, and the signals of earlier ones. */
    private DirectSend sleeper;

    private int signals;

    /**
     * Makes the rings of a context, none yet.
     *
     * @param contexts contexts of the node.
     */
    DirectSends(final Attachment attachment, final int contextId, final int contexts) {
        this.attachment = attachment;
        this.contextId = contextId;
        final boolean isPossible = attachment.directBytes() > 0;
        rings = new DirectSend[isPossible ? contexts : 0];
        untilOffer = new int[rings.length];
        nextPatience = new int[rings.length];
        Arrays.fill(untilOffer, MESSAGES_BEFORE_OFFER);
        Arrays.fill(nextPatience, MESSAGES_BEFORE_OFFER * PATIENCE);
    }

    /** The ring to a context of this node, whatever its state; null if there is none. */
    DirectSend ring(final int context) {
        return context < rings.length ? rings[context] : null;
    }

    /** A message is about to go through the node to a context that has no ring. */
    void count(final int context) {
        if (context < rings.length && --untilOffer[context] == 0) {
            offer(context);
        }
    }

    private void offer(final int context) {
        untilOffer[context] = nextPatience[context];
        nextPatience[context] = Math.min(nextPatience[context] * PATIENCE, 1 << 28);
        if (context == contextId || count == MAX_RINGS) {
            return;
        }
        final DirectOffer offer =
                attachment.offerDirect(contextId, context, RANDOM.nextLong(), RANDOM.nextLong());
        if (offer != null) {
            rings[context] = new DirectSend(offer.memory());
            offers.put(context, offer);
            count++;
        }
    }

    /** True while the node has not answered an offer. */
    boolean hasOffers() {
        return !offers.isEmpty();
    }

    /** Takes the answers to offers that have come. */
    void takeAnswers() {
        if (offers.isEmpty()) {
            return;
        }
        for (final int context : List.copyOf(offers.keySet())) {
            final DirectOffer.State state = offers.get(context).state();
            if (state != DirectOffer.State.OPEN) {
                offers.remove(context);
            }
            if (state == DirectOffer.State.REFUSED) {
                // Without a ring messages go through the node.
                remove(context).close();
            }
        }
    }

    /** True if the node has not answered the offer of the ring to a context. */
    boolean isOffered(final int context) {
        return !offers.isEmpty() && offers.containsKey(context);
    }

    /** The receiver of a ring is closed; the next message to it finds that out. */
    void onReceiverGone(final int context, final long number) {
        final DirectSend ring = ring(context);
        if (ring == null) {
            // It was given up before it was closed.
            startAnew(context);
        } else if (!isOffered(context) && ring.number() == number) {
            // There may be another one already, to a new context of that number.
            ring.onReceiverGone();
        }
    }

    private void startAnew(final int context) {
        if (context < rings.length) {
            untilOffer[context] = MESSAGES_BEFORE_OFFER;
            nextPatience[context] = MESSAGES_BEFORE_OFFER * PATIENCE;
        }
    }

    /**
     * Forgets a ring; returns it, so that it is closed when nothing is written in it any more. One
     * that its receiver has given up is replaced, each time after {@link #PATIENCE} times as many
     * messages.
     */
    DirectSend remove(final int context) {
        final DirectSend ring = rings[context];
        rings[context] = null;
        final DirectOffer offer = offers.remove(context);
        if (offer != null) {
            offer.forget();
        }
        if (ring.isReceiverGone()) {
            startAnew(context);
        }
        if (sleeper == ring) {
            signals += ring.sleep().end();
            sleeper = null;
        }
        count--;
        if (full == ring) {
            full = null;
        }
        return ring;
    }

    /** A message found no room in a ring. */
    void onFull(final DirectSend ring, final int lengthBytes) {
        full = ring;
        fullLengthBytes = lengthBytes;
    }

    /** True if a message found no room, and was not told of any since. */
    boolean hasBeenFull() {
        return full != null;
    }

    /** True if there is no room for that message yet. */
    boolean isFull() {
        return full != null && !full.hasRoom(fullLengthBytes) && !full.isBroken();
    }

    /** True, once, if there is room for that message now, or the ring is of no use any more. */
    boolean takeRoomAgain() {
        final boolean hasRoom = full != null && !isFull();
        if (hasRoom) {
            full = null;
        }
        return hasRoom;
    }

    /**
     * Asks the receiver of the ring that is full to wake this thread; false if there is none.
     *
     * @param words as of {@link DirectSleep#start}.
     */
    boolean sleep(final FutexWords words) {
        sleeper = full;
        if (sleeper != null) {
            sleeper.sleep().start(words);
        }
        return sleeper != null;
    }

    /** Ends what {@link #sleep} began; returns the signals that have come for it or will. */
    int awake() {
        final int count = signals + (sleeper == null ? 0 : sleeper.sleep().end());
        signals = 0;
        sleeper = null;
        return count;
    }

    /** Unmaps all rings. */
    void close() {
        for (int i = 0; i < rings.length && count > 0; i++) {
            if (rings[i] != null) {
                remove(i).close();
            }
        }
    }
}
