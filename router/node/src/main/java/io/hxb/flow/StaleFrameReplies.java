package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.link.LoopClock;

import java.util.PriorityQueue;

/**
 * Answers frames for contexts that are closed, and for earlier incarnations: with what was released
 * of their flow, if that is known, otherwise that nobody is there. Sources whose messages had
 * arrived and were not released are notified without a probe. Owned by one loop.
 */
final class StaleFrameReplies {
    private static final int NOTICES_PER_TURN = 32;
    private static final int MAX_NOTICES = 10;

    /** After the source has asked: its answer may be lost. */
    private static final int NOTICES_AFTER_PROBE = 2;

    private static final long NOTICE_PAUSE_NS = 10_000_000;

    private final FlowTable table;
    private final FlowConfig config;
    private final Tombstones stones;
    private final FlowCookies flowCookies;
    private final ControlWriter control;
    private final LoopClock clock;
    private final PriorityQueue<Notice> notices = new PriorityQueue<>();

    StaleFrameReplies(final LoopParts parts) {
        table = parts.table();
        config = parts.config();
        stones = table.tombstones();
        flowCookies = table.cookies();
        control = parts.control();
        clock = parts.clock();
    }

    /**
     * Answers DATA, OPEN, PROBE or CLOSE.
     *
     * @param current the context that has the number now; null for none.
     */
    void answer(final FrameHeaderFlyweight frame, final FlowContext current) {
        final int incarnation = current == null ? 0 : current.incarnation;
        final int node = table.shape().node(frame.source());
        if (frame.type() != FrameType.OPEN && node >= 0) {
            final long nowNs = clock.nowNs();
            final long key = Flow.key(frame.destinationContext(), node, frame.sourceContext());
            final Tombstone stone = stones.ask(key, frame, nowNs);
            if (stone != null) {
                control.sendEnded(frame, stone, current != null);
                return;
            }
            final int first = firstOf(frame, nowNs);
            if (first != frame.sequence() + 1) {
                control.sendEnded(frame, first, current != null);
                return;
            }
        }
        control.sendUnreachable(
                frame,
                incarnation,
                current == null
                        ? UnreachableFlyweight.NO_SUCH_CONTEXT
                        : UnreachableFlyweight.STALE_INCARNATION);
    }

    /**
     * The first sequence of a flow of which nothing had arrived: its source shows a ticket of this
     * node, which would remember the flow otherwise.
     *
     * @return a sequence later than the frame's if that is not certain.
     */
    private int firstOf(final FrameHeaderFlyweight frame, final long nowNs) {
        final int none = frame.sequence() + 1;
        if (frame.type() == FrameType.CLOSE
                || !stones.isComplete(flowCookies.lifetimeNs(), nowNs)) {
            return none;
        }
        final int contextId = frame.destinationContext();
        final int incarnation = frame.destinationIncarnation();
        final long issueNs = flowCookies.issueOf(contextId, incarnation, frame, nowNs);
        return issueNs == FlowCookies.INVALID
                ? none
                : flowCookies.first(contextId, incarnation, frame, issueNs);
    }

    /** A context is closed that had received on {@code flow}. */
    void leaveTombstone(final ReceiveFlow flow) {
        final Tombstone stone = flow.leaveTombstone(config.windowFrames(), clock.nowNs());
        stones.add(stone);
        if (stone.hasLost && notices.size() < table.sizes().maxFlows()) {
            notices.add(new Notice(stone, clock.nowNs(), 0, 0));
        }
    }

    /** Notifies sources; returns frames sent. */
    int sendNotices(final long nowNs) {
        int frames = 0;
        while (frames < NOTICES_PER_TURN
                && !notices.isEmpty()
                && notices.peek().dueNs() - nowNs <= 0) {
            final Notice notice = notices.peek();
            final boolean isOpenAgain = table.context(notice.stone().contextId) != null;
            if (!control.sendEnded(notice.stone(), isOpenAgain)) {
                break;
            }
            notices.poll();
            frames++;
            sendAgainLater(notice, nowNs);
        }
        return frames;
    }

    private void sendAgainLater(final Notice notice, final long nowNs) {
        final int sent = notice.sent() + 1;
        final int answered = notice.answered() + (stones.isAsked(notice.stone()) ? 1 : 0);
        if (sent < MAX_NOTICES && answered <= NOTICES_AFTER_PROBE) {
            final long pauseNs = NOTICE_PAUSE_NS << (sent - 1);
            notices.add(new Notice(notice.stone(), nowNs + pauseNs, sent, answered));
        }
    }

    /** When {@link #sendNotices} has something to do, Long.MAX_VALUE for never. */
    long nextDeadlineNs() {
        return notices.isEmpty() ? Long.MAX_VALUE : notices.peek().dueNs();
    }

    /** When a source is notified next, how often it was, and how often since it asked. */
    private record Notice(Tombstone stone, long dueNs, int sent, int answered)
            implements Comparable<Notice> {
        @Override
        public int compareTo(final Notice other) {
            return Long.signum(dueNs - other.dueNs);
        }
    }
}
