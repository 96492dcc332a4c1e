package io.hxb.observe.view;

import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeState;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The network as it was seen last, and those who watch it. One thread calls {@link #tick}; any
 * thread may call the rest. Locked, as its callers are few.
 */
public final class LiveNetwork {
    /** Between two looks while somebody watches. */
    public static final long STATE_INTERVAL_MS = 250;

    /** Between two rates, and between looks while nobody watches. */
    public static final long RATE_INTERVAL_MS = 1_000;

    private static final long ALIVE_INTERVAL_MS = 4_000;
    private static final List<LinkCondition> CONDITIONS = List.of(LinkCondition.values());
    private static final List<NodeState> STATES = List.of(NodeState.values());
    private static final List<String> LINK_STATES =
            Arrays.stream(LinkCondition.values()).map(LinkCondition::word).toList();
    private static final List<String> NODE_STATES =
            Stream.concat(
                            Arrays.stream(NodeState.values()).map(NodeState::toString),
                            Stream.of(NodeSample.UNHEARD))
                    .toList();

    private final NetworkPlan plan;
    private final ReadingSource source;
    private final NetworkState state = new NetworkState();
    private final Timeline timeline = new Timeline();
    private final History history = new History();
    private final Optional<HistoryFile> historyFile;
    private final Optional<TimelineFile> timelineFile;
    private boolean isLoaded;
    private boolean hasLooked;
    private final EventFeed feed;
    private boolean isStarted;
    private long ratedNs;
    private long nowMs;
    private long aliveMs;
    private byte[] snapshot = {};
    private String snapshotId = "";
    // Shared by all viewers that begin at the same state.
    private byte[] firstEvent = {};
    private String firstId = "";

    /**
     * Makes one that has seen nothing.
     *
     * @param plan the network.
     * @param source its readings.
     * @param run distinguishes it from those of earlier processes: letters and digits.
     */
    public LiveNetwork(final NetworkPlan plan, final ReadingSource source, final String run) {
        this(plan, source, run, Optional.empty(), Optional.empty());
    }

    /** The same with files that keep history and timeline for the process that takes over. */
    public LiveNetwork(
            final NetworkPlan plan,
            final ReadingSource source,
            final String run,
            final Optional<HistoryFile> historyFile,
            final Optional<TimelineFile> timelineFile) {
        this.plan = plan;
        this.source = source;
        this.historyFile = historyFile;
        this.timelineFile = timelineFile;
        feed = new EventFeed(run);
    }

    /**
     * Looks at all nodes, and tells viewers what has changed.
     *
     * @param nowNs of System.nanoTime().
     * @param timeMs ms since 1970.
     */
    public void tick(final long nowNs, final long timeMs) {
        // Not under the lock: a read of files can take long.
        final List<NodeReading> readings = source.read(timeMs);
        synchronized (this) {
            nowMs = timeMs;
            load();
            apply(readings);
            if (!isStarted || nowNs - ratedNs >= nanos(RATE_INTERVAL_MS - STATE_INTERVAL_MS / 2)) {
                isStarted = true;
                ratedNs = nowNs;
                rate(nowNs);
            }
            if (timeMs - aliveMs >= ALIVE_INTERVAL_MS) {
                aliveMs = timeMs;
                feed.alive(timeMs);
            }
        }
    }

    /** How long to wait until the next look, ms. */
    public synchronized long intervalMs() {
        return feed.viewers() == 0 ? RATE_INTERVAL_MS : STATE_INTERVAL_MS;
    }

    /** How many watch. */
    public synchronized int viewers() {
        return feed.viewers();
    }

    /** The network as one JSON object; nobody may change the bytes. */
    public synchronized byte[] network() {
        if (!snapshotId.equals(feed.id()) || snapshot.length == 0) {
            snapshotId = feed.id();
            snapshot = NetworkJson.network(plan, state, timeline, snapshotId, nowMs);
        }
        return snapshot;
    }

    /**
     * Begins to watch: hands over what the viewer has missed, or the whole network, and then every
     * change.
     *
     * @param viewer gets them.
     * @param lastId id of the last event that it got earlier; empty if there is none.
     */
    public synchronized void watch(final EventViewer viewer, final String lastId) {
        final Optional<List<byte[]>> missed = feed.since(lastId);
        final List<byte[]> events = missed.orElseGet(() -> List.of(first()));
        for (final byte[] event : events) {
            if (!viewer.onEvent(event)) {
                return;
            }
        }
        feed.add(viewer);
    }

    private byte[] first() {
        final byte[] whole = network();
        if (!firstId.equals(snapshotId)) {
            firstId = snapshotId;
            firstEvent = feed.bytes("network", whole);
        }
        return firstEvent;
    }

    /** Ends a viewer's watch; without effect if it does not watch. */
    public synchronized void leave(final EventViewer viewer) {
        feed.remove(viewer);
    }

    /**
     * Ten minutes of a node or a link and its counters, as one JSON object.
     *
     * @param node id of the node.
     * @param link label of the link, such as {@code x.0}; empty for the node itself.
     * @return empty if there is no such node or link.
     */
    public Optional<byte[]> history(final int node, final String link) {
        final int index = indexOf(node, link);
        if (index < -1) {
            return Optional.empty();
        }
        // Not under the lock: it reads a file.
        final Map<String, Long> counters = source.counters(node, index);
        synchronized (this) {
            return Optional.of(
                    NetworkJson.history(
                            history,
                            name(node, link),
                            index >= 0,
                            index >= 0 ? LINK_STATES : NODE_STATES,
                            counters,
                            nowMs));
        }
    }

    // Index of the link; -1 for the node itself; -2 if there is no such thing.
    private synchronized int indexOf(final int node, final String link) {
        for (final NodeReading reading : state.nodes()) {
            if (reading.node() == node) {
                if (link.isEmpty()) {
                    return -1;
                }
                for (int i = 0; i < reading.links().size(); i++) {
                    if (reading.links().get(i).place().label().equals(link)) {
                        return i;
                    }
                }
            }
        }
        return -2;
    }

    // What an earlier process left.
    private void load() {
        if (!isLoaded) {
            isLoaded = true;
            historyFile.ifPresent(file -> file.load(history, nowMs));
            timelineFile.ifPresent(
                    file -> timeline.restore(file.load(plan.shape().nodeCount(), nowMs)));
        }
    }

    private void apply(final List<NodeReading> readings) {
        final NetworkState.Changes changes = state.apply(readings);
        if (changes.isEmpty()) {
            return;
        }
        feed.next();
        if (changes.isOther()) {
            isStarted = false;
            if (!hasLooked) {
                hasLooked = true;
                timeline.add(missed(), state, nowMs);
            }
            feed.publish("network", network());
        } else {
            final List<Timeline.Entry> added = timeline.add(changes, state, nowMs);
            feed.publish("states", NetworkJson.states(state, changes, added, nowMs));
        }
    }

    // What differs from the last states of an earlier process, if they are recent.
    private NetworkState.Changes missed() {
        final List<NetworkState.NodeChange> nodes = new ArrayList<>();
        final List<NetworkState.LinkChange> links = new ArrayList<>();
        for (int i = 0; i < state.nodes().size(); i++) {
            final NodeReading node = state.nodes().get(i);
            final int before = history.lastState(name(node.node(), ""));
            // A node that was unheard is dead.
            final NodeState from =
                    before >= 0 && before < STATES.size() ? STATES.get(before) : NodeState.DEAD;
            if (before >= 0 && from != node.state()) {
                nodes.add(new NetworkState.NodeChange(i, from));
            }
            for (int link = 0; link < node.links().size(); link++) {
                final LinkReading reading = node.links().get(link);
                final int was = history.lastState(name(node.node(), reading.place().label()));
                if (was >= 0 && was < CONDITIONS.size()) {
                    links.add(
                            new NetworkState.LinkChange(
                                    state.firstLink(i) + link, CONDITIONS.get(was)));
                }
            }
        }
        return new NetworkState.Changes(false, nodes, links, false);
    }

    private void rate(final long nowNs) {
        final NetworkState.RateChanges changes = state.rate(nowNs);
        if (!changes.isEmpty()) {
            feed.next();
            feed.publish("rates", NetworkJson.rates(state, changes, nowMs));
        }
        for (int i = 0; i < state.nodes().size(); i++) {
            final NodeReading node = state.nodes().get(i);
            history.add(
                    name(node.node(), ""),
                    state.nodeRates(i),
                    NODE_STATES.indexOf(node.stateWord()));
            for (int link = 0; link < node.links().size(); link++) {
                final LinkReading reading = node.links().get(link);
                history.add(
                        name(node.node(), reading.place().label()),
                        state.linkRates(state.firstLink(i) + link),
                        LINK_STATES.indexOf(reading.health().condition().word()));
            }
        }
        historyFile.ifPresent(file -> file.append(history, nowMs));
        timelineFile.ifPresent(file -> file.write(timeline.entries()));
    }

    private static String name(final int node, final String link) {
        return node + "/" + link;
    }

    private static long nanos(final long ms) {
        return TimeUnit.MILLISECONDS.toNanos(ms);
    }
}
