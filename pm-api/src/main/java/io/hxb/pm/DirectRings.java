package io.hxb.pm;

import io.hxb.linux.FutexWords;
import io.hxb.linux.ProcessBarrier;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.DirectChange;
import io.hxb.pm.shm.ControlMemory;

/**
 * The rings by which a context and others of its node send to each other without the node, which
 * only introduces them: hears from the node when another context offers one or is closed. Owned by
 * the context's thread.
 */
final class DirectRings {
    private static final int GONE_SHIFT =
            Integer.numberOfTrailingZeros(ControlMemory.RECEIVER_GONE);

    private final ControlMemory control;
    private final Attachment attachment;
    private final int contextId;
    private final DirectSends sends;
    private final DirectReceives receives;
    private int changesSeen;

    /** Up to which all changes have been taken. */
    private int changesTaken;

    /** True while the node has not reported what the next change is. */
    private boolean isAsking;

    DirectRings(
            final ControlMemory control,
            final Attachment attachment,
            final int contextId,
            final DirectSends sends,
            final DirectReceives receives) {
        this.control = control;
        this.attachment = attachment;
        this.contextId = contextId;
        this.sends = sends;
        this.receives = receives;
    }

    DirectSends sends() {
        return sends;
    }

    DirectReceives receives() {
        return receives;
    }

    /**
     * True if a receiver is gone and the node has not reported which: what is put in its ring would
     * be lost.
     */
    boolean isInDoubt() {
        return (control.directChanges() ^ changesTaken) >>> GONE_SHIFT != 0;
    }

    /** Takes note of what the node has reported since the last call; almost always nothing. */
    void poll() {
        if (control.directChanges() != changesSeen || isAsking || sends.hasOffers()) {
            takeChanges();
        }
    }

    private void takeChanges() {
        sends.takeAnswers();
        if (!isAsking && control.directChanges() == changesSeen) {
            return;
        }
        DirectChange change = next();
        while (change != null && change.kind() != DirectChange.NONE) {
            take(change);
            change = next();
        }
    }

    private DirectChange next() {
        if (!isAsking) {
            // Read before they are asked for: what is reported meanwhile is requested again.
            changesSeen = control.directChanges();
        }
        final DirectChange change = attachment.nextDirectChange(contextId);
        isAsking = change == null;
        if (change != null && change.kind() == DirectChange.NONE) {
            changesTaken = changesSeen;
        }
        // To what was asked before.
        sends.takeAnswers();
        return change;
    }

    private void take(final DirectChange change) {
        switch (change.kind()) {
            case DirectChange.OFFERED -> {
                if (change.memory() != null) {
                    receives.take(change.peerContext(), change.memory());
                }
            }
            case DirectChange.SENDER_GONE -> receives.onSenderGone(change.peerContext());
            default -> sends.onReceiverGone(change.peerContext(), change.ring());
        }
    }

    /**
     * Asks the other ends to wake this thread for {@code interest} of {@link ControlMemory}.
     *
     * @param words that the thread will sleep on, to which those of the rings are added; null if it
     *     sleeps at its SignalSocket.
     */
    void sleep(final int interest, final FutexWords words) {
        final boolean areSenders =
                (interest & ControlMemory.MESSAGES) != 0 && receives.sleep(words);
        final boolean isReceiver = (interest & ControlMemory.SENDS) != 0 && sends.sleep(words);
        if ((areSenders || isReceiver) && ProcessBarrier.isRegistered()) {
            ProcessBarrier.run();
        }
    }

    /** Ends what {@link #sleep} began; returns the signals that have come for it or will. */
    int awake() {
        return receives.awake() + sends.awake();
    }

    /** Gives all rings up. */
    void close() {
        receives.close();
        sends.close();
    }
}
