package io.hxb.tool.init;

import io.hxb.config.Dimensions;
import io.hxb.config.LinkPlan;
import io.hxb.tool.init.NeighbourSurvey.Sighting;
import io.hxb.tool.report.ToolException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The hyper-crossbar that the cables between machines make. Immutable.
 *
 * <p>NICs that hear each other are on one segment: a cable or a switch. Segments between the same
 * machines are parallel links of one line. The machine whose name comes first is the origin, its
 * lines are the dimensions, in the order of its NICs, and the machines on them have coordinates in
 * the order of their names. Any other machine is on lines with machines that are nearer to the
 * origin, and takes from each of these the coordinates that are not 0. The result is checked: every
 * line joins exactly the machines that differ in its dimension.
 *
 * @param extents extent of each dimension.
 * @param machines ids of the machines in the order of their node ids, X counting fastest.
 * @param links NICs of each machine that are used: {@code [node][dimension]}, a list by link
 *     number, as many in each line of a dimension as all of them have, at most 8: the fastest.
 */
record Cabling(List<Integer> extents, List<String> machines, List<List<List<String>>> links) {
    private static final int MAX_EXTENT = 256;

    /** A line: machines and, for each parallel link, their NICs on it. */
    private record Line(NavigableSet<String> machines, List<SortedMap<String, String>> segments) {
        /** The first NIC that a machine has on it. */
        private String firstNic(final String machine) {
            return segments.stream()
                    .map(segment -> segment.get(machine))
                    .min(DiscoveredPort.NATURAL)
                    .orElseThrow();
        }
    }

    /**
     * Finds the hyper-crossbar.
     *
     * @return null if nobody else was heard.
     * @throws ToolException that names what of the cabling is not as in a hyper-crossbar, and the
     *     one change of cables after which it would be, if there is one.
     */
    static Cabling of(final NeighbourSurvey known) {
        final List<NavigableSet<DiscoveredPort>> segments = segments(known);
        try {
            return of(known, segments);
        } catch (final ToolException e) {
            throw new CableChange(known, segments)
                    .find()
                    .map(change -> new ToolException(e.getMessage() + "; " + change, e))
                    .orElse(e);
        }
    }

    /** The same if NICs were plugged into segments in this way. */
    static Cabling of(
            final NeighbourSurvey known, final List<NavigableSet<DiscoveredPort>> segments) {
        final List<Line> lines = lines(known, segments);
        if (lines.isEmpty()) {
            return null;
        }
        return new Finder(known, lines).find();
    }

    /** Segments as NICs by machine, grouped into lines by the machines on them. */
    private static List<Line> lines(
            final NeighbourSurvey known, final List<NavigableSet<DiscoveredPort>> segments) {
        final Map<NavigableSet<String>, List<SortedMap<String, String>>> found = new HashMap<>();
        for (final NavigableSet<DiscoveredPort> segment : segments) {
            final SortedMap<String, String> nics = new TreeMap<>();
            for (final DiscoveredPort port : segment) {
                final String other = nics.putIfAbsent(port.machine(), port.nic());
                if (other != null) {
                    throw new ToolException(
                            "%s and %s of %s are on one cable or switch: parallel links need a switch each"
                                    .formatted(other, port.nic(), known.name(port.machine())));
                }
            }
            found.computeIfAbsent(new TreeSet<>(nics.keySet()), key -> new ArrayList<>()).add(nics);
        }
        final List<Line> lines = new ArrayList<>();
        found.forEach(
                (machines, parallel) -> {
                    parallel.sort(
                            Comparator.comparing(
                                    segment -> segment.get(segment.firstKey()),
                                    DiscoveredPort.NATURAL));
                    lines.add(new Line(machines, List.copyOf(parallel)));
                });
        lines.sort(Comparator.comparing(line -> String.join(" ", line.machines())));
        return lines;
    }

    /** NICs that hear each other, directly or over others. */
    static List<NavigableSet<DiscoveredPort>> segments(final NeighbourSurvey known) {
        final Map<DiscoveredPort, NavigableSet<DiscoveredPort>> segmentOf = new HashMap<>();
        for (final Sighting sighting : known.sightings()) {
            final NavigableSet<DiscoveredPort> one =
                    segmentOf.computeIfAbsent(sighting.heardBy(), Cabling::set);
            final NavigableSet<DiscoveredPort> two =
                    segmentOf.computeIfAbsent(sighting.sentBy(), Cabling::set);
            if (!one.equals(two)) {
                one.addAll(two);
                two.forEach(port -> segmentOf.put(port, one));
            }
        }
        return segmentOf.values().stream()
                .distinct()
                .sorted(Comparator.comparing(NavigableSet::first))
                .toList();
    }

