package io.hxb.node;

import io.hxb.pm.shm.LinkEventRing;
import io.hxb.topology.Shape;
import io.hxb.trunk.LinkReason;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.Port;
import io.hxb.trunk.health.LinkEvent;
import io.hxb.trunk.health.LinkListener;

import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;

import java.util.List;

/**
 * Takes what the trunks tell of their links and hands it on: a log line that a person can act on,
 * and an entry in the node's page for applications. Loops put in; the node's first loop takes out.
 */
public final class LinkNews implements LinkListener {
    private static final int MOST_WAITING = 256;

    private final Shape shape;
    private final long here;
    private final List<Port> ports;
    private final EpochClock clock;
    private final Logger logger;
    private final LinkLog log;
    private final ManyToOneConcurrentArrayQueue<LinkEvent> waiting =
            new ManyToOneConcurrentArrayQueue<>(MOST_WAITING);
    private final int[] lastReasons;
    private LinkEventRing ring;
    private Runnable onPut = () -> {};
    private volatile Runnable wakeUp = () -> {};

    /**
     * Makes the news of one node.
     *
     * @param shape shape of the hyper-crossbar.
     * @param here coordinate vector of the node.
     * @param ports its ports, by link index.
     * @param clock time of day in ms.
     * @param logger where the lines go.
     * @param log what keeps their number down.
     */
    public LinkNews(
            final Shape shape,
            final long here,
            final List<Port> ports,
            final EpochClock clock,
            final Logger logger,
            final LinkLog log) {
        this.shape = shape;
        this.here = here;
        this.ports = List.copyOf(ports);
        this.clock = clock;
        this.logger = logger;
        this.log = log;
        lastReasons = new int[ports.size()];
    }

    /**
     * Tells applications too, from now on.
     *
     * @param whenPut called when something new is in {@code events}: wakes who sleeps.
     */
    public void applications(final LinkEventRing events, final Runnable whenPut) {
        ring = events;
        onPut = whenPut;
    }

    /** Has {@code wake} called by any loop when there is something for {@link #doWork}. */
    public void onWaiting(final Runnable wake) {
        wakeUp = wake;
    }

    /** True if {@link #doWork} has something to do. */
    public boolean isWaiting() {
        return !waiting.isEmpty();
    }

    @Override
    public void onLinkEvent(final LinkEvent event) {
        // Whoever changes faster than can be told flaps: the counters have all of it.
        waiting.offer(event);
        wakeUp.run();
    }

    /**
     * Hands on what has happened; by the node's first loop.
     *
     * @return how much.
     */
    public int doWork() {
        int count = 0;
        LinkEvent event = waiting.poll();
        while (event != null) {
            tell(event);
            count++;
            event = waiting.poll();
        }
        if (count > 0) {
            onPut.run();
        }
        return count;
    }

    /** Why a link failed or recovered last: a code of {@link LinkReason}; 0 when it never did. */
    public int lastReason(final int linkIndex) {
        return lastReasons[linkIndex];
    }

    private void tell(final LinkEvent event) {
        lastReasons[event.linkIndex()] = event.reason().code();
        final boolean isGood = event.state() == LinkState.GOOD;
        // Neighbours found are no news.
        if (!isGood) {
            log.failed(logger, line(event));
        } else if (event.reason() != LinkReason.HELLO) {
            log.recovered(logger, line(event));
        }
        if (ring != null) {
            final long there = Shape.withCoordinate(here, event.dimension(), event.neighbour());
            ring.put(
                    clock.time(),
                    shape.node(there),
                    event.dimension(),
                    event.number(),
                    isGood,
                    event.isLast(),
                    event.reason().text());
        }
    }

    /** The event as a line for people. */
    String line(final LinkEvent event) {
        final Port port = ports.get(event.linkIndex());
        final long there = Shape.withCoordinate(here, event.dimension(), event.neighbour());
        final StringBuilder text =
                new StringBuilder(port.label())
                        .append(" of (")
                        .append(shape.format(here))
                        .append(") to (")
                        .append(shape.format(there))
                        .append("): ")
                        .append(event.reason().text());
        if (event.state() == LinkState.GOOD) {
            return text.append(": used again").toString();
        }
        text.append(": excluded; ").append(advice(event.reason(), port.link().name()));
        if (event.isLast()) {
            text.append("; no link of this dimension reaches that node, its frames go other ways");
        }
        return text.toString();
    }

    private static String advice(final LinkReason reason, final String nic) {
        return switch (reason) {
            case UNANSWERED -> "check that the node runs and has power";
            case NO_CARRIER -> "check that " + nic + " is up and its cable plugged in";
            case SEND_ERRORS -> "check the driver and MTU of " + nic;
            default -> "check cable and switch port of " + nic;
        };
    }
}
