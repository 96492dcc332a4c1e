package io.hxb.pm.netty;

import io.netty.channel.Channel;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Makes a channel's loop look at its stream, once for any number of requests until then. */
final class StreamCheckTask {
    private final AtomicBoolean isDue = new AtomicBoolean();
    private final Channel channel;
    private final Runnable look;

    /**
     * Makes the look of one channel.
     *
     * @param look run by the channel's loop.
     */
    StreamCheckTask(final Channel channel, final Runnable look) {
        this.channel = channel;
        this.look = look;
    }

    /** The stream may have become ready; any thread. */
    void onReady() {
        if (isDue.compareAndSet(false, true)) {
            try {
                channel.eventLoop().execute(this::run);
            } catch (final RejectedExecutionException e) {
                // The loop has ended, so nobody will ever look at this channel again.
                isDue.set(true);
            }
        }
    }

    private void run() {
        isDue.set(false);
        if (!channel.isRegistered()) {
            // It looks when it has been registered again.
            return;
        }
        if (channel.eventLoop().inEventLoop()) {
            look.run();
        } else {
            // It has moved to another loop meanwhile.
            onReady();
        }
    }
}
