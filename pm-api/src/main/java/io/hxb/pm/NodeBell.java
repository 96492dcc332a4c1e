package io.hxb.pm;

import io.hxb.linux.EventFd;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.NodePage;

import java.lang.invoke.VarHandle;

/**
 * Wakes the node's loop, if it sleeps, for what a context has put into its rings. Owned by the
 * context's thread.
 */
final class NodeBell {
    private final NodePage node;
    private final int loop;
    private final int wakeNode;
    private final boolean isInvoked;
    private int signalled;

    /**
     * Makes the bell of one context.
     *
     * @param loop the node's loop that serves the context.
     * @param wakeNode its eventfd.
     * @param isInvoked true if that loop runs on the context's thread, and so never while it does.
     */
    public NodeBell(
            final NodePage node, final int loop, final int wakeNode, final boolean isInvoked) {
        this.node = node;
        this.loop = loop;
        this.wakeNode = wakeNode;
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

    // The full fence before lets the node see what was put, or this thread that the node sleeps.
    private void wake() {
        final int sleep = node.sleep(loop);
        if (sleep != 0 && sleep != signalled) {
            signalled = sleep;
            EventFd.signal(wakeNode);
        }
    }
}