    private static NavigableSet<DiscoveredPort> set(final DiscoveredPort port) {
        return new TreeSet<>(Set.of(port));
    }

    /** Gives coordinates to machines. */
    private static final class Finder {
        private final NeighbourSurvey known;
        private final List<Line> lines;
        private final Map<String, int[]> coordinates = new HashMap<>();
        private final List<String> machines;
        private int[] extents = {};

        Finder(final NeighbourSurvey known, final List<Line> lines) {
            this.known = known;
            this.lines = lines;
            final Comparator<String> byName =
                    Comparator.comparing(known::name, DiscoveredPort.NATURAL);
            machines =
                    lines.stream()
                            .flatMap(line -> line.machines().stream())
                            .distinct()
                            .sorted(byName.thenComparing(Comparator.naturalOrder()))
                            .toList();
        }

        private Cabling find() {
            placeAlongTheOriginsLines();
            for (boolean isProgress = true; isProgress; ) {
                isProgress = placeNext();
            }
            final List<String> lost =
                    machines.stream().filter(machine -> !coordinates.containsKey(machine)).toList();
            if (!lost.isEmpty()) {
                throw wrong(
                        "no path leads from " + name(machines.getFirst()) + " to " + names(lost));
            }
            final String[] byNode = byNode();
            final List<List<List<String>>> links = new ArrayList<>();
            final int[] counts = counts();
            for (final String machine : byNode) {
                links.add(links(machine, counts));
            }
            return new Cabling(
                    Arrays.stream(extents).boxed().toList(), List.of(byNode), List.copyOf(links));
        }

        private void placeAlongTheOriginsLines() {
            final String origin = machines.getFirst();
            final List<Line> own =
                    lines.stream()
                            .filter(line -> line.machines().contains(origin))
                            .sorted(
                                    Comparator.comparing(
                                            line -> line.firstNic(origin), DiscoveredPort.NATURAL))
                            .toList();
            extents = new int[own.size()];
            coordinates.put(origin, new int[own.size()]);
            for (int dimension = 0; dimension < own.size(); dimension++) {
                int next = 1;
                for (final String machine : machines) {
                    if (!machine.equals(origin)
                            && own.get(dimension).machines().contains(machine)) {
                        final int[] place = new int[own.size()];
                        place[dimension] = next++;
                        if (coordinates.put(machine, place) != null) {
                            throw wrong(
                                    "two lines, with different machines on them, join "
                                            + name(origin)
                                            + " and "
                                            + name(machine));
                        }
                    }
                }
                extents[dimension] = next;
                if (next > MAX_EXTENT) {
                    throw wrong("more than " + MAX_EXTENT + " machines are on one line");
                }
            }
        }

        /** Places all machines next to placed ones: one step away from the origin. */
        private boolean placeNext() {
            final Map<String, int[]> fresh = new HashMap<>();
            for (final String machine : machines) {
                if (!coordinates.containsKey(machine)) {
                    final int[] place = new int[extents.length];
                    int count = 0;
                    for (final String neighbour : neighbours(machine)) {
                        final int[] other = coordinates.get(neighbour);
                        if (other != null) {
                            count++;
                            Arrays.setAll(place, i -> Math.max(place[i], other[i]));
                        }
                    }
                    if (count > 0) {
                        fresh.put(machine, place);
                    }
                }
            }
            coordinates.putAll(fresh);
            return !fresh.isEmpty();
        }

        private Set<String> neighbours(final String machine) {
            final Set<String> found = new TreeSet<>();
            lines.stream()
                    .filter(line -> line.machines().contains(machine))
                    .forEach(line -> found.addAll(line.machines()));
            found.remove(machine);
            return found;
        }

        /** The machine at each node id, after a check that all are there, each once. */
        private String[] byNode() {
            final long count = Arrays.stream(extents).asLongStream().reduce(1, (a, b) -> a * b);
            if (count != machines.size()) {
                throw wrong(
                        "%d machines were found, and a crossbar of shape %s has %d"
                                .formatted(
                                        machines.size(),
                                        shape(Arrays.stream(extents).boxed().toList()),
                                        count));
            }
            final String[] byNode = new String[machines.size()];
            for (final String machine : machines) {
                final int[] place = coordinates.get(machine);
                int node = 0;
                for (int dimension = extents.length - 1; dimension >= 0; dimension--) {
                    node = node * extents[dimension] + place[dimension];
                }
                if (byNode[node] != null) {
                    throw wrong(name(byNode[node]) + " and " + name(machine) + " are cabled alike");
                }
                byNode[node] = machine;
            }
            lines.forEach(this::check);
            return byNode;
        }

