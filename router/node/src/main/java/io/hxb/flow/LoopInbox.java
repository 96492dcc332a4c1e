package io.hxb.flow;

import io.hxb.flow.order.BufferStack;
import io.hxb.flow.order.WorkStack;
import io.hxb.link.BufferPool;

/**
 * What any loop hands to one flow loop: frames for its contexts, and flows to which something
 * happened. Any loop puts in, and wakes the owner if there was nothing before; the owner takes.
 */
final class LoopInbox {
    private final BufferStack frames;
    private final WorkStack flows = new WorkStack();
    private final Runnable wakeUp;

    /**
     * An empty inbox.
     *
     * @param links of frames in inboxes, [buffers of the pool], shared by all loops of a node.
     * @param wakeUp called by other loops when the owner has something to do.
     */
    LoopInbox(final int[] links, final Runnable wakeUp) {
        frames = new BufferStack(links);
        this.wakeUp = wakeUp;
    }

    /** Gives a frame in a pool buffer to the owner; called by the loop of inbox {@code from}. */
    void hand(final int bufferId, final LoopInbox from) {
        if (frames.push(bufferId) && from != this) {
            wakeUp.run();
        }
    }

    /** Makes the owner look at a flow; called by the loop of inbox {@code from}. */
    void post(final Flow flow, final LoopInbox from) {
        if (flows.push(flow) && from != this) {
            wakeUp.run();
        }
    }

    boolean isEmpty() {
        return frames.isEmpty() && flows.isEmpty();
    }

    /** Takes all frames: the first one, or {@link BufferPool#NONE}. */
    int takeFrames() {
        return frames.takeAll();
    }

    /** The frame after {@code bufferId}, before that one is given away. */
    int following(final int bufferId) {
        return frames.following(bufferId);
    }

    /** Takes all flows: the first one, from which {@link Flow#take} leads to the next; or null. */
    Flow takeFlows() {
        return (Flow) flows.takeAll();
    }
}
