package io.hxb.pm.netty;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GenericFutureListener;
import io.netty.util.concurrent.SingleThreadEventExecutor;

import java.util.concurrent.RejectedExecutionException;

/**
 * Closes a channel when its event loop is shut down, as loops do with channels whose descriptors
 * they wait for. Used by the channel's loop.
 */
final class LoopShutdownHook {
    private final Channel channel;
    private final Runnable onShutdown;
    private final GenericFutureListener<Future<Object>> onTermination;
    private EventLoop loop;

    LoopShutdownHook(final Channel channel) {
        this.channel = channel;
        onShutdown = () -> channel.unsafe().close(channel.unsafe().voidPromise());
        onTermination = _ -> channel.unsafe().closeForcibly();
    }

    /** The channel has been registered with its loop. */
    @SuppressWarnings("unchecked")
    void watch() {
        loop = channel.eventLoop();
        if (loop instanceof final SingleThreadEventExecutor executor) {
            executor.addShutdownHook(onShutdown);
        } else {
            // It runs nothing any more by the time it announces its end.
            final var _ = ((Future<Object>) loop.terminationFuture()).addListener(onTermination);
        }
    }

    /** The channel leaves its loop. */
    @SuppressWarnings("unchecked")
    void forget() {
        final EventLoop left = loop;
        loop = null;
        if (left instanceof final SingleThreadEventExecutor executor) {
            try {
                executor.removeShutdownHook(onShutdown);
            } catch (final RejectedExecutionException e) {
                // The loop has ended and with it what it kept.
            }
        } else if (left != null) {
            final var _ = ((Future<Object>) left.terminationFuture()).removeListener(onTermination);
        }
    }
}
