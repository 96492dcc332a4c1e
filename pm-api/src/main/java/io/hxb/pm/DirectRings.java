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
    private final ControlMemory control;
    private final Attachment attachment;
    private final int contextId;
    private final DirectSends sends;
    private final DirectReceives receives;
    private int changesSeen;

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

    /** Takes note of what the node has told since the last call; almost always nothing. */
    void poll() {
        if (control.directChanges() != changesSeen) {
            takeChanges();
        }
    }

    private void takeChanges() {
        // Read before they are asked for: what is told meanwhile is asked for again.
        changesSeen = control.directChanges();
        DirectChange change = attachment.nextDirectChange(contextId);
        while (change.kind() != DirectChange.NONE) {
            take(change);
            change = attachment.nextDirectChange(contextId);
        }
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
