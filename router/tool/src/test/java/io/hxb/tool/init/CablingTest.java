package io.hxb.tool.init;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.ClusterConfig;
import io.hxb.config.Dimensions;
import io.hxb.config.LinkConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.tool.init.NeighbourSurvey.Nic;
import io.hxb.tool.init.NeighbourSurvey.Sighting;
import io.hxb.tool.report.ToolException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

@Tag("unit")
class CablingTest {
    /** Machines of a shape, cabled as they should be, with NICs named at random. */
    private static final class Machines {
        private final NeighbourSurvey known = new NeighbourSurvey();

        /** Machine and NIC of each port by the segment it is plugged into. */
        private final Map<String, List<DiscoveredPort>> segments = new TreeMap<>();

        private static Machines of(final int[] extents, final int links, final long seed) {
            final Machines machines = new Machines();
            final SplittableRandom random = new SplittableRandom(seed);
            final int count = Arrays.stream(extents).reduce(1, (a, b) -> a * b);
            for (int node = 0; node < count; node++) {
                final String id = "%012x".formatted(1 + node * 7919L % 65_521);
                machines.known.addMachine(id, "pc" + (node + 1));
                final List<Integer> nics = new ArrayList<>();
                for (int i = 0; i < extents.length * links; i++) {
                    nics.add(random.nextInt(nics.size() + 1), i + 1);
                }
                int rest = node;
                int step = 1;
                for (int dimension = 0; dimension < extents.length; dimension++) {
                    final int line = node - rest % extents[dimension] * step;
                    for (int link = 0; link < links; link++) {
                        final int nic = nics.get(dimension * links + link);
                        final String segment = dimension + " " + link + " " + line;
                        machines.segments
                                .computeIfAbsent(segment, key -> new ArrayList<>())
                                .add(new DiscoveredPort(id, "eth" + nic));
                    }
                    rest /= extents[dimension];
                    step *= extents[dimension];
                }
            }
            return machines;
        }

        private String name(final DiscoveredPort port) {
            return port.nic() + " of " + known.name(port.machine());
        }

        private NeighbourSurvey heard() {
            for (final List<DiscoveredPort> ports : segments.values()) {
                // Each hears the next one only: enough to know who is on a segment.
                for (int i = 0; i + 1 < ports.size(); i++) {
                    known.addSighting(new Sighting(ports.get(i + 1), ports.get(i)));
                }
            }
            return known;
        }
    }

    @Test
    void shouldFindAnyHyperCrossbarFromWhoHearsWhom() {
        for (final int[] extents :
                List.of(
                        new int[] {2},
                        new int[] {4},
                        new int[] {16},
                        new int[] {2, 2},
                        new int[] {3, 2},
                        new int[] {2, 2, 2},
                        new int[] {3, 3, 3},
                        new int[] {2, 3, 4, 2})) {
            for (int links = 1; links <= 3; links++) {
                // given
                final Machines machines = Machines.of(extents, links, 42 + links);
                // when
                final Cabling cabling = Cabling.of(machines.heard());
                // then: the same extents, in some order, and a file in which links meet where they
                // do
                final List<Integer> found = cabling.extents().stream().sorted().toList();
                assertEquals(Arrays.stream(extents).sorted().boxed().toList(), found);
                assertLinksMeet(machines, cabling);
            }
        }
    }