        /** A line joins the machines that differ in one dimension, all of them. */
        private void check(final Line line) {
            final int[] first = coordinates.get(line.machines().first());
            int dimension = -1;
            for (final String machine : line.machines()) {
                final int[] place = coordinates.get(machine);
                for (int i = 0; i < place.length; i++) {
                    if (place[i] != first[i] && dimension != i) {
                        if (dimension >= 0) {
                            throw wrong(
                                    "the line of "
                                            + names(line.machines())
                                            + " is in no dimension");
                        }
                        dimension = i;
                    }
                }
            }
            if (line.machines().size() != extents[dimension]) {
                throw wrong(
                        "the line of %s has %d machines, others in dimension %s have %d"
                                .formatted(
                                        names(line.machines()),
                                        line.machines().size(),
                                        Dimensions.name(dimension),
                                        extents[dimension]));
            }
        }

        /** Links that each line of a dimension has: the minimum, since all nodes need the same. */
        private int[] counts() {
            final int[] counts = new int[extents.length];
            Arrays.fill(counts, LinkPlan.MAX_LINKS_PER_DIMENSION);
            for (final Line line : lines) {
                for (int dimension = 0; dimension < extents.length; dimension++) {
                    if (isIn(line, dimension)) {
                        counts[dimension] = Math.min(counts[dimension], line.segments().size());
                    }
                }
            }
            return counts;
        }

        /** The fastest segments of a line, in the order of its NICs. */
        private List<SortedMap<String, String>> fastest(final Line line, final int count) {
            final List<SortedMap<String, String>> chosen = new ArrayList<>(line.segments());
            while (chosen.size() > count) {
                int slowest = chosen.size() - 1;
                for (int i = slowest - 1; i >= 0; i--) {
                    if (speedMbps(chosen.get(i)) < speedMbps(chosen.get(slowest))) {
                        slowest = i;
                    }
                }
                chosen.remove(slowest);
            }
            return chosen;
        }

        /** The speed of its slowest NIC; a NIC of unknown speed does not count. */
        private int speedMbps(final SortedMap<String, String> segment) {
            return segment.entrySet().stream()
                    .mapToInt(
                            entry ->
                                    known.speedMbps(
                                            new DiscoveredPort(entry.getKey(), entry.getValue())))
                    .filter(speed -> speed > 0)
                    .min()
                    .orElse(Integer.MAX_VALUE);
        }

        private List<List<String>> links(final String machine, final int[] counts) {
            final List<List<String>> links = new ArrayList<>();
            for (int dimension = 0; dimension < extents.length; dimension++) {
                final int chosen = dimension;
                final Line line =
                        lines.stream()
                                .filter(one -> one.machines().contains(machine))
                                .filter(one -> isIn(one, chosen))
                                .findFirst()
                                .orElseThrow(
                                        () -> wrong(name(machine) + " lacks a line of the others"));
                links.add(
                        fastest(line, counts[dimension]).stream()
                                .map(segment -> segment.get(machine))
                                .toList());
            }
            return List.copyOf(links);
        }

        private boolean isIn(final Line line, final int dimension) {
            return coordinates.get(line.machines().first())[dimension]
                    != coordinates.get(line.machines().last())[dimension];
        }

        private String name(final String machine) {
            return known.name(machine);
        }

        private String names(final Iterable<String> some) {
            final List<String> names = new ArrayList<>();
            some.forEach(machine -> names.add(name(machine)));
            return String.join(", ", names);
        }

        private static ToolException wrong(final String what) {
            return new ToolException(
                    "the cables make no hyper-crossbar: "
                            + what
                            + "; every machine needs a line in each dimension, see"
                            + " docs/start/two-pcs.md");
        }
    }

    /** Extents in the notation of cluster files: {@code 4x2}. */
    static String shape(final List<Integer> extents) {
        return extents.stream().map(String::valueOf).collect(Collectors.joining("x"));
    }

    /** Coordinates of a node in the notation of cluster files: {@code 1,0}. */
    String coordinates(final int node) {
        final StringBuilder text = new StringBuilder();
        int rest = node;
        for (final int extent : extents) {
            text.append(text.isEmpty() ? "" : ",").append(rest % extent);
            rest /= extent;
        }
        return text.toString();
    }
}
