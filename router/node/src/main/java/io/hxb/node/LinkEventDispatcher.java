package io.hxb.node;

import io.hxb.recorder.RecordedEvent;
import io.hxb.recorder.RecorderRing;
import io.hxb.topology.Shape;
import io.hxb.trunk.LinkReason;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;
import io.hxb.trunk.health.LinkEvent;
import io.hxb.trunk.health.LinkListener;

import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;

import java.util.List;

/**
 * Passes on what the trunks report about their links: a log line that a person can act on, and an
 * entry in the node's page for applications. All loops add news; the node's first loop handles
 * them.
 */
final class LinkEventDispatcher implements LinkListener {
    private static final int MAX_WAITING = 256;

    private final Shape shape;
    private final long here;
    private final List<Port> ports;
    private final EpochClock clock;
    private final Logger logger;
    private final LinkLog log;
    private final ManyToOneConcurrentArrayQueue<LinkEvent> waiting =
            new ManyToOneConcurrentArrayQueue<>(MAX_WAITING);
    private final int[] lastReasons;
    private final LinkEventSink applications;
    private final Runnable wakeUp;
    private final RecorderRing events;

    /**
     * Makes the news of one node.
     *
     * @param self the node.
     * @param ports its ports, by link index.
     * @param clock time of day in ms.
     * @param logger where the lines go.
     * @param log limits their number.
     * @param applications where they are reported as well.
     * @param wakeUp ends the sleep of the node's first loop; called by any loop.
     * @param events of that loop.
     */
    LinkEventDispatcher(
            final NodeIdentity self,
            final List<Port> ports,
            final EpochClock clock,
            final Logger logger,
            final LinkLog log,
            final LinkEventSink applications,
            final Runnable wakeUp,
            final RecorderRing events) {
        this.events = events;
        shape = self.shape();
        here = self.here();
        this.ports = List.copyOf(ports);
        this.clock = clock;
        this.logger = logger;
        this.log = log;
        this.applications = applications;
        this.wakeUp = wakeUp;
        lastReasons = new int[ports.size()];
    }

    /** True if {@link #doWork} has something to do. */
    boolean isWaiting() {
        return !waiting.isEmpty();
    }

    @Override
    public void onLinkEvent(final LinkEvent event) {
        // A link that changes faster than it can be reported is flapping: the counters have all
        // changes.
        waiting.offer(event);
        wakeUp.run();
    }

    /**
     * Passes on what has happened; called by the node's first loop.
     *
     * @return how many events.
     */
    int doWork() {
        int count = 0;
        LinkEvent event = waiting.poll();
        while (event != null) {
            publish(event);
            count++;
            event = waiting.poll();
        }
        if (count > 0) {
            applications.wake();
        }
        return count;
    }

    /** Why a link failed or recovered last: a code of {@link LinkReason}; 0 when it never did. */
    int lastReason(final int linkIndex) {
        return lastReasons[linkIndex];
    }

    private void publish(final LinkEvent event) {
        record(event);
        if (event.state() == LinkState.UNKNOWN) {
            return;
        }
        lastReasons[event.linkIndex()] = event.reason().code();
        final boolean isGood = event.state() == LinkState.GOOD;
        // Neighbours found are no news.
        if (!isGood) {
            log.failed(logger, line(event));
        } else if (event.reason() != LinkReason.HELLO) {
            log.recovered(logger, line(event));
        }
        final long there = Shape.withCoordinate(here, event.dimension(), event.neighbour());
        applications.put(event, shape.node(there), clock.time());
    }

    private void record(final LinkEvent event) {
        final int node =
                shape.node(Shape.withCoordinate(here, event.dimension(), event.neighbour()));
        if (event.state() == LinkState.UNKNOWN) {
            events.record(RecordedEvent.NEIGHBOUR_RESTARTED, event.timeNs(), node);
        } else {
            events.record(
                    event.state() == LinkState.GOOD
                            ? usedAs(event.measured())
                            : failureOf(event.reason()),
                    event.timeNs(),
                    RecordedEvent.link(event.dimension(), event.number()),
                    node,
                    event.measured());
        }
        if (event.isLast()) {
            events.record(RecordedEvent.TRUNK_LOST, event.timeNs(), event.dimension(), node);
        }
    }

    private static RecordedEvent usedAs(final long excludedNs) {
        return excludedNs == 0 ? RecordedEvent.LINK_FOUND : RecordedEvent.LINK_RECOVERED;
    }

    private static RecordedEvent failureOf(final LinkReason reason) {
        return switch (reason) {
            case SILENT -> RecordedEvent.LINK_SILENT;
            case LOSSY, LONG_LOST -> RecordedEvent.LINK_LOSSY;
            case NO_CARRIER -> RecordedEvent.LINK_NO_CARRIER;
            case SEND_ERRORS -> RecordedEvent.LINK_SEND_ERRORS;
            case REPORTED -> RecordedEvent.LINK_REPORTED;
            case UNANSWERED -> RecordedEvent.LINK_UNANSWERED;
            case MISSED_HELLOS -> RecordedEvent.LINK_HELLOS_MISSED;
            case NOT_HEARD, HELLO, HEALED -> RecordedEvent.LINK_NEVER_HEARD;
        };
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
            text.append(
                    "; no link of this dimension reaches that node, its frames take other paths");
        }
        return text.toString();
    }

    private static String advice(final LinkReason reason, final String nic) {
        return switch (reason) {
            case UNANSWERED -> "check that the node runs and has power";
            case NO_CARRIER -> "check that " + nic + " is up and its cable plugged in";
            case SEND_ERRORS -> "check the driver and MTU of " + nic;
            case LONG_LOST -> "compare the MTU of " + nic + ", the switch port and the other end";
            default -> "check cable and switch port of " + nic;
        };
    }
}
