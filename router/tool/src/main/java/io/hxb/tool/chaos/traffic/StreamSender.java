package io.hxb.tool.chaos.traffic;

import io.hxb.node.service.MessagePattern;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmStatus;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends numbered messages to one receiver as fast as they are taken. When the flow ends by an
 * error, a new epoch begins with number 0. Owned by the thread that sends; what it found is read
 * when that thread has ended.
 */
final class StreamSender {
    private static final int BURST = 32;
    private static final long PAUSE_NS = 20_000_000L;

    private final NodeEnd end;
    private final int target;
    private final int lengthBytes;
    private final PmEvent event = new PmEvent();
    private final List<StreamEpoch> epochs = new ArrayList<>();
    private int epoch = 1;
    private long sent;
    private long failed;
    private int status = PmStatus.OK;
    private long pauseUntilNs = System.nanoTime();

    StreamSender(final NodeEnd end, final int target, final int lengthBytes) {
        this.end = end;
        this.target = target;
        this.lengthBytes = lengthBytes;
    }

    /** Sends some messages; returns how many. */
    int burst(final long nowNs) {
        final PmContext context = end.open();
        if (context == null || nowNs - pauseUntilNs < 0) {
            return 0;
        }
        takeEvents(context);
        int count = 0;
        while (status == PmStatus.OK && count < BURST) {
            final int slot = context.claim(target, ChaosTraffic.RECEIVER_CONTEXT, lengthBytes);
            if (slot == PmStatus.NO_BUFFERS) {
                break;
            }
            if (slot < 0) {
                giveUp(context, slot);
                break;
            }
            MessagePattern.write(context.sendAddress(slot), lengthBytes, sent);
            final int result = context.send(slot, lengthBytes, epoch);
            if (result != PmStatus.OK) {
                giveUp(context, result);
                break;
            }
            sent++;
            count++;
        }
        return count;
    }

    /** Waits until it may continue, for at most this time. */
    void await(final long timeoutNs) {
        final PmContext context = end.open();
        if (context == null) {
            LockSupport.parkNanos(timeoutNs);
            return;
        }
        final int result = context.awaitSends(timeoutNs);
        if (result == PmStatus.NODE_GONE || result == PmStatus.CONTEXT_CLOSED) {
            giveUp(context, result);
        }
    }

    /** True when everything sent is acknowledged or has failed. */
    boolean isDrained() {
        final PmContext context = end.context();
        if (context == null) {
            return true;
        }
        takeEvents(context);
        return context.unfinishedSends() == 0;
    }

    /** The last epoch ends. */
    void finish() {
        final PmContext context = end.context();
        if (context != null && context.unfinishedSends() > 0) {
            failed += context.unfinishedSends();
            status = PmStatus.TIMED_OUT;
        }
        endEpoch();
        end.close();
    }

    /** What was sent, in order; after {@link #finish}. */
    List<StreamEpoch> epochs() {
        return epochs;
    }

    private void takeEvents(final PmContext context) {
        while (context.pollEvent(event) == PmStatus.OK) {
            status = event.status();
            failed += event.slot() == PmEvent.NO_SLOT ? 0 : 1;
        }
        // Events of one failed flow come one by one: the next epoch begins after the last of them.
        if (status != PmStatus.OK && context.unfinishedSends() == 0) {
            while (context.pollEvent(event) == PmStatus.OK) {
                failed += event.slot() == PmEvent.NO_SLOT ? 0 : 1;
            }
            endEpoch();
            pauseUntilNs = System.nanoTime() + PAUSE_NS;
        }
    }

    /** The node has gone, or has closed the context. */
    private void giveUp(final PmContext context, final int why) {
        failed += context.unfinishedSends();
        status = why;
        endEpoch();
        end.shut();
    }

    private void endEpoch() {
        if (sent > 0) {
            epochs.add(new StreamEpoch(epoch++, sent, failed, status));
        }
        sent = 0;
        failed = 0;
        status = PmStatus.OK;
    }
}
