package io.hxb.tool.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.UsageException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import picocli.CommandLine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The commands as users type them. */
@Tag("unit")
class SimCommandTest {
    private record Outcome(int status, String output, String problem) {
        Map<?, ?> lastLine() {
            final List<String> lines = output.strip().lines().toList();
            return Json.parse(lines.getLast(), Map.class, "the last line");
        }
    }

    private static Outcome sim(final String... arguments) {
        final PrintStream before = System.out;
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final StringBuilder problem = new StringBuilder();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            final CommandLine line = new CommandLine(new SimCommand());
            line.setCaseInsensitiveEnumValuesAllowed(true);
            line.setExecutionExceptionHandler(
                    (thrown, command, parsed) -> {
                        problem.append(thrown.getMessage());
                        final boolean isUsage =
                                thrown instanceof UsageException
                                        || (thrown instanceof IllegalArgumentException
                                                && !(thrown instanceof GraphException));
                        return isUsage ? 2 : 1;
                    });
            final int status = line.execute(arguments);
            return new Outcome(status, bytes.toString(StandardCharsets.UTF_8), problem.toString());
        } finally {
            System.setOut(before);
        }
    }

    @Test
    void shouldPrintOneObjectWithExactlyTheseKeys() {
        // when
        final Outcome outcome =
                sim(
                        ("run --graph torus:4x4 --hosts-per-switch 4 --algorithm updown-bfs --osf"
                             + " mmlru --vcs 3 --buffer 16 --packet 16 --switching vct --traffic"
                             + " uniform --load 0.05 --cycles 8000 --warmup 500 --seed 1 --json")
                                .split(" ", -1));
        // then
        assertEquals(0, outcome.status, outcome.problem);
        assertEquals(
                "[ok, paths, accepted, offered, latency, hops, saturated, deadlocked, cycles,"
                        + " cycles_per_s, peak_memory_mb]",
                outcome.lastLine().keySet().toString());
        assertEquals(
                "[mean, median, p99]",
                ((Map<?, ?>) outcome.lastLine().get("latency")).keySet().toString());
        assertEquals(8000, outcome.lastLine().get("cycles"));
    }

    @Test
    void shouldFindTheSaturationAndWriteItAsFiles(@TempDir final Path folder) throws IOException {
        // given
        final Path experiment = folder.resolve("experiment.yaml");
        Files.writeString(
                experiment,
                """
                graph: torus:4x4
                hosts: 1
                algorithm: [updown-bfs, dimension-order]
                vcs: 2
                buffer: 16
                packet: 16
                load: auto
                cycles: 6000
                warmup: 1000
                """);
        final Path svg = folder.resolve("plot.svg");
        final Path csv = folder.resolve("runs.csv");
        // when
        final Outcome one = sim("run", experiment.toString(), "--json", "--threads", "1");
        final Outcome many =
                sim(
                        "run",
                        experiment.toString(),
                        "--json",
                        "--threads",
                        "3",
                        "--out",
                        svg.toString(),
                        "--out",
                        csv.toString());
        // then
        assertEquals(0, many.status, many.problem);
        final Map<?, ?> series = (Map<?, ?>) many.lastLine().get("series");
        final double updown = throughput(series, "updown-bfs");
        assertTrue(updown > 0.2 && updown < 0.9, "throughput " + updown);
        assertTrue(Files.readString(svg).contains("<svg"));
        final List<String> rows = Files.readString(csv).lines().toList();
        assertTrue(rows.size() > 12);
        assertTrue(rows.stream().anyMatch(row -> row.endsWith(",vc_loads,channel_loads")));
        assertTrue(
                rows.getLast().matches(".*,0[.]\\d+ 0[.]\\d+,s0>s\\d+=0[.]\\d+ .*"),
                rows.getLast());
        // and the number of threads changes nothing
        assertEquals(updown, throughput((Map<?, ?>) one.lastLine().get("series"), "updown-bfs"));
    }

    @Test
    void shouldNotDependOnTheNumberOfThreads(@TempDir final Path folder) throws IOException {
        // given ways of routing and selecting that draw random numbers, each at several loads
        final Path experiment = folder.resolve("experiment.yaml");
        Files.writeString(
                experiment,
                """
                graph: torus:4x4
                algorithm: [duato, l-turn-alpha]
                osf: [random, mmlru]
                vcs: 3
                buffer: 16
                packet: 16
                arbitration: random
                load: [0.05, 0.2, 0.4, 0.9]
                cycles: 3000
                """);
        // when
        final Outcome one = sim("run", "" + experiment, "--json", "--threads", "1");
        final Outcome two = sim("run", "" + experiment, "--json", "--threads", "2");
        final Outcome many = sim("run", "" + experiment, "--json", "--threads", "7");
        // then everything is the same but the time it took
        assertEquals(0, one.status, one.problem);
        final Object expected = withoutSeconds(one.lastLine());
        assertTrue(expected.toString().contains("latency_p99="), expected.toString());
        assertEquals(expected, withoutSeconds(two.lastLine()));
        assertEquals(expected, withoutSeconds(many.lastLine()));
    }

    private static Object withoutSeconds(final Object json) {
        if (json instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .filter(entry -> !entry.getKey().equals("seconds"))
                    .map(entry -> entry.getKey() + "=" + withoutSeconds(entry.getValue()))
                    .toList();
        }
        return json instanceof List<?> list
                ? list.stream().map(SimCommandTest::withoutSeconds).toList()
                : String.valueOf(json);
    }

    private static double throughput(final Map<?, ?> series, final String name) {
        return ((Number) ((Map<?, ?>) series.get(name)).get("throughput")).doubleValue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "run|--graph is missing",
                "run --graph torus:4x4 --algorithm duato --vcs 2|needs a virtual channel more",
                "run --graph torus:4x4 --algorithm duato --vcs 2|there are 2: give --vcs 3,",
                "run --graph torus:4x4 --algorithm dimension-order|needs 2 virtual channels here;",
                "run --graph torus:4x4 --algorithm dimension-order|vcs: 2 in the experiment's file",
                "run --graph torus:8x8 --algorithm structured --vcs 3|there are 3: give --vcs 9,",
                "run --graph torus:4x4 --algorithm silla|there are 1: give --vcs 2,",
                "run --graph random:32,4,1 --algorithm lash|there are 1: give --vcs 3,",
                "run --graph random:16,4,1 --algorithm duato --vcs 3|is not a mesh or torus",
                "run --graph random:16,4,1 --osf zigzag|is not a mesh or torus",
                "run --graph torus:4x4 --algorithm nonsense|there is no algorithm 'nonsense'",
                "run --graph torus:4x4 --osf best|the output selection must be random",
                "run --graph torus:4x4 --buffer 64|a buffer holds a whole packet",
                "run --graph torus:4x4 --load 2|the load must be 0..1",
                "run --graph torus:3x3 --traffic bit-reversal|power of two",
                "run --graph torus:4x4 --traffic nowhere.txt|there is no file",
                "run --graph torus:4x4 --traffic zork|the patterns are uniform, all-to-all",
                "run --graph random:16,4,1 --traffic tornado|takes the numbers of the hosts",
                "run --graph mesh:4x2 --hosts-per-switch 2 --traffic transpose|those of a mesh 4x2"
                        + " differ",
                "run --graph torus:4x4 --traffic shift:64|every host of this graph",
                "run --graph mesh:4x4 --algorithm lash --vcs 4 --paths adaptive|does nothing",
                "run --graph hyper-crossbar:2x2 --algorithm dimension-order --paths random|nothing",
                "ethernet --graph mesh:4x4 --paths adaptive|one path a pair",
                "ethernet --graph mesh:4x4 --algorithm lash --paths random|leave it" + " out",
                "ethernet --graph torus:4x4 --traffic zork|the patterns are uniform,",
                "run --graph torus:4x4 --cycles 10 --warmup 10|shorter than the run",
                "run --graph torus:4x4 --out results.doc|.json, .csv, .svg or .png",
                "run --graph torus:4x4 --hosts-per-switch 0|at least two hosts",
                "sweep --graph torus:4x4 --loads 0.1:2:0.1|must be 0..1",
                "sweep --graph torus:4x4 --loads 0.5:0.1:0.1|--loads go up, from:to:step, and",
                "sweep --graph torus:4x4 --loads 0.5:0.1:0.1|goes down; write 0.1:0.5:0.1",
                "sweep --graph torus:4x4 --loads 0.1:0.5:0|a step above 0",
                "sweep --graph torus:4x4 --loads 0.1;0.2|must be 0..1",
                "run --graph torus:4x4 --out /nosuch/x.svg|/nosuch/x.svg: there is no folder"
                        + " /nosuch",
                "sweep --graph torus:4x4 --out /nosuch/x.csv|/nosuch/x.csv: there is no folder",
                "run --graph torus:4x4 --out /dev/null/x.csv|/dev/null is not a folder",
                "run --graph torus:4x4 --algorithm lash --vcs 2 --osf lru|--osf would do nothing",
                "run --graph torus:4x4 --paths low-port --osf mm|--osf would do nothing",
                "run --graph torus:4x4 --algorithm duato --vcs 3 --free-vcs|give --vcs 6 for two",
                "run --graph torus:4x4 --algorithm duato --vcs 3 --root 3|has no spanning tree",
                "run --graph torus:4x4 --algorithm dimension-order --vcs 3|leaves 1 of 3 unused",
                "run --graph torus:5x5 --algorithm dimension-order --vcs 2 --ties random|no ties",
                "run --graph mesh:4x4 --algorithm dimension-order --ring-vcs keep|in a torus",
                "run --graph mesh:4x4 --ties random|--ties would do nothing",
                "run --graph torus:4x4 --arbitration oldest|--arbitration would do nothing",
                "run --graph torus:4x4 --multiplexing packet|give --vcs 2 or more",
                "run --graph torus:4x4 --vc-crossbar|give --vcs 2 or more",
                "run --graph hyper-crossbar:2x2x2 --hosts-per-switch 2|has hosts of its own",
                "run --graph torus:4x4 --threads 2|for the runs of an experiment file",
                "run --graph torus:4x4 --part 1/2|for the runs of an experiment file",
                "run some.yaml --cycles 10 --osf lru|write cycles, osf into some.yaml",
                "run --graph torus:4x4 --root 99|the root must be a switch 0..15: 99",
                "run --graph torus:4x4 --vcs 64 --buffer 1000000 --packet 1|make --graph, --vcs or",
                "ethernet --graph hyper-crossbar:2x2x2 --paths random|--paths would do nothing",
                "paper vfrec-net --step 10|--step would do nothing",
            })
    void shouldReportWhatIsWrong(final String arguments, final String message) {
        // when
        final Outcome outcome = sim(arguments.strip().split(" ", -1));
        // then it is a mistake of who typed it
        assertEquals(2, outcome.status, outcome.problem);
        assertTrue(outcome.problem.contains(message.strip()), outcome.problem);
    }

    @Test
    void shouldNameTheLinesOfABadExperiment(@TempDir final Path folder) throws IOException {
        // given
        final Path file = folder.resolve("bad.yaml");
        Files.writeString(file, "graph: torus:4x4\nalgoritm: lash\nload: 0.1\nwidth: 3\n");
        // when
        final Outcome outcome = sim("run", file.toString());
        // then
        assertTrue(outcome.problem.contains("bad.yaml:2: algoritm is not known"), outcome.problem);
        assertTrue(outcome.problem.contains("the nearest known: algorithm"), outcome.problem);
        assertTrue(outcome.problem.contains("bad.yaml:4: width"), outcome.problem);
    }

    @Test
    void shouldRefuseDisconnectedGraphs(@TempDir final Path folder) throws IOException {
        // given
        final Path file = folder.resolve("two.edges");
        Files.writeString(file, "0 1\n2 3\n");
        // when
        final Outcome outcome = sim("run", "--graph", file.toString());
        // then
        assertNotEquals(0, outcome.status);
        assertTrue(outcome.problem.contains("connected"), outcome.problem);
    }

    @Test
    void shouldWriteAnArrayJob(@TempDir final Path folder) throws IOException {
        // given
        final Path file = folder.resolve("array.yaml");
        Files.writeString(file, "graph: torus:4x4\nload: 0.1\nseed: [1, 2, 3]\n");
        // when
        final Outcome outcome = sim("slurm", file.toString(), "--cpus", "2");
        // then
        assertTrue(outcome.output.startsWith("#!/bin/bash\n"), outcome.output);
        assertTrue(outcome.output.contains("#SBATCH --array=1-3\n"), outcome.output);
        assertTrue(outcome.output.contains("--part \"$SLURM_ARRAY_TASK_ID/3\""), outcome.output);
    }

    @Test
    void shouldMergeThePartsOfAnArrayJob(@TempDir final Path folder) throws IOException {
        // given an experiment in two parts, and as a whole
        final Path file = folder.resolve("array.yaml");
        Files.writeString(
                file,
                """
                graph: torus:4x4
                hosts: 1
                packet: 16
                buffer: 16
                load: [0.1, 0.2]
                seed: [1, 2, 3]
                cycles: 2000
                warmup: 500
                """);
        final String[] parts = {"", ""};
        for (int part = 1; part <= 2; part++) {
            parts[part - 1] = folder.resolve("part-" + part + ".json").toString();
            final Outcome run =
                    sim("run", "" + file, "--part", part + "/2", "--out", parts[part - 1]);
            assertEquals(0, run.status, run.problem);
        }
        final Path whole = folder.resolve("whole.json");
        sim("run", file.toString(), "--out", whole.toString());
        // when
        final Path merged = folder.resolve("merged.json");
        final Path csv = folder.resolve("merged.csv");
        final Outcome outcome =
                sim("merge", parts[0], parts[1], "--out", "" + merged, "--out", "" + csv);
        // then the same runs are there, part by part, and the options that made them
        assertEquals(0, outcome.status, outcome.problem);
        assertEquals("6 runs of 2 files", outcome.output.strip());
        final List<String> expected = accepted(whole);
        assertEquals(6, expected.size());
        assertEquals(expected, accepted(merged).stream().sorted().toList());
        assertTrue(Files.readString(csv).contains("# options: "), Files.readString(csv));
        // and what is not a result is refused
        final Outcome bad = sim("merge", file.toString(), "--out", csv.toString());
        assertNotEquals(0, bad.status);
        assertTrue(bad.problem.contains("array.yaml"), bad.problem);
        final Outcome missing = sim("merge", folder + "/none.json", "--out", csv.toString());
        assertTrue(missing.problem.contains("wait until it has ended"), missing.problem);
    }

    /** Series, load and accepted traffic of each run, in the file's order. */
    private static List<String> accepted(final Path file) throws IOException {
        final Map<?, ?> whole = Json.parse(Files.readString(file), Map.class, "results");
        return ((List<?>) whole.get("runs"))
                .stream()
                        .map(run -> (Map<?, ?>) run)
                        .map(
                                run ->
                                        run.get("series")
                                                + " "
                                                + run.get("load")
                                                + " "
                                                + run.get("accepted")
                                                + " "
                                                + run.get("channel_loads"))
                        .toList();
    }

    @Test
    void shouldMeasureAllOfATraceUnlessRequestedOtherwise(@TempDir final Path folder)
            throws IOException {
        // given
        final Path file = folder.resolve("trace.txt");
        Files.writeString(file, "# trace\n10 0 5 16\n12 3 1 16\n");
        final String run =
                "run --graph mesh:3x3 --hosts-per-switch 1 --packet 16 --cycles 9000 --traffic "
                        + file;
        // when
        final Outcome all = sim(run.split(" ", -1));
        final Outcome late = sim((run + " --warmup 5000").split(" ", -1));
        // then
        assertTrue(all.output.contains("of 2 packets"), all.output);
        assertTrue(late.output.contains("nothing   was measured"), late.output);
    }

    @Test
    void shouldKeepDeadlocksInFiles(@TempDir final Path folder) throws IOException {
        // given minimal routes on a ring, which wait for each other before anything is measured
        final Path file = folder.resolve("ring.csv");
        final String run =
                "sweep --graph torus:8 --hosts-per-switch 4 --algorithm minimal --loads 0.6"
                        + " --cycles 20000 --out "
                        + file;
        // when
        final Outcome outcome = sim(run.split(" ", -1));
        // then
        assertTrue(outcome.output.contains("DEADLOCK"), outcome.output);
        final String rows = Files.readString(file);
        assertTrue(rows.contains("[s0 -> s1] waits for [s1 -> s2]"), rows);
    }

    @Test
    void shouldEndWithOneOnADeadlockUnlessItIsExpected() {
        // given
        final String run =
                " --graph torus:8 --hosts-per-switch 4 --algorithm minimal --cycles 20000 --json"
                        + " --load";
        // when
        final Outcome one = sim(("run" + run + " 0.6").split(" ", -1));
        final Outcome many = sim(("sweep" + run + "s 0.01,0.6").split(" ", -1));
        final Outcome allowed = sim(("run --allow-deadlock" + run + " 0.6").split(" ", -1));
        final Outcome none = sim(("sweep" + run + "s 0.01").split(" ", -1));
        // then
        assertEquals(
                List.of(1, 1, 0, 0), List.of(one.status, many.status, allowed.status, none.status));
        assertEquals(false, one.lastLine().get("ok"));
        assertEquals(true, one.lastLine().get("deadlocked"));
        assertEquals(false, many.lastLine().get("ok"));
        assertEquals(true, allowed.lastLine().get("ok"));
        assertEquals(true, allowed.lastLine().get("deadlocked"));
    }

    @Test
    void shouldRefuseWhatDoesNothingInAnyCombinationOnly(@TempDir final Path folder)
            throws IOException {
        // given a selection that one of two algorithms uses, and one that none uses
        final String common = "graph: torus:4x4\nhosts: 1\ncycles: 500\nwarmup: 100\nload: 0.05\n";
        final Path some = folder.resolve("some.yaml");
        final Path none = folder.resolve("none.yaml");
        Files.writeString(some, common + "vcs: 3\nosf: lru\nalgorithm: [lash, updown-bfs]\n");
        Files.writeString(none, common + "vcs: 3\nosf: lru\npaths: low-port\n");
        // when
        final Outcome used = sim("run", some.toString());
        final Outcome idle = sim("run", none.toString());
        // then
        assertEquals(0, used.status, used.problem);
        assertEquals(2, idle.status);
        assertTrue(idle.problem.contains("--osf would do nothing"), idle.problem);
    }

    @Test
    void shouldReplayATrace(@TempDir final Path folder) throws IOException {
        // given
        final Path file = folder.resolve("trace.txt");
        Files.writeString(file, "# trace\n10 0 5 16\n12 3 1 40\n700 2 0 8\n");
        // when
        final Outcome outcome =
                sim(
                        ("run --graph mesh:3x3 --hosts-per-switch 1 --buffer 16 --packet 16"
                                        + " --cycles 1000 --warmup 0 --traffic "
                                        + file)
                                .split(" ", -1));
        // then five packets of three messages have arrived
        assertEquals(0, outcome.status, outcome.problem);
        assertTrue(outcome.output.contains("of 5 packets"), outcome.output);
    }
}
