package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.testing.FrameTap;
import io.hxb.testing.OvsLab;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Cables, hosts and switches come and go on live bridges of Open vSwitch. After each change the
 * scripts of {@code --diff} leave what the whole texts set, and all hosts reach one another.
 */
@Tag("system")
class SwitchChangesSystemTest {
    private static final long ALL = 0xFFFF_FFFF_FFFFL;
    private static final int TO_ALL = -1;
    private static final int TRIES = 60;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(1);

    @TempDir private Path folder;
    private int run;

    @ParameterizedTest
    @CsvSource({"switch-tagged, 1, 3", "host-tagged, 2, 3"})
    void shouldLeaveWhatTheWholeTextsSetAfterEachChange(
            final String kind, final long seed, final int changes) throws IOException {
        OvsLab.assumePossible();
        change(kind, seed, changes);
    }

    @Tag("outside")
    @ParameterizedTest
    @CsvSource({"switch-tagged, 3, 100", "host-tagged, 4, 100"})
    void shouldLeaveWhatTheWholeTextsSetAfterManyChanges(
            final String kind, final long seed, final int changes) throws IOException {
        OvsLab.assumePossible();
        change(kind, seed, changes);
    }

    private void change(final String kind, final long seed, final int changes) throws IOException {
        final Random random = new Random(seed);
        final Cabling cabling = Cabling.ring(4);
        try (SwitchChangesLab lab =
                new SwitchChangesLab(Files.createDirectory(folder.resolve("ovs")))) {
            lab.plugIn(cabling);
            plan(kind, cabling, false);
            runAll(lab, texts("full"));
            String done = "the start";
            for (int i = 0; i <= changes; i++) {
                try {
                    check(lab, cabling);
                    done = cabling.change(random);
                    apply(lab, kind, cabling, random);
                } catch (final RuntimeException | Error e) {
                    throw new AssertionError(
                            "%s, seed %d, after change %d of %d (%s):%n%s"
                                    .formatted(kind, seed, i, changes, done, cabling.yaml()),
                            e);
                }
            }
            // from scratch the whole texts lead to the same
            final Map<String, String> states = states(lab, cabling);
            cabling.switches().forEach(name -> lab.run(name, "ovs-vsctl del-br " + name + "\n"));
            runAll(lab, texts("full"));
            assertEquals(states, states(lab, cabling), () -> kind + ", seed " + seed);
        }
    }

    /** Some cables are pulled out before the scripts run, and some after. */
    private void apply(
            final SwitchChangesLab lab,
            final String kind,
            final Cabling cabling,
            final Random random)
            throws IOException {
        lab.plugIn(cabling);
        final boolean isEarly = random.nextBoolean();
        if (isEarly) {
            lab.pullOut(cabling);
        }
        plan(kind, cabling, true);
        final List<Path> scripts = texts("changes");
        Collections.shuffle(scripts, random);
        runAll(lab, scripts);
        lab.pullOut(cabling);
        lab.remove(cabling);
    }

    private void check(final SwitchChangesLab lab, final Cabling cabling) throws IOException {
        final Map<String, String> states = states(lab, cabling);
        for (int i = 0; i < 2; i++) {
            runAll(lab, texts("full"));
            assertEquals(states, states(lab, cabling), "whole texts, time " + (i + 1));
        }
        exchange(lab, cabling);
    }

    private static Map<String, String> states(final SwitchChangesLab lab, final Cabling cabling)
            throws IOException {
        final Map<String, String> states = new HashMap<>();
        for (final String name : cabling.switches()) {
            states.put(name, lab.state(name));
        }
        return states;
    }

    /** Plans the cabling; the texts are in the folders full, and changes. */
    private void plan(final String kind, final Cabling cabling, final boolean isChange)
            throws IOException {
        for (final String name : List.of("full", "changes")) {
            for (final Path text : texts(name)) {
                Files.delete(text);
            }
        }
        final Path graph = Files.writeString(folder.resolve("net.yaml"), cabling.yaml());
        final String saved = folder.resolve("plan.json").toString();
        final List<String> arguments =
                new ArrayList<>(
                        List.of("vlan", "--graph=" + graph, "--kind=" + kind, "--dialect=ovs"));
        arguments.add("--save=" + saved);
        if (isChange) {
            arguments.addAll(
                    List.of(
                            "--diff=" + saved,
                            "--out=" + folder.resolve("changes"),
                            "--full=" + folder.resolve("full")));
        } else {
            arguments.add("--out=" + folder.resolve("full"));
        }
        final PlanOutput output = PlanOutput.of(arguments.toArray(String[]::new));
        assertEquals(ExitStatus.OK, output.status(), output.errors());
    }

