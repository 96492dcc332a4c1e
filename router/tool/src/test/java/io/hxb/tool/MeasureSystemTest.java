package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** What ping and perf print while they run, and how they end. */
@Tag("system")
class MeasureSystemTest {
    @TempDir private static Path folder;

    private static final String NAME = "m" + ProcessHandle.current().pid();

    private static final Pattern INTERVAL = Pattern.compile("^ *\\d+\\.\\d - +\\d+\\.\\d ");

    @BeforeAll
    static void makesALab() throws Exception {
        try (HxbProcess up =
                run("lab up --shape 2 --links 1 --backend udp --processes --name " + NAME)) {
            assertEquals(ExitStatus.OK, up.status(), () -> up.output() + up.errors());
        }
    }

    @AfterAll
    static void removesTheLab() throws Exception {
        try (HxbProcess down = run("lab down --name " + NAME)) {
            down.status();
        }
    }

    @Test
    void shouldReportEachAnswerAsItComes() throws Exception {
        try (HxbProcess ping = run("ping 1 0 --count 3 --interval 0.05 --json --name " + NAME)) {
            assertEquals(ExitStatus.OK, ping.status(), ping::errors);
            final List<Map<?, ?>> objects = objects(ping);
            assertEquals(7, objects.size(), ping::output);
            for (int i = 0; i < 6; i++) {
                final Map<?, ?> reply = objects.get(i);
                assertEquals("reply", reply.get("type"));
                assertEquals(true, reply.get("ok"));
                assertEquals(1 + i / 2, reply.get("sequence"));
                assertEquals(i % 2 == 0 ? "1" : "0", reply.get("to"));
                assertTrue((double) reply.get("rtt_us") > 0, reply::toString);
            }
            assertEquals("summary", objects.getLast().get("type"));
            assertEquals(12, objects.getLast().get("messages"));
        }
        // Every pair, back to back: the square needs no line of its own for each answer.
        try (HxbProcess ping = run("ping --all-pairs --count 10 --name " + NAME)) {
            assertEquals(ExitStatus.OK, ping.status(), ping::errors);
            assertFalse(ping.output().contains("seq="), ping::output);
            assertTrue(ping.output().contains("0 -> 1"), ping::output);
            assertTrue(ping.output().contains("1 -> 0"), ping::output);
        }
    }

    @Test
    void shouldSumUpWhenTheUserPressesCtrlC() throws Exception {
        try (HxbProcess ping =
                HxbProcess.start(folder, words("ping 1 --count 0 --interval 0.1 --name " + NAME))) {
            ping.await("two answers", () -> ping.output().contains("seq=2"));
            ping.interrupt();
            assertEquals(ExitStatus.OK, ping.status(), ping::errors);
            assertTrue(ping.output().contains("round trips, lost 0"), ping::output);
        }
        try (HxbProcess perf =
                HxbProcess.start(
                        folder,
                        words(
                                "perf 1 --warmup 0 --seconds 600 --interval 0.2 --json --name "
                                        + NAME))) {
            perf.await("an interval", () -> perf.output().contains("\"interval\""));
            final ProcessHandle receiver = receiver(perf);
            perf.interrupt();
            assertEquals(ExitStatus.OK, perf.status(), perf::errors);
            assertEquals("summary", perf.json().get("type"));
            assertEquals(0, perf.json().get("lost"));
            assertFalse(receiver.isAlive());
        }
    }

    // A line is late on a busy machine, and about a longer interval then.
    private static long intervals(final HxbProcess perf) {
        return perf.output().lines().filter(INTERVAL.asPredicate()).count();
    }

    private static ProcessHandle receiver(final HxbProcess perf) {
        final List<ProcessHandle> all = perf.process().descendants().toList();
        assertEquals(1, all.size(), all::toString);
        return all.getFirst();
    }

    private static HxbProcess endless(final String options) throws IOException {
        return HxbProcess.start(
                folder,
                words(
                        "perf 1 --warmup 0 --seconds 600 --interval 0.1 --json --name "
                                + NAME
                                + options));
    }

