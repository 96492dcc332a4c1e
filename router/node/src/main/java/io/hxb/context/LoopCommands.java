package io.hxb.context;

import io.hxb.linux.Descriptors;
import io.hxb.linux.EventFd;
import io.hxb.linux.LinuxException;
import io.hxb.os.EventFdSet;

import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;

import java.util.function.Consumer;

/**
 * The commands of other threads to a loop, and the descriptors that wake it. Any thread puts
 * commands in; the loop takes them.
 *
 * @param <L> the loop.
 */
final class LoopCommands<L> {
    private final MpscUnboundedVarHandleArrayQueue<Consumer<L>> commands =
            new MpscUnboundedVarHandleArrayQueue<>(64);
    private final EventFdSet wakeUps;
    private final int commandEvent;
    private final Object lock = new Object();
    private boolean isDown;

    /** No commands. */
    LoopCommands() throws LinuxException {
        wakeUps = new EventFdSet();
        try {
            commandEvent = EventFd.create();
        } catch (final LinuxException e) {
            wakeUps.close();
            throw e;
        }
        wakeUps.add(commandEvent);
    }

    /**
     * Adds a command and wakes the loop: any thread. Not while the descriptors are closed, whose
     * numbers may be in use again by then.
     *
     * @return false if the loop takes none any more.
     */
    boolean offer(final Consumer<L> command) {
        synchronized (lock) {
            if (isDown) {
                return false;
            }
            commands.offer(command);
            EventFd.signal(commandEvent);
            return true;
        }
    }

    /** The next command, or null; for the loop alone. */
    Consumer<L> poll() {
        return commands.relaxedPoll();
    }

    /**
     * The last commands, until null; for the loop alone, which waits for one that is being added.
     */
    Consumer<L> pollLast() {
        return commands.poll();
    }

    /** True if there may be a command; for the loop alone. */
    boolean isWaiting() {
        return !commands.isEmpty();
    }

    /** Puts a command back to be tried again; for the loop alone. */
    void putBack(final Consumer<L> command) {
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