    private List<Path> texts(final String name) throws IOException {
        final Path texts = folder.resolve(name);
        if (!Files.exists(texts)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(texts)) {
            return new ArrayList<>(files.sorted().toList());
        }
    }

    private static void runAll(final SwitchChangesLab lab, final List<Path> scripts)
            throws IOException {
        for (final Path script : scripts) {
            final String name = script.getFileName().toString().replace(".sh", "");
            lab.run(name, Files.readString(script));
        }
    }

    /** Every host sends to every other, and to all, until it has arrived; never in two copies. */
    private void exchange(final SwitchChangesLab lab, final Cabling cabling) throws IOException {
        run++;
        final VidTable vids = VidTable.read(folder.resolve("plan.json"));
        final Set<Integer> hosts = cabling.hosts().keySet();
        final Map<List<Integer>, Integer> sent = new HashMap<>();
        final Map<List<Integer>, Integer> seen = new HashMap<>();
        final Set<List<Integer>> missing = new HashSet<>();
        for (final int from : hosts) {
            for (final int to : hosts) {
                if (from != to) {
                    missing.add(List.of(from, to, to));
                    missing.add(List.of(from, TO_ALL, to));
                }
            }
        }
        for (int tries = 0; tries < TRIES && !missing.isEmpty(); tries++) {
            final Set<List<Integer>> again = new HashSet<>();
            missing.forEach(frame -> again.add(frame.subList(0, 2)));
            for (final List<Integer> frame : again) {
                final int from = frame.getFirst();
                final int to = frame.getLast();
                sent.merge(frame, 1, Integer::sum);
                lab.tap(from)
                        .send(
                                Cabling.mac(from),
                                to == TO_ALL ? ALL : Cabling.mac(to),
                                vids.vid(from, to),
                                from,
                                (run << 16) | (to & 0xFFFF));
            }
            TestNamespaces.holdsWithin(
                    PATIENCE_NS,
                    () -> {
                        collect(lab, hosts, seen);
                        missing.removeAll(seen.keySet());
                        return missing.isEmpty();
                    });
        }
        assertEquals(Set.of(), missing, "frames that have not arrived: from, to, seen at");
        seen.forEach(
                (frame, times) ->
                        assertTrue(
                                times <= sent.get(frame.subList(0, 2)),
                                () -> times + " copies of " + frame));
        seen.keySet().forEach(frame -> assertFalse(frame.getFirst().equals(frame.getLast())));
    }

    private void collect(
            final SwitchChangesLab lab,
            final Set<Integer> hosts,
            final Map<List<Integer>, Integer> seen) {
        for (final int host : hosts) {
            for (final FrameTap.Seen frame : lab.tap(host).receive()) {
                if (frame.to() >> 16 == run) {
                    seen.merge(
                            List.of(frame.from(), (int) (short) frame.to(), host), 1, Integer::sum);
                }
            }
        }
    }

    /** The VIDs of a saved plan. */
    private record VidTable(
            boolean isTagging,
            Map<Integer, Integer> vids,
            Map<Integer, Integer> ranks,
            Map<Set<Integer>, Integer> exceptions) {
        static VidTable read(final Path file) throws IOException {
            final Map<?, ?> plan = Json.parse(Files.readString(file), Map.class, file.toString());
            final Map<Integer, Integer> vids = new HashMap<>();
            final Map<Integer, Integer> ranks = new HashMap<>();
            final List<Integer> numbers = new ArrayList<>();
            for (final Object row : (List<?>) plan.get("hosts")) {
                final Map<?, ?> host = (Map<?, ?>) row;
                final int number = Integer.parseInt(host.get("name").toString().substring(1));
                numbers.add(number);
                vids.put(number, (Integer) host.get("vid"));
                ranks.put(number, (Integer) host.get("rank"));
            }
            final Map<Set<Integer>, Integer> exceptions = new HashMap<>();
            for (final Object row : (List<?>) plan.get("exceptions")) {
                final Map<?, ?> pair = (Map<?, ?>) row;
                exceptions.put(
                        Set.of(
                                numbers.get((Integer) pair.get("low")),
                                numbers.get((Integer) pair.get("high"))),
                        (Integer) pair.get("vid"));
            }
            return new VidTable(plan.get("kind").equals("host-tagged"), vids, ranks, exceptions);
        }

        int vid(final int from, final int to) {
            if (!isTagging) {
                return FrameTap.NO_TAG;
            }
            if (to == TO_ALL) {
                return vids.get(from);
            }
            final Integer exception = exceptions.get(Set.of(from, to));
            final int first = ranks.get(from) < ranks.get(to) ? from : to;
            return exception != null ? exception : vids.get(first);
        }
    }
}