    /** Reads the file that was written: links of one number and line must be on one segment. */
    private static void assertLinksMeet(final Machines machines, final Cabling cabling) {
        final String text = FirstClusterFile.of("test", cabling, machines.known);
        final ClusterConfig config = ClusterConfigYaml.parse(text, "cluster.yaml");
        assertEquals(machines.known.machines().size(), config.shape().nodeCount());
        final Map<String, TreeSet<String>> met = new TreeMap<>();
        for (int node = 0; node < config.shape().nodeCount(); node++) {
            final long own = config.shape().coordinates(node);
            final String id = cabling.machines().get(node);
            assertEquals(own, config.hosts().get(machines.known.name(id)));
            for (final LinkConfig link : config.links(node)) {
                final DiscoveredPort port = new DiscoveredPort(id, link.nic());
                final String segment =
                        machines.segments.entrySet().stream()
                                .filter(entry -> entry.getValue().contains(port))
                                .map(Map.Entry::getKey)
                                .findFirst()
                                .orElseThrow();
                final String[] place = cabling.coordinates(node).split(",", -1);
                place[link.dimension()] = "*";
                final String line =
                        Dimensions.name(link.dimension())
                                + link.number()
                                + " "
                                + String.join(",", place);
                met.computeIfAbsent(line, key -> new TreeSet<>()).add(segment);
            }
        }
        met.forEach((line, segments) -> assertEquals(1, segments.size(), line + segments));
    }

    @Test
    void shouldPutMachinesInTheOrderOfTheirNames() {
        final Cabling cabling = Cabling.of(Machines.of(new int[] {12}, 1, 1).heard());

        final List<String> names =
                cabling.machines().stream()
                        .map(Machines.of(new int[] {12}, 1, 1).known::name)
                        .toList();

        assertEquals("pc1", names.getFirst());
        assertEquals("pc2", names.get(1));
        assertEquals("pc12", names.getLast());
    }

    @Test
    void shouldKnowThatNobodyAnswered() {
        final NeighbourSurvey alone = new NeighbourSurvey();
        alone.addMachine("000000000001", "pc1");

        assertNull(Cabling.of(alone));
    }

    @Test
    void shouldReportWhatIsNoHyperCrossbar() {
        // a ring of five
        final Machines ring = new Machines();
        for (int i = 0; i < 5; i++) {
            ring.known.addMachine("00000000000" + i, "pc" + i);
            ring.segments.put(
                    "s" + i,
                    List.of(
                            new DiscoveredPort("00000000000" + i, "eth1"),
                            new DiscoveredPort("00000000000" + (i + 1) % 5, "eth2")));
        }
        assertProblem(ring, "5 machines were found, and a crossbar of shape 2x2 has 4");

        // one of four cables of 2x2 is missing
        final Machines square = Machines.of(new int[] {2, 2}, 1, 1);
        square.segments.remove(square.segments.keySet().stream().toList().getLast());
        assertProblem(square, "hyper-crossbar");

        // the second link of pc2 is not plugged in
        final Machines line = Machines.of(new int[] {3}, 2, 1);
        line.segments.compute("0 1 0", (key, ports) -> ports.subList(0, 2));
        assertProblem(line, "two lines, with different machines on them");

        // both links are on one switch
        final Machines loop = Machines.of(new int[] {2}, 2, 1);
        loop.segments.get("0 0 0").addAll(loop.segments.remove("0 1 0"));
        assertProblem(loop, "are on one cable or switch");
    }

    @Test
    void shouldNameTheOneChangeThatMakesAHyperCrossbar() {
        // one of four cables of 2x2 is missing
        final Machines square = Machines.of(new int[] {2, 2}, 1, 1);
        final List<DiscoveredPort> cable =
                square.segments.remove(square.segments.keySet().stream().toList().getLast());
        cable.forEach(port -> square.known.addNic(port, new Nic(1500, 1000, port.machine())));
        final List<String> ends = cable.stream().map(square::name).toList();
        assertProblem(square, "connect " + String.join(" and ", ends) + " to make it a 2x2");

        // pc2 was left out of one of three switches
        final Machines line = Machines.of(new int[] {4, 2}, 1, 1);
        final DiscoveredPort out = line.segments.get("0 0 0").remove(1);
        line.known.addNic(out, new Nic(1500, 1000, out.machine()));
        assertProblem(line, "connect " + line.name(out) + " to the switch of ");

        // two cables are interchanged at pc1
        final Machines crossed = Machines.of(new int[] {3, 3}, 1, 1);
        final DiscoveredPort x = crossed.segments.get("0 0 0").removeFirst();
        final DiscoveredPort y = crossed.segments.get("1 0 0").removeFirst();
        crossed.segments.get("0 0 0").addFirst(y);
        crossed.segments.get("1 0 0").addFirst(x);
        final Cabling cabling = Cabling.of(crossed.heard());
        // Then pc1 has its dimensions in another order than its NICs, which the file states.
        assertEquals("3x3", Cabling.shape(cabling.extents()));

        // two cables are interchanged between pc2 and pc4
        final Machines swapped = Machines.of(new int[] {3, 3}, 1, 1);
        final DiscoveredPort two = swapped.segments.get("0 0 0").remove(1);
        final DiscoveredPort four = swapped.segments.get("0 0 3").remove(0);
        swapped.segments.get("0 0 0").add(1, four);
        swapped.segments.get("0 0 3").add(0, two);
        // Other pairs do as well, with the machines in another order.
        assertProblem(swapped, "interchange the cables of ");
        assertProblem(swapped, " to make it a 3x3");
    }