    @Test
    void shouldReportThatAnEndHasEnded() throws Exception {
        for (final String options : List.of("", " --size 1M")) {
            try (HxbProcess perf = endless(options)) {
                perf.await("an interval", () -> perf.output().contains("\"interval\""));
                // when
                signal("KILL", receiver(perf).pid());
                // then
                assertEquals(ExitStatus.FAILED, perf.status(), perf::output);
                final Map<?, ?> summary = perf.json();
                assertEquals("summary", summary.get("type"), perf::output);
                assertEquals(false, summary.get("ok"));
                assertEquals("the receiving process was ended by signal 9", summary.get("error"));
                assertTrue((int) summary.get("messages") > 0, perf::output);
            }
        }
        // And the other way: nobody is left to receive for.
        try (HxbProcess perf = endless("")) {
            perf.await("an interval", () -> perf.output().contains("\"interval\""));
            final ProcessHandle receiver = receiver(perf);
            signal("KILL", perf.process().pid());
            receiver.onExit().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldMeasureSeveralSizesByOneCommand() throws Exception {
        final String options = " --size 1,3,8K,1M --warmup 0.1 --seconds 0.2 --json --name ";
        try (HxbProcess perf = run("perf 1" + options + NAME)) {
            assertEquals(ExitStatus.OK, perf.status(), () -> perf.output() + perf.errors());
            ReportingSystemTest.assertObjects("perf", perf);
            final List<Map<?, ?>> rows = objects(perf);
            assertEquals(5, rows.size(), perf::output);
            final int[] sizes = {1, 3, 8192, 1 << 20};
            for (int i = 0; i < sizes.length; i++) {
                final Map<?, ?> row = rows.get(i);
                assertEquals("measurement", row.get("type"));
                assertEquals(sizes[i], row.get("size"));
                assertEquals("1", row.get("to"));
                assertTrue((int) row.get("messages") > 0, row::toString);
                final long bytes = ((Number) row.get("bytes")).longValue();
                assertEquals((int) row.get("messages") * (long) sizes[i], bytes);
                assertEquals(i > 0, row.containsKey("of_smaller"), row::toString);
            }
            assertEquals(4, rows.getLast().get("measurements"));
        }
    }

    @Test
    void shouldMeasureToAReceiverThatSomebodyHasStartedOnAnotherMachine() throws Exception {
        // given: the same cluster, as a machine sees it that has the socket of one node only
        final Path lab = folder.resolve("run/labs/" + NAME);
        final Path sockets = Files.createDirectory(folder.resolve("sockets"));
        Files.createSymbolicLink(sockets.resolve(NAME + "-0.sock"), lab.resolve(NAME + "-0.sock"));
        final Path file =
                changed(
                        folder.resolve("elsewhere.yaml"),
                        "\\bdirectory: .*",
                        "directory: " + sockets);
        final String options =
                " --node 0 --warmup 0.1 --seconds 0.3 --interval 0 --json --config " + file;
        // when nobody receives there: the node does, as far as messages come as one
        try (HxbProcess perf = run("perf 1" + options)) {
            assertEquals(ExitStatus.OK, perf.status(), perf::errors);
            final Map<?, ?> cost = (Map<?, ?>) perf.json().get("cpu_s_per_GB");
            assertEquals(Set.of("sender", "sender_node", "receiver_node"), cost.keySet());
        }
        try (HxbProcess perf = run("perf 1 --size 1M" + options)) {
            assertEquals(ExitStatus.FAILED, perf.status());
            assertTrue(perf.errors().contains("run 'hxb perf --receive' there"), perf::errors);
        }
        // when somebody does
        try (HxbProcess receiver =
                HxbProcess.start(folder, words("perf --receive 1 --name " + NAME))) {
            receiver.await("that it receives", () -> receiver.output().contains("receives"));
            for (final String size : List.of("1000", "1M")) {
                try (HxbProcess perf = run("perf 1 --size " + size + options)) {
                    assertEquals(ExitStatus.OK, perf.status(), perf::errors);
                    final Map<?, ?> cost = (Map<?, ?>) perf.json().get("cpu_s_per_GB");
                    assertEquals(
                            Set.of("sender", "sender_node", "receiver", "receiver_node"),
                            cost.keySet());
                }
            }
            try (HxbProcess second = run("perf --receive 1 --name " + NAME)) {
                assertEquals(ExitStatus.FAILED, second.status());
                assertTrue(second.errors().contains("runs at node 1 already"), second::errors);
            }
        }
    }

    @Test
    void shouldSumUpThoughATerminalInterruptsTheNodesToo() throws Exception {
        // given: a process group as a terminal has it, with the nodes in it unless they left it
        final List<String> group = List.of("setsid");
        try (HxbProcess ping =
                HxbProcess.start(
                        folder,
                        group,
                        words(
                                "lab run ping --shape 2 --links 1 --backend udp --processes"
                                        + " --count 0 --interval 0.1 --name t"
                                        + ProcessHandle.current().pid()))) {
            ping.await("two answers", () -> ping.output().contains("seq=2"));
            // when
            signal("INT", -ping.process().pid());
            // then
            assertEquals(ExitStatus.OK, ping.status(), () -> ping.output() + ping.errors());
            assertTrue(ping.output().contains("round trips, lost 0"), ping::output);
        }
    }

    @Test
    void shouldSumUpAndRemoveTheLabHoweverItIsInterrupted() throws Exception {
        for (final boolean isTerminal : new boolean[] {true, false}) {
            try (HxbProcess perf =
                    HxbProcess.start(
                            folder,
                            isTerminal ? List.of("setsid") : List.of(),
                            words(
                                    "lab run perf --shape 2 --links 1 --backend udp --warmup 0"
                                            + " --seconds 600 --interval 0.1 --name q"
                                            + ProcessHandle.current().pid()))) {
                perf.await("two intervals", () -> intervals(perf) >= 2);
                final List<ProcessHandle> ends = perf.process().descendants().toList();
                assertEquals(2, ends.size(), ends::toString);
                // when: a terminal interrupts them all, and a program the command alone
                signal("INT", isTerminal ? -perf.process().pid() : perf.process().pid());
                // then
                assertEquals(ExitStatus.OK, perf.status(), () -> perf.output() + perf.errors());
                assertTrue(perf.output().contains("lost 0, duplicated 0"), perf::output);
                assertTrue(ends.stream().noneMatch(ProcessHandle::isAlive), ends::toString);
            }
        }
    }

    @Test
    void shouldCallAnswersLostThatDoNotComeInTimeAndEnd() throws Exception {
        // given: a node that stands still
        final long node =
                new LabRegistry(folder.resolve("run/labs")).require(NAME).nodePids().get(1);
        signal("STOP", node);
        try {
            // when, then: a line for each, and an end
            try (HxbProcess ping =
                    run("ping 1 --count 2 --interval 0.1 --timeout 200ms --name " + NAME)) {
                assertEquals(ExitStatus.FAILED, ping.status(), ping::errors);
                assertTrue(
                        ping.output().contains("1: seq=2 hops=1 no answer within 200ms"),
                        ping::output);
                assertTrue(ping.output().contains("0 round trips, lost 2"), ping::output);
            }
            // and: a thousand back to back do not take a thousand times the limit
            try (HxbProcess ping = run("ping 1 --flood --timeout 0.2 --json --name " + NAME)) {
                assertEquals(ExitStatus.FAILED, ping.status(), ping::errors);
                assertEquals(3, ping.json().get("lost"));
                assertEquals(false, ping.json().get("ok"));
            }
        } finally {
            signal("CONT", node);
        }
    }

    @Test
    void shouldReportThroughputWhileItIsMeasuredAndCpuTimeOnlyWhereItIsKnown() throws Exception {
        final String options = " --size 1000 --warmup 0.3 --seconds 1 --interval 0.2 --json";
        // CPU time is counted in ticks of 10 ms: an end needs some of them also on a busy machine.
        final String longer = options.replace("--seconds 1", "--seconds 4");
        try (HxbProcess perf = hxb("perf 1 --name " + NAME + longer)) {
            assertEquals(ExitStatus.OK, perf.status(), perf::errors);
            final List<Map<?, ?>> objects = objects(perf);
            final Map<?, ?> summary = objects.getLast();
            final List<Map<?, ?>> intervals = objects.subList(0, objects.size() - 1);
            assertTrue(intervals.stream().allMatch(line -> "interval".equals(line.get("type"))));
            assertEquals(true, intervals.getFirst().get("warm_up"));
            final List<Map<?, ?>> measured =
                    intervals.stream().filter(line -> line.get("warm_up").equals(false)).toList();
            assertIntervalsFollow(measured, perf.output());
            final long reported =
                    measured.stream()
                            .mapToLong(line -> ((Number) line.get("messages")).longValue())
                            .sum();
            assertTrue(reported > 0 && reported <= (int) summary.get("messages"), perf::output);
            assertTrue((double) summary.get("cpu_us_per_frame") > 0, perf::output);
            assertEquals(2, summary.get("nodes_counted"));
            final Map<?, ?> cost = (Map<?, ?>) summary.get("cpu_s_per_GB");
            assertEquals(
                    Set.of("sender", "sender_node", "receiver", "receiver_node"), cost.keySet());
            assertTrue(cost.values().stream().allMatch(value -> (double) value > 0), perf::output);
        }
        // The same cluster, as one of its machines sees it: the other's counters are not here.
        try (HxbProcess perf = run("perf 1 --node 0 --config " + ofOneMachine() + options)) {
            assertEquals(ExitStatus.OK, perf.status(), perf::errors);
            assertFalse(perf.json().containsKey("cpu_us_per_frame"), perf::output);
            assertEquals(1, perf.json().get("nodes_counted"));
        }
    }

    /**
     * One after the other, to the end; on a busy machine a late line is about a longer interval.
     */
    private static void assertIntervalsFollow(final List<Map<?, ?>> intervals, final String text) {
        double endS = 0;
        for (int i = 0; i < intervals.size(); i++) {
            final double startS = (double) intervals.get(i).get("start_s");
            assertEquals(endS, startS, 0.002, text);
            endS = (double) intervals.get(i).get("end_s");
            assertTrue(i == intervals.size() - 1 || endS - startS >= 0.199, text);
        }
        assertTrue(endS >= 0.9, text);
    }

    private static Path ofOneMachine() throws IOException {
        final Path lab = folder.resolve("run/labs/" + NAME);
        final Path counters = Files.createDirectory(folder.resolve("machine"));
        final String file = NAME + "-0.counters";
        Files.createSymbolicLink(counters.resolve(file), lab.resolve(file));
        return changed(
                folder.resolve("machine.yaml"),
                "countersDirectory: .*",
                "countersDirectory: " + counters);
    }

    /** The lab's cluster file with a line changed. */
    private static Path changed(final Path file, final String pattern, final String line)
            throws IOException {
        final Path lab = folder.resolve("run/labs/" + NAME);
        final String cluster = Files.readString(lab.resolve("cluster.yaml"));
        final String changed = cluster.replaceAll(pattern, line);
        assertFalse(changed.equals(cluster), cluster);
        return Files.writeString(file, changed);
    }

    private static List<Map<?, ?>> objects(final HxbProcess process) {
        return process.output()
                .lines()
                .<Map<?, ?>>map(line -> Json.parse(line, Map.class, "a line"))
                .toList();
    }

    private static void signal(final String signal, final long pid) throws Exception {
        assertEquals(
                0,
                new ProcessBuilder("kill", "-" + signal, "--", Long.toString(pid))
                        .start()
                        .waitFor());
    }

    private static String[] words(final String text) {
        return text.split(" ", -1);
    }

    /** Where nothing depends on the process of the command. */
    private static HxbProcess run(final String command) throws IOException {
        return HxbProcess.run(folder, words(command));
    }

    private static HxbProcess hxb(final String command) throws IOException {
        return HxbProcess.start(folder, words(command));
    }
}
