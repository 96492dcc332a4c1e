package io.hxb.tool.init;

import io.hxb.tool.report.ToolException;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Looks for the one change of cables that turns a cabling into a hyper-crossbar of the same
 * machines: a cable more, two that are interchanged, one that is moved, or one too many. Used once,
 * by one thread.
 *
 * <p>It tries them all, the most likely kind first. A change after which machines would still be on
 * different numbers of lines is discarded at once; the number of tries is limited, so that a large
 * network takes some seconds at most.
 */
final class CableChange {
    private static final int MAX_TRIES = 100_000;
    private static final int MAX_FULL_TRIES = 1_000;

    private final NeighbourSurvey known;
    private final List<NavigableSet<DiscoveredPort>> segments;
    private final List<DiscoveredPort> ports = new ArrayList<>();
    private final Map<DiscoveredPort, Integer> segmentOf = new TreeMap<>();
    private final List<String> machines;
    private int tries;
    private int fullTries;

    CableChange(final NeighbourSurvey known, final List<NavigableSet<DiscoveredPort>> segments) {
        this.known = known;
        this.segments = segments;
        for (int i = 0; i < segments.size(); i++) {
            for (final DiscoveredPort port : segments.get(i)) {
                segmentOf.put(port, i);
            }
        }
        ports.addAll(segmentOf.keySet());
        machines = ports.stream().map(DiscoveredPort::machine).distinct().toList();
    }

    /** The change in words; empty if no single one helps, or none was found. */
    Optional<String> find() {
        return newCable()
                .or(this::newPort)
                .or(() -> interchange(true))
                .or(() -> interchange(false))
                .or(this::move)
                .or(this::removal);
    }

    private Optional<String> newCable() {
        for (int i = 0; i < machines.size() && !isExhausted(); i++) {
            for (int j = i + 1; j < machines.size(); j++) {
                final DiscoveredPort one = free(machines.get(i));
                final DiscoveredPort other = free(machines.get(j));
                final List<NavigableSet<DiscoveredPort>> after = new ArrayList<>(segments);
                after.add(new TreeSet<>(Set.of(one, other)));
                final Optional<String> shape = shape(after);
                if (shape.isPresent()) {
                    return shape.map(text -> "connect " + name(one) + " and " + name(other) + text);
                }
            }
        }
        return Optional.empty();
    }

    private Optional<String> newPort() {
        for (final String machine : machines) {
            for (int i = 0; i < segments.size(); i++) {
                final DiscoveredPort port = free(machine);
                final Optional<String> shape = shape(with(null, -1, port, i));
                if (shape.isPresent()) {
                    final String there = name(segments.get(i).first());
                    return shape.map(
                            text -> "connect " + name(port) + " to the switch of " + there + text);
                }
            }
        }
        return Optional.empty();
    }

    private Optional<String> interchange(final boolean isAtOneMachine) {
        for (int i = 0; i < ports.size() && !isExhausted(); i++) {
            for (int j = i + 1; j < ports.size(); j++) {
                final DiscoveredPort one = ports.get(i);
                final DiscoveredPort other = ports.get(j);
                if (one.machine().equals(other.machine()) != isAtOneMachine
                        || segmentOf.get(one).equals(segmentOf.get(other))) {
                    continue;
                }
                final List<NavigableSet<DiscoveredPort>> after =
                        with(one, segmentOf.get(one), one, segmentOf.get(other));
                move(after, other, segmentOf.get(other), segmentOf.get(one));
                final Optional<String> shape = shape(after);
                if (shape.isPresent()) {
                    return shape.map(
                            text ->
                                    "interchange the cables of "
                                            + name(one)
                                            + " and "
                                            + name(other)
                                            + text);
                }
            }
        }
        return Optional.empty();
    }

    private Optional<String> move() {
        for (final DiscoveredPort port : ports) {
            for (int i = 0; i < segments.size() && !isExhausted(); i++) {
                if (i != segmentOf.get(port)) {
                    final Optional<String> shape = shape(with(port, segmentOf.get(port), port, i));
                    if (shape.isPresent()) {
                        final String there = name(segments.get(i).first());
                        return shape.map(
                                text ->
                                        "move the cable of "
                                                + name(port)
                                                + " to the switch of "
                                                + there
                                                + text);
                    }
                }
            }
        }
        return Optional.empty();
    }

    private Optional<String> removal() {
        for (final DiscoveredPort port : ports) {
            final Optional<String> shape = shape(with(port, segmentOf.get(port), null, -1));
            if (shape.isPresent()) {
                return shape.map(text -> "unplug " + name(port) + text);
            }
        }
        return Optional.empty();
    }

    /** The segments without one NIC in its segment, and with another in one. */
    private List<NavigableSet<DiscoveredPort>> with(
            final DiscoveredPort gone, final int from, final DiscoveredPort added, final int to) {
        final List<NavigableSet<DiscoveredPort>> after = new ArrayList<>(segments);
        if (gone != null) {
            after.set(from, new TreeSet<>(after.get(from)));
            after.get(from).remove(gone);
        }
        if (added != null) {
            after.set(to, new TreeSet<>(after.get(to)));
            after.get(to).add(added);
        }
        return after;
    }

    private static void move(
            final List<NavigableSet<DiscoveredPort>> after,
            final DiscoveredPort port,
            final int from,
            final int to) {
        after.get(from).remove(port);
        after.get(to).add(port);
    }

    /** A NIC of a machine that hears nobody, or else one that it does not have yet. */
    private DiscoveredPort free(final String machine) {
        return known.nics().keySet().stream()
                .filter(port -> port.machine().equals(machine) && !segmentOf.containsKey(port))
                .findFirst()
                .orElseGet(() -> new DiscoveredPort(machine, ""));
    }

    private String name(final DiscoveredPort port) {
        return (port.nic().isEmpty() ? "a further NIC" : port.nic())
                + " of "
                + known.name(port.machine());
    }

    private boolean isExhausted() {
        return tries >= MAX_TRIES || fullTries >= MAX_FULL_TRIES;
    }

    /** The end of the sentence, if these segments are a hyper-crossbar of all machines. */
    private Optional<String> shape(final List<NavigableSet<DiscoveredPort>> after) {
        if (isExhausted()) {
            return Optional.empty();
        }
        tries++;
        final List<NavigableSet<DiscoveredPort>> used =
                after.stream().filter(segment -> segment.size() > 1).toList();
        if (!isPossible(used)) {
            return Optional.empty();
        }
        fullTries++;
        try {
            return Optional.of(Cabling.of(known, used))
                    .map(cabling -> " to make it a " + Cabling.shape(cabling.extents()));
        } catch (final ToolException e) {
            return Optional.empty();
        }
    }

    /** A hyper-crossbar has all machines on as many lines as it has dimensions. */
    private boolean isPossible(final List<NavigableSet<DiscoveredPort>> after) {
        // Parallel links are one line: segments of the same machines count once.
        final Set<Set<String>> lines = new HashSet<>();
        final Map<String, Integer> lineCounts = new HashMap<>();
        for (final NavigableSet<DiscoveredPort> segment : after) {
            final Set<String> line = new HashSet<>();
            for (final DiscoveredPort port : segment) {
                if (!line.add(port.machine())) {
                    return false;
                }
            }
            if (lines.add(line)) {
                line.forEach(machine -> lineCounts.merge(machine, 1, Integer::sum));
            }
        }
        return lineCounts.size() == machines.size()
                && new HashSet<>(lineCounts.values()).size() == 1;
    }
}