    @Test
    void shouldTryNoLongerThanSecondsInALargeNetwork() {
        // 256 machines, of which two are without a line: no single change helps
        final Machines machines = Machines.of(new int[] {16, 16}, 1, 1);
        machines.segments.get("0 0 0").removeFirst();
        machines.segments.get("1 0 5").removeFirst();
        machines.segments.get("1 0 7").removeFirst();

        final ToolException thrown =
                assertThrows(ToolException.class, () -> Cabling.of(machines.heard()));

        assertTrue(thrown.getMessage().endsWith("two-pcs.md"), thrown.getMessage());
    }

    @Test
    void shouldNoteWhatIsNotUsedAndWhatDiffers() {
        // given: ten cables, of which one is slow and one has a smaller MTU
        final Machines machines = Machines.of(new int[] {2}, 10, 1);
        machines.segments.forEach(
                (segment, ports) ->
                        ports.forEach(
                                port ->
                                        machines.known.addNic(
                                                port,
                                                new Nic(
                                                        segment.equals("0 4 0") ? 1500 : 9000,
                                                        segment.equals("0 3 0") ? 10 : 1000,
                                                        port.machine().substring(2)
                                                                + "%02d"
                                                                        .formatted(
                                                                                port.nic()
                                                                                        .length())))));
        // when
        final NeighbourSurvey known = machines.heard();
        final Cabling cabling = Cabling.of(known);
        final List<String> notes = CableNotes.of(known, cabling);
        // then: the slow one is not used
        assertEquals(8, cabling.links().getFirst().getFirst().size());
        final String slow = machines.segments.get("0 3 0").getFirst().nic();
        assertTrue(notes.stream().anyMatch(note -> note.contains("cable of " + slow + " of pc1")));
        assertEquals(2, notes.stream().filter(note -> note.contains("is not used")).count());
        assertTrue(notes.stream().noneMatch(note -> note.contains("speeds")), notes::toString);
        assertTrue(notes.stream().anyMatch(note -> note.contains("different MTUs")));
        assertTrue(notes.stream().anyMatch(note -> note.contains("have one MAC address")));
    }

    @Test
    void shouldNoteLinksOfDifferentSpeeds() {
        final Machines machines = Machines.of(new int[] {2}, 2, 1);
        int megabits = 10;
        for (final List<DiscoveredPort> ports : machines.segments.values()) {
            for (final DiscoveredPort port : ports) {
                machines.known.addNic(
                        port, new Nic(1500, megabits, "%012x".formatted(port.hashCode())));
            }
            megabits *= 100;
        }
        final NeighbourSurvey known = machines.heard();

        final List<String> notes = CableNotes.of(known, Cabling.of(known));

        assertEquals(1, notes.size(), notes::toString);
        assertTrue(notes.getFirst().contains("different speeds"), notes::toString);
        assertTrue(notes.getFirst().contains("others at 1gbit;"), notes::toString);
    }

    private static void assertProblem(final Machines machines, final String part) {
        final ToolException thrown =
                assertThrows(ToolException.class, () -> Cabling.of(machines.heard()));
        assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
    }
}
