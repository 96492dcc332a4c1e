package io.hxb.tool.measure;

import io.hxb.node.service.MessagePattern;
import io.hxb.node.service.ServiceProtocol;
import io.hxb.pm.PmContext;
import io.hxb.tool.report.ToolException;

import org.HdrHistogram.Histogram;

/**
 * Measures round trips to the service of another node, one message at a time. Owned by the thread
 * that measures.
 */
public final class PingRun {
    private static final long LONGEST_NS = 10_000_000_000L;

    private final Exchange exchange;
    private final Histogram histogram = new Histogram(LONGEST_NS, 3);
    private long lost;
    private long duplicated;
    private long corrupt;
    private long bytes;
    private long durationNs;
    private long sequence;

    /**
     * Makes a measurement.
     *
     * @param context used by it alone until it is done; closed by the caller.
     */
    public PingRun(final PmContext context) {
        exchange = new Exchange(context);
    }

    /**
     * Sends {@code count} messages and waits for each one's echo. Blocks until then.
     *
     * @param target node id.
     * @param lengthBytes 4 to the context's longest message.
     * @param warmUp round trips before that are not counted.
     * @param intervalNs pause after each, 0 for none.
     * @param timeoutNs an echo that takes longer counts as lost.
     * @throws ToolException when the target cannot be reached.
     */
    public void run(
            final int target,
            final int lengthBytes,
            final int warmUp,
            final int count,
            final long intervalNs,
            final long timeoutNs) {
        for (int i = 0; i < warmUp; i++) {
            roundTrip(target, lengthBytes, timeoutNs);
        }
        histogram.reset();
        lost = 0;
        bytes = 0;
        final long startNs = System.nanoTime();
        for (int i = 0; i < count; i++) {
            final long tripNs = roundTrip(target, lengthBytes, timeoutNs);
            if (tripNs >= 0) {
                histogram.recordValue(Math.min(tripNs, LONGEST_NS));
                bytes += 2L * lengthBytes;
            } else {
                lost++;
            }
            pause(intervalNs);
        }
        durationNs += System.nanoTime() - startNs;
    }

    private long roundTrip(final int target, final int lengthBytes, final long timeoutNs) {
        final long number = sequence++;
        final int slot = exchange.claim(target, ServiceProtocol.CONTEXT, lengthBytes, timeoutNs);
        MessagePattern.write(exchange.context().sendAddress(slot), lengthBytes, number);
        final long startNs = System.nanoTime();
        exchange.send(slot, lengthBytes, ServiceProtocol.ECHO);
        while (exchange.receive(timeoutNs)) {
            final long endNs = System.nanoTime();
            final boolean isAnswer = check(number, lengthBytes);
            exchange.release();
            if (isAnswer) {
                return endNs - startNs;
            }
        }
        return -1;
    }

    private boolean check(final long number, final int lengthBytes) {
        final var message = exchange.message();
        if (message.tag() != ServiceProtocol.ECHO_REPLY || message.lengthBytes() != lengthBytes) {
            corrupt++;
            return false;
        }
        if (MessagePattern.sequence(message.address()) != (int) number) {
            duplicated++;
            return false;
        }
        if (!MessagePattern.isIntact(message.address(), lengthBytes)) {
            corrupt++;
        }
        return true;
    }

    private static void pause(final long intervalNs) {
        final long untilNs = System.nanoTime() + intervalNs;
        while (intervalNs > 0 && untilNs - System.nanoTime() > 0) {
            java.util.concurrent.locks.LockSupport.parkNanos(untilNs - System.nanoTime());
        }
    }

    /** Round trips in ns. */
    public Histogram histogram() {
        return histogram;
    }

    /** Messages without an echo in time. */
    public long lost() {
        return lost;
    }

    /** Echoes that came again or too late. */
    public long duplicated() {
        return duplicated;
    }

    /** Echoes with wrong content. */
    public long corrupt() {
        return corrupt;
    }

    /** Payload bytes, both directions. */
    public long bytes() {
        return bytes;
    }

    /** How long it took without the warm-up. */
    public long durationNs() {
        return durationNs;
    }
}
