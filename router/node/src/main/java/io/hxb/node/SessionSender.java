package io.hxb.node;

import io.hxb.flow.FlowOutput;
import io.hxb.frame.SealFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.node.loop.Loop;
import io.hxb.session.Sessions;
import io.hxb.trunk.discovery.Discovery;

/**
 * Sends the SESSION frames that are due: to neighbours over a link, to other nodes by the routes of
 * all frames. Owned by the node's first loop.
 */
final class SessionSender {
    /** Frames in one turn; what is left is due in the next. */
    private static final int MAX_FRAMES = 32;

    private final Sessions sessions;
    private final Discovery discovery;
    private final LinkSender[] senders;
    private final BufferPool.Share share;
    private final FlowOutput output;
    private int begunSeen;

    /**
     * Makes the sender of a node.
     *
     * @param loop the node's first loop.
     * @param senders of that loop, by link index, {@code [links]}.
     * @param share of that loop.
     * @param output of that loop.
     */
    SessionSender(
            final Sessions sessions,
            final Discovery discovery,
            final Loop loop,
            final LinkSender[] senders,
            final BufferPool.Share share,
            final FlowOutput output) {
        this.senders = senders;
        this.share = share;
        this.output = output;
        this.sessions = sessions;
        this.discovery = discovery;
        sessions.driver(loop::wakeUp);
    }

    /** Sends what is due, and lets a hello show a new session to its node. */
    void doWork(final long nowNs) {
        int node = sessions.pollDue(nowNs);
        for (int frames = 0; node >= 0 && frames < MAX_FRAMES; frames++) {
            if (!send(node, nowNs)) {
                break;
            }
            node = sessions.pollDue(nowNs);
        }
        if (sessions.begun() != begunSeen) {
            begunSeen = sessions.begun();
            discovery.onSessionBegun(nowNs);
        }
    }

    /** False if there is no buffer for it; it stays due. */
    private boolean send(final int node, final long nowNs) {
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return false;
        }
        final int link = sessions.link(node);
        if (link != Sessions.ROUTED) {
            discovery.sendSession(node, link, nowNs, senders, share, id);
            return true;
        }
        final long header = share.pool().headerAddress(id);
        final int length = sessions.write(node, header, nowNs) - SealFlyweight.LENGTH;
        if (output.send(output.outgoing().wrap(header, length, share, id)) < 0) {
            share.release(id);
        }
        return true;
    }

    /** When something is due, unless there is news before. */
    long nextDeadlineNs() {
        return sessions.nextDeadlineNs();
    }

    /** True if something has become due. */
    boolean hasNews() {
        return sessions.hasNews() || sessions.begun() != begunSeen;
    }
}
