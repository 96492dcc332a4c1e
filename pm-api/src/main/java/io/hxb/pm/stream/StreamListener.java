package io.hxb.pm.stream;

/** Told that a channel may have become ready; for event loops. Called by any thread. */
@FunctionalInterface
public interface StreamListener {
    /**
     * Something may now be read, written, accepted or connected, or the channel has ended. The
     * caller holds the lock of all streams of the context: do no more than to schedule a look at
     * the channel.
     */
    void onReady();
}
