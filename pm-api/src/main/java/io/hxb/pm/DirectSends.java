package io.hxb.pm;

import io.hxb.linux.FutexWords;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.DirectOffer;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * The rings by which a context sends to others of its node: decides when one is offered. Owned by
 * the context's thread.
 */
final class DirectSends {
    /** Messages that go through the node before a ring is offered for the first time. */
    static final int MESSAGES_BEFORE_OFFER = 32;

    /** Rings by which a context may send. */
    static final int MAX_RINGS = 64;

    /** Rings whose receivers are asked to wake this thread; as many words as a sleep may have. */
    private static final int MAX_SLEEPERS = FutexWords.MAX_COUNT - DirectReceives.MAX_RINGS - 1;

    /** Factor by which the messages before the next offer of a ring grow. */
    private static final int OFFER_BACKOFF_FACTOR = 8;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final Attachment attachment;
    private final int contextId;

    /** By context; null where there is none. */
    private final DirectSend[] rings;

    /** Messages to each context that are left until a ring is offered. */
    private final int[] untilOffer;

    /** Messages to each context between this offer and the next. */
    private final int[] nextUntilOffer;

    /** Without an answer, by context. */
    private final Map<Integer, DirectOffer> offers = new HashMap<>();

    private int count;

    /** The rings that had no room, the one that was found so last at the end. */
    private final DirectSend[] full = new DirectSend[MAX_RINGS];

    private int fullCount;

    /** Signals of rings that were removed while their receivers were asked to wake this thread. */
    private int signals;

    /** Called for contexts that were closed and had not released all that was sent to them. */
    private IntConsumer lost = _ -> {};

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
        nextUntilOffer = new int[rings.length];
        Arrays.fill(untilOffer, MESSAGES_BEFORE_OFFER);
        Arrays.fill(nextUntilOffer, MESSAGES_BEFORE_OFFER * OFFER_BACKOFF_FACTOR);
    }

    /** Notifies {@code listener} of contexts that were closed with messages not released. */
    void onLost(final IntConsumer listener) {
        lost = listener;
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
        untilOffer[context] = nextUntilOffer[context];
        nextUntilOffer[context] = Math.min(nextUntilOffer[context] * OFFER_BACKOFF_FACTOR, 1 << 28);
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
            if (!ring.isReceiverGone() && ring.hasUnreleased()) {
                lost.accept(context);
            }
            ring.onReceiverGone();
        }
    }

    private void startAnew(final int context) {
        if (context < rings.length) {
            untilOffer[context] = MESSAGES_BEFORE_OFFER;
            nextUntilOffer[context] = MESSAGES_BEFORE_OFFER * OFFER_BACKOFF_FACTOR;
        }
    }

    /**
     * Forgets a ring; returns it, so that it is closed when nothing is written in it any more. One
     * that its receiver has given up is replaced, each time after {@link #OFFER_BACKOFF_FACTOR}
     * times as many messages.
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
        signals += ring.sleep().end();
        count--;
        forgetFull(ring);
        return ring;
    }

    /** A message found no room in a ring. */
    void onFull(final DirectSend ring, final int lengthBytes) {
        ring.onRefused(lengthBytes);
        if (fullCount == 0 || full[fullCount - 1] != ring) {
            forgetFull(ring);
            full[fullCount++] = ring;
        }
    }

    private void forgetFull(final DirectSend ring) {
        int left = 0;
        for (int i = 0; i < fullCount; i++) {
            full[left] = full[i];
            left += full[i] == ring ? 0 : 1;
        }
        Arrays.fill(full, left, fullCount, null);
        fullCount = left;
    }

    /** True if a message found no room, and was not notified of any since. */
    boolean hasBeenFull() {
        return fullCount > 0;
    }

    /** True if there is room for such a message now, or its ring is of no use any more. */
    boolean hasRoomAgain() {
        for (int i = 0; i < fullCount; i++) {
            if (full[i].hasRoomAgain()) {
                return true;
            }
        }
        return false;
    }

    /** The same, once for each. */
    boolean takeRoomAgain() {
        int left = 0;
        for (int i = 0; i < fullCount; i++) {
            final DirectSend ring = full[i];
            // A receiver that was asked for several rings has to complete each request.
            if (ring.hasRoomAgain()) {
                signals += ring.sleep().end();
            } else {
                full[left++] = ring;
            }
        }
        final boolean hasAny = left < fullCount;
        Arrays.fill(full, left, fullCount, null);
        fullCount = left;
        return hasAny;
    }

    /**
     * Asks the receivers of the rings that are full to wake this thread, those found full last if
     * there are more than {@link #MAX_SLEEPERS}; false if there are none.
     *
     * @param words as of {@link DirectSleep#start}.
     */
    boolean sleep(final FutexWords words) {
        for (int i = Math.max(0, fullCount - MAX_SLEEPERS); i < fullCount; i++) {
            full[i].sleep().start(words);
        }
        return fullCount > 0;
    }

    /** Ends what {@link #sleep} began; returns the signals that have come for it or will. */
    int awake() {
        int ended = signals;
        signals = 0;
        for (int i = 0; i < fullCount; i++) {
            ended += full[i].sleep().end();
        }
        return ended;
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
