package io.hxb.pm.stream;

/** Called when a channel may have become ready; for event loops. Called by any thread. */
@FunctionalInterface
public interface StreamListener {
    /**
     * Something may now be read, written, accepted or connected, or the channel has ended. The
     * caller holds the lock of all streams of the context: only schedule a check of the channel.
     */
    void onReady();
}
