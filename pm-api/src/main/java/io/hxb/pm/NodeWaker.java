package io.hxb.pm;

import io.hxb.linux.EventFd;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.NodePage;
import io.hxb.pm.shm.RemoteMemoryArea;

import java.lang.invoke.VarHandle;

/**
 * Wakes the node's loop, if it sleeps, for what a context has put into its rings. Owned by the
 * context's thread.
 */
final class NodeWaker {
    private final NodePage node;
    private final int loop;
    private final int wakeNode;
    private final boolean isInvoked;
    private int signalled;

    /**
     * Makes the bell of one context.
     *
     * @param wakeUps the node's loop that serves the context, and the eventfd that wakes it.
     * @param isInvoked true if that loop runs on the context's thread, and so never while it does.
     */
    public NodeWaker(
            final NodePage node, final Attachment.WakeUps wakeUps, final boolean isInvoked) {
        this.node = node;
        loop = wakeUps.loop();
        wakeNode = wakeUps.node();
        this.isInvoked = isInvoked;
    }

    /** A message has been submitted. */
    void onSubmitted() {
        if (!isInvoked) {
            VarHandle.fullFence();
            wake();
        }
    }

    /** A receive buffer has been released. */
    void onReleased(final ControlMemory control) {
        if (!isInvoked) {
            VarHandle.fullFence();
            if (control.isReleaseAwaited()) {
                wake();
            }
        }
    }

    /** A notification of remote memory has been taken. */
    void onTaken(final RemoteMemoryArea area) {
        if (!isInvoked) {
            VarHandle.fullFence();
            if (area.isTakeAwaited()) {
                wake();
            }
        }
    }

    // After the full fence, either the node sees what was put, or this thread sees that the node
    // sleeps.
    private void wake() {
        final int sleep = node.sleep(loop);
        if (sleep != 0 && sleep != signalled) {
            signalled = sleep;
            EventFd.signal(wakeNode);
        }
    }
}
