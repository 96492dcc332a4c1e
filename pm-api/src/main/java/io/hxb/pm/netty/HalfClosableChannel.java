package io.hxb.pm.netty;

import io.hxb.pm.stream.HxbSocketChannel;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;

import java.io.IOException;

/** Ends a stream in one direction or in both, as Netty asks for it. Owned by the event loop. */
abstract class HalfClosableChannel extends AbstractChannel implements DuplexChannel {
    final HxbSocketChannel socket;

    /** This side wants no more bytes: that its input ends is no news. */
    private boolean isInputShutHere;

    HalfClosableChannel(final Channel parent, final HxbSocketChannel socket) {
        super(parent);
        this.socket = socket.configureBlocking(false);
    }

    @Override
    public boolean isInputShutdown() {
        return socket.isInputShutdown() || !isActive();
    }

    @Override
    public boolean isOutputShutdown() {
        return socket.isOutputShutdown() || !isActive();
    }

    @Override
    public boolean isShutdown() {
        return isInputShutdown() && isOutputShutdown();
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(final ChannelPromise promise) {
        return inLoop(
                promise,
                () -> {
                    endInput();
                    promise.setSuccess();
                });
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(final ChannelPromise promise) {
        return inLoop(promise, () -> endOutput(promise));
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(final ChannelPromise promise) {
        return inLoop(
                promise,
                () -> {
                    endInput();
                    endOutput(promise);
                });
    }

    private void endInput() throws IOException {
        socket.shutdownInput();
        isInputShutHere = true;
    }

    /** True if this side has ended its input. */
    final boolean isInputShutHere() {
        return isInputShutHere;
    }

    /** Ends the output when what was written before has been sent. */
    abstract void endOutput(ChannelPromise promise);

    private ChannelFuture inLoop(final ChannelPromise promise, final Step step) {
        if (eventLoop().inEventLoop()) {
            run(promise, step);
        } else {
            eventLoop().execute(() -> run(promise, step));
        }
        return promise;
    }

    private static void run(final ChannelPromise promise, final Step step) {
        try {
            step.run();
        } catch (final IOException | RuntimeException e) {
            promise.setFailure(e);
        }
    }

    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }
}
