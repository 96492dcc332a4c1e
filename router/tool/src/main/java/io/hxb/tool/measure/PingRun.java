package io.hxb.tool.measure;

import io.hxb.config.Quantity;
import io.hxb.node.service.MessagePattern;
import io.hxb.node.service.ServiceProtocol;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmStatus;
import io.hxb.tool.report.ToolException;

import java.util.HashMap;
import java.util.Map;

/**
 * Makes round trips to the services of other nodes, one message at a time. Owned by the thread that
 * measures.
 */
final class PingRun implements AutoCloseable {
    /** Result of a round trip without an answer in time. */
    static final long LOST = -1;

    /** Result of a round trip that the user stopped: it does not count. */
    static final long STOPPED = -2;

    /** Interval of checks for a stop request while an answer is awaited. */
    private static final long LOOK_NS = 100_000_000L;

    private static final int NOBODY = -1;

    private final MeasurementExchange exchange;
    private final PingPlan plan;
    private final StopRequest stop;

    /** Those whose answers did not come in time, by their numbers. */
    private final Map<Integer, PingTally> missing = new HashMap<>();

    private int sequence;
    private String problem = "";

    /**
     * Makes one.
     *
     * @param context used by it alone, and closed with it.
     * @throws ToolException if its messages are shorter than the plan's.
     */
    PingRun(final PmContext context, final PingPlan plan, final StopRequest stop) {
        exchange = new MeasurementExchange(context);
        this.plan = plan;
        this.stop = stop;
        if (plan.lengthBytes() > context.maxLengthBytes()) {
            context.close();
            throw new ToolException(
                    "a message of a round trip is one frame: --size must be at most "
                            + context.maxLengthBytes()
                            + ": "
                            + plan.lengthBytes());
        }
    }

    /**
     * Sends a message and waits for its echo. Blocks for the timeout at most.
     *
     * @return ns that it took, {@link #LOST} or {@link #STOPPED}.
     */
    long roundTrip(final PingTally tally) {
        takeWhatIsOld(tally);
        final int target = tally.pair().to();
        final int number = sequence++ & Integer.MAX_VALUE;
        final int slot =
                exchange.context().claim(target, ServiceProtocol.CONTEXT, plan.lengthBytes());
        if (slot == PmStatus.NO_BUFFERS) {
            problem = "not sent: nothing of what was sent before has arrived";
            tally.onLoss();
            return LOST;
        }
        exchange.requireSlot(slot, target);
        MessagePattern.write(exchange.context().sendAddress(slot), plan.lengthBytes(), number);
        final long startNs = System.nanoTime();
        exchange.send(slot, plan.lengthBytes(), ServiceProtocol.ECHO);
        final long tripNs = await(tally, number, slot, startNs);
        if (tripNs >= 0) {
            if (!MessagePattern.isIntact(exchange.message().address(), plan.lengthBytes())) {
                tally.onCorrupt();
            }
            exchange.release();
            tally.onAnswer(tripNs, plan.lengthBytes());
        } else {
            missing.put(number, tally);
        }
        if (tripNs == LOST) {
            tally.onLoss();
        }
        return tripNs;
    }

    /** Waits for an echo; its message is held if it came. */
    private long await(
            final PingTally tally, final int number, final int slot, final long startNs) {
        while (true) {
            final long restNs = startNs + plan.timeoutNs() - System.nanoTime();
            final MeasurementExchange.Arrival arrival =
                    exchange.next(Math.clamp(restNs, 0, LOOK_NS));
            if (arrival == MeasurementExchange.Arrival.MESSAGE) {
                final long nowNs = System.nanoTime();
                if (isAnswer(tally, number)) {
                    return nowNs - startNs;
                }
                exchange.release();
            } else if (arrival == MeasurementExchange.Arrival.EVENT) {
                if (exchange.isEventAbout(tally.pair().to(), slot)) {
                    problem = exchange.problem();
                    return LOST;
                }
            } else if (stop.isStopped()) {
                return STOPPED;
            } else if (restNs <= 0) {
                problem = "no answer within " + Quantity.formatDuration(plan.timeoutNs());
                return LOST;
            }
        }
    }

    /** Looks whether a message is the echo that is waited for; accounts for any other. */
    private boolean isAnswer(final PingTally tally, final int number) {
        final var message = exchange.message();
        if (message.tag() != ServiceProtocol.ECHO_REPLY
                || message.lengthBytes() != plan.lengthBytes()) {
            tally.onCorrupt();
            return false;
        }
        final int found = MessagePattern.sequence(message.address());
        if (found == number) {
            return true;
        }
        final PingTally late = missing.remove(found);
        if (late == null) {
            tally.onDuplicate();
        } else {
            late.onLate();
        }
        return false;
    }

    /** Answers that are late, and events about messages that were counted as lost already. */
    private void takeWhatIsOld(final PingTally tally) {
        MeasurementExchange.Arrival arrival = exchange.next(0);
        while (arrival != MeasurementExchange.Arrival.NOTHING) {
            if (arrival == MeasurementExchange.Arrival.MESSAGE) {
                isAnswer(tally, NOBODY);
                exchange.release();
            }
            arrival = exchange.next(0);
        }
    }

    /** Why the last message counts as lost. */
    String problem() {
        return problem;
    }

    @Override
    public void close() {
        exchange.close();
    }
}
