package io.hxb.tool.chaos.traffic;

import io.hxb.node.service.StreamCheck;
import io.hxb.pm.PmStatus;
import io.hxb.tool.measure.Pair;

import java.util.ArrayList;
import java.util.List;

/**
 * The fate of the messages of one pair. Immutable.
 *
 * @param pair who sent and who received.
 * @param bytes payload that arrived.
 * @param messages messages that arrived.
 * @param lost messages that did not arrive although no error was reported, or although a later one
 *     of the same epoch did.
 * @param duplicated messages that arrived again.
 * @param reordered messages that arrived after a later one.
 * @param corrupt messages with damaged content.
 * @param reported messages that did not arrive, and their sender was notified of it.
 * @param errors errors that ended epochs of the stream, in order.
 * @param samples bytes that arrived in each interval.
 */
public record PairCounts(
        Pair pair,
        long bytes,
        long messages,
        long lost,
        long duplicated,
        long reordered,
        long corrupt,
        long reported,
        List<String> errors,
        RateSeries samples) {

    /** Compares what was sent with what arrived. */
    static PairCounts of(
            final Pair pair, final List<StreamEpoch> epochs, final ReceivedStream received) {
        long lost = 0;
        long reported = 0;
        final List<String> errors = new ArrayList<>();
        for (final StreamEpoch epoch : epochs) {
            final StreamCheck check = received.of(epoch.number());
            final long arrived = check == null ? 0 : check.messages() - check.duplicated();
            final long missing = Math.max(0, epoch.sent() - arrived);
            if (epoch.status() == PmStatus.OK) {
                lost += missing;
            } else {
                // Of an epoch that failed only the end may be missing.
                final long holes = check == null ? 0 : check.lost();
                lost += holes;
                reported += Math.max(0, missing - holes);
                errors.add(PmStatus.name(epoch.status()));
            }
        }
        return new PairCounts(
                pair,
                received.bytes(),
                received.messages(),
                lost,
                received.duplicated(),
                received.reordered(),
                received.corrupt(),
                reported,
                List.copyOf(errors),
                received.bins().series());
    }

    /**
     * True if everything that arrived did so once, in order and intact, and everything else was
     * reported.
     */
    public boolean isOk() {
        return lost == 0 && duplicated == 0 && reordered == 0 && corrupt == 0 && messages > 0;
    }
}
