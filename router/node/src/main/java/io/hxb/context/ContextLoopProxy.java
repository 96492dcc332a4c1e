package io.hxb.context;

import io.hxb.linux.Descriptors;
import io.hxb.linux.EventFd;
import io.hxb.linux.LinuxException;
import io.hxb.os.EventFdSet;
import io.hxb.pm.shm.CloseReason;
import io.hxb.remote.RemoteEndpoint;

import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Other threads' handle on a {@link ContextLoop}: puts commands into the loop's queue and wakes it.
 * Made before the loop, so that it can be asked at any time; a command waits until the loop runs.
 */
final class ContextLoopProxy {
    private final MpscUnboundedVarHandleArrayQueue<Consumer<ContextLoop>> commands =
            new MpscUnboundedVarHandleArrayQueue<>(64);
    private final EventFdSet wakeUps;
    private final int commandEvent;
    private final Object lock = new Object();
    private boolean isDown;

    private ContextLoopProxy() throws LinuxException {
        wakeUps = new EventFdSet();
        try {
            commandEvent = EventFd.create();
        } catch (final LinuxException e) {
            wakeUps.close();
            throw e;
        }
        wakeUps.add(commandEvent);
    }

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
     * says why.
     */
    CompletableFuture<ContextEndpoint> open(final ContextEndpoint endpoint) {
        final CompletableFuture<ContextEndpoint> opened = new CompletableFuture<>();
        if (!command(loop -> loop.open(endpoint, opened))) {
            opened.completeExceptionally(new NodeStopsException());
        }
        return opened;
    }

    /** Lets a context use remote memory: any thread. Fails as {@link #open} does. */
    CompletableFuture<ContextEndpoint> openRemote(
            final ContextEndpoint endpoint, final RemoteEndpoint remote, final LentMemory memory) {
        final CompletableFuture<ContextEndpoint> opened = new CompletableFuture<>();
        if (!command(loop -> loop.openRemote(endpoint, remote, memory, opened))) {
            opened.completeExceptionally(new NodeStopsException());
        }
        return opened;
    }

    /** Closes a context: any thread. Nothing happens when it is closed already. */
    void close(final ContextEndpoint endpoint, final CloseReason reason) {
        // When the loop is down already, so is the context.
        command(loop -> loop.close(endpoint, reason));
    }

    /** Tells a context that there is a change of its direct rings: any thread. */
    void onDirectChange(final ContextEndpoint endpoint, final boolean isReceiverGone) {
        command(loop -> loop.onDirectChange(endpoint, isReceiverGone));
    }

    /** Wakes the applications that sleep, so that they learn of a link: any thread. */
    void onLinkEvent() {
        command(ContextLoop::onLinkEvent);
    }

    // Not while the descriptors are closed, whose numbers may be in use again by then.
    private boolean command(final Consumer<ContextLoop> command) {
        synchronized (lock) {
            if (isDown) {
                return false;
            }
            commands.offer(command);
            EventFd.signal(commandEvent);
            return true;
        }
    }

    /** The loop's next command, or null; for the loop alone. */
    Consumer<ContextLoop> poll() {
        return commands.relaxedPoll();
    }

    /**
     * The loop's last commands, until null; for the loop alone, which waits for one that is being
     * added.
     */
    Consumer<ContextLoop> pollLast() {
        return commands.poll();
    }

    /** True if there may be a command; for the loop alone. */
    boolean hasCommands() {
        return !commands.isEmpty();
    }

    /** Puts a command back to be tried again; for the loop alone. */
    void putBack(final Consumer<ContextLoop> command) {
        commands.offer(command);
    }

    /** The descriptors that wake the loop: that of commands and those of its contexts. */
    EventFdSet wakeUps() {
        return wakeUps;
    }

    /** Closes the descriptors, after the loop; commands are refused from then on. */
    void close() {
        synchronized (lock) {
            isDown = true;
            wakeUps.close();
            Descriptors.close(commandEvent);
        }
    }
}
