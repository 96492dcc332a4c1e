package io.hxb.trunk.health;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.trunk.LinkReason;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.Port;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Informs ports, counters, listeners and loops of the state of a link to a neighbour. Guarded by
 * the lock of {@link TrunkHealth}; any thread may add listeners.
 */
final class LinkPublisher {
    private final Port[][] trunks;
    private final NodeTraffic traffic;
    private final CounterBlock counters;
    private final Exclusions exclusions;
    private final List<LinkListener> listeners = new CopyOnWriteArrayList<>();

    LinkPublisher(
            final Port[][] trunks,
            final NodeTraffic traffic,
            final CounterBlock counters,
            final Exclusions exclusions) {
        this.trunks = trunks;
        this.traffic = traffic;
        this.counters = counters;
        this.exclusions = exclusions;
    }

    /** Informs {@code listener} of every change from now on. */
    void add(final LinkListener listener) {
        listeners.add(listener);
    }

    /** Publishes the state of a link to a neighbour, if it has changed. */
    void publish(final LinkHealth link, final int neighbour, final long nowNs) {
        final Port port = link.port();
        final LinkState before = port.state(neighbour);
        final LinkState now = link.state();
        final boolean isExplained =
                now == LinkState.FAILED
                        && link.reason() == LinkReason.LONG_LOST
                        && port.reason(neighbour) != LinkReason.LONG_LOST;
        if (before == now && !isExplained) {
            return;
        }
        port.set(neighbour, now, link.reason());
        if (now == LinkState.UNKNOWN) {
            return;
        }
        final boolean isLast = now == LinkState.FAILED && !isReached(port.dimension(), neighbour);
        final long measured = now == LinkState.FAILED ? link.measured(nowNs) : link.missedNs(nowNs);
        if (now == LinkState.FAILED && before == LinkState.GOOD) {
            link.onExcluded(nowNs);
            counters.increment(CounterType.LINK_EXCLUDED_EVENTS, link.linkIndex());
            counters.add(CounterType.TRUNK_LOST_EVENTS, port.dimension(), isLast ? 1 : 0);
            exclusions.add(link.linkIndex(), neighbour);
        } else if (now == LinkState.GOOD && link.onUsed()) {
            counters.increment(CounterType.LINK_RECOVERED_EVENTS, link.linkIndex());
        }
        notifyListeners(
                new LinkEvent(
                        nowNs,
                        link.linkIndex(),
                        port.dimension(),
                        port.number(),
                        neighbour,
                        now,
                        link.reason(),
                        isLast,
                        measured));
        if (now == LinkState.FAILED) {
            traffic.wakeAll();
        }
    }

    /** A neighbour, heard on this link, is a new incarnation. */
    void onRestarted(final LinkHealth link, final int neighbour, final long nowNs) {
        final Port port = link.port();
        notifyListeners(
                new LinkEvent(
                        nowNs,
                        link.linkIndex(),
                        port.dimension(),
                        port.number(),
                        neighbour,
                        LinkState.UNKNOWN,
                        LinkReason.HELLO,
                        false,
                        0));
    }

    private void notifyListeners(final LinkEvent event) {
        for (final LinkListener listener : listeners) {
            listener.onLinkEvent(event);
        }
    }

    /** True if some link of a trunk reaches the neighbour. */
    boolean isReached(final int dimension, final int neighbour) {
        for (final Port port : trunks[dimension]) {
            if (port.isUsable(neighbour)) {
                return true;
            }
        }
        return false;
    }
}
