package io.hxb.tool.chaos.traffic;

import io.hxb.node.service.MessagePattern;
import io.hxb.node.service.StreamCheck;
import io.hxb.pm.PmMessage;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Checks the messages of one sender, epoch by epoch. Written by the thread that receives; what it
 * found is read when that has ended, except for {@link #arrived}.
 */
final class ReceivedStream {
    private final SampleBins bins;
    private final Map<Integer, StreamCheck> epochs = new HashMap<>();
    private final AtomicLong arrived = new AtomicLong();
    private StreamCheck check = new StreamCheck();
    private int epoch;
    private long stale;

    ReceivedStream(final SampleBins bins) {
        this.bins = bins;
    }

    void onMessage(final PmMessage message, final long nowNs) {
        final int length = message.lengthBytes();
        if (length < MessagePattern.MIN_BYTES || message.tag() < epoch) {
            stale++;
            return;
        }
        if (message.tag() > epoch) {
            epoch = message.tag();
            check = new StreamCheck();
            epochs.put(epoch, check);
        }
        check.onMessage(
                MessagePattern.sequence(message.address()),
                length,
                MessagePattern.isIntact(message.address(), length));
        bins.add(nowNs, length);
        final long distinct = check.messages() - check.duplicated();
        arrived.lazySet((long) epoch << 40 | Math.max(0, distinct));
    }

    /**
     * The last epoch, times 2^40, and the number of different messages of it that have arrived. Any
     * thread.
     */
    long arrived() {
        return arrived.get();
    }

    /** What arrived of an epoch; null if nothing did. */
    StreamCheck of(final int number) {
        return epochs.get(number);
    }

    /** Messages of an epoch that was over when they arrived. */
    long stale() {
        return stale;
    }

    SampleBins bins() {
        return bins;
    }

    long bytes() {
        return epochs.values().stream().mapToLong(StreamCheck::bytes).sum();
    }

    long messages() {
        return epochs.values().stream().mapToLong(StreamCheck::messages).sum();
    }

    long duplicated() {
        return epochs.values().stream().mapToLong(StreamCheck::duplicated).sum();
    }

    long reordered() {
        return stale + epochs.values().stream().mapToLong(StreamCheck::reordered).sum();
    }

    long corrupt() {
        return epochs.values().stream().mapToLong(StreamCheck::corrupt).sum();
    }
}
