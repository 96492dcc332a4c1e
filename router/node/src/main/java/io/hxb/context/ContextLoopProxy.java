package io.hxb.context;

import io.hxb.flow.FlowWalk;
import io.hxb.linux.LinuxException;
import io.hxb.pm.shm.CloseReason;
import io.hxb.remote.RemoteEndpoint;

import java.util.concurrent.CompletableFuture;

/**
 * Other threads' handle on a {@link ContextLoop}: puts commands into the loop's queue and wakes it.
 * Made before the loop, so that it can be asked at any time; a command waits until the loop runs.
 */
final class ContextLoopProxy {
    private final LoopCommands<ContextLoop> commands = new LoopCommands<>();

    private ContextLoopProxy() throws LinuxException {}

    /** Makes the proxies of {@code count} loops, or none if one of them cannot be made. */
    static ContextLoopProxy[] ofLoops(final int count) throws LinuxException {
        final ContextLoopProxy[] proxies = new ContextLoopProxy[count];
        for (int i = 0; i < count; i++) {
            try {
                proxies[i] = new ContextLoopProxy();
            } catch (final LinuxException e) {
                for (int made = 0; made < i; made++) {
                    proxies[made].close();
                }
                throw e;
            }
        }
        return proxies;
    }

    /**
     * Opens a context: any thread. The future fails with an IllegalStateException whose message
     * gives the reason.
     */
    CompletableFuture<ContextEndpoint> open(final ContextEndpoint endpoint) {
        final CompletableFuture<ContextEndpoint> opened = new CompletableFuture<>();
        if (!commands.offer(loop -> loop.open(endpoint, opened))) {
            opened.completeExceptionally(new NodeStopsException());
        }
        return opened;
    }

    /** Lets a context use remote memory: any thread. Fails as {@link #open} does. */
    CompletableFuture<ContextEndpoint> openRemote(
            final ContextEndpoint endpoint, final RemoteEndpoint remote, final LentMemory memory) {
        final CompletableFuture<ContextEndpoint> opened = new CompletableFuture<>();
        if (!commands.offer(loop -> loop.openRemote(endpoint, remote, memory, opened))) {
            opened.completeExceptionally(new NodeStopsException());
        }
        return opened;
    }

    /** Completes a pass through the loop's flows: any thread. Fails as {@link #open} does. */
    CompletableFuture<FlowWalk> walk(final FlowWalk walk) {
        final CompletableFuture<FlowWalk> done = new CompletableFuture<>();
        if (!commands.offer(loop -> loop.walk(walk, done))) {
            done.completeExceptionally(new NodeStopsException());
        }
        return done;
    }

    /** Closes a context: any thread. Nothing happens when it is closed already. */
    void close(final ContextEndpoint endpoint, final CloseReason reason) {
        // When the loop is down already, so is the context.
        commands.offer(loop -> loop.close(endpoint, reason));
    }

    /** Notifies a context that there is a change of its direct rings: any thread. */
    void onDirectChange(final ContextEndpoint endpoint, final boolean isReceiverGone) {
        commands.offer(loop -> loop.onDirectChange(endpoint, isReceiverGone));
    }

    /** Wakes the applications that sleep, so that they learn of a link: any thread. */
    void onLinkEvent() {
        commands.offer(ContextLoop::onLinkEvent);
    }

    /** Where the loop finds its commands. */
    LoopCommands<ContextLoop> commands() {
        return commands;
    }

    /** Ends the commands, after the loop. */
    void close() {
        commands.close();
    }
}
