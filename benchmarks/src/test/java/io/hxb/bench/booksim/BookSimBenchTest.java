package io.hxb.bench.booksim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.generate.GraphSpec;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The comparison with programs that only pretend to simulate. */
@Tag("unit")
class BookSimBenchTest {
    private static final Path GRAPHS =
            Path.of(System.getProperty("hxb.root", ".."))
                    .resolve("router/fabric/src/test/resources/graphs");

    private static Case named(final String title) {
        return Case.all().stream()
                .filter(one -> one.title().equals(title))
                .findFirst()
                .orElseThrow();
    }

    private static Path script(final Path file, final String text) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + text);
        assertTrue(file.toFile().setExecutable(true));
        return file;
    }

    @Test
    void shouldRunBothInTurnsAndWriteMediansAndTheWorst(@TempDir final Path folder)
            throws IOException {
        // given
        final Path log = folder.resolve("log");
        final Path theirs =
                script(
                        folder.resolve("booksim"),
                        "echo theirs >>"
                                + log
                                + "\ntest -s $1 || exit 3\necho 'Packet latency average = 99'\n"
                                + "echo 'Packet latency average = 40 (1 samples)'\n"
                                + "echo 'Accepted flit rate average= 0.05'\n"
                                + "echo 'Total run time 2.0'\nexit 255\n");
        final Path ours =
                script(
                        folder.resolve("hxb"),
                        "test $1 = --version && exit 0\necho ours >>"
                                + log
                                + "\nn=$(grep -c ours "
                                + log
                                + ")\necho \"{\\\"ok\\\":true,\\\"latency\\\":{\\\"mean\\\":39.0},"
                                + "\\\"accepted\\\":0.05,\\\"cycles\\\":60000,"
                                + "\\\"cycles_per_s\\\":$((n * 60000))}\"\n");
        final Path out = folder.resolve("result.json");
        // when
        final int status =
                new CommandLine(new BookSimBench())
                        .execute(
                                "--program=" + theirs,
                                "--hxb=" + ours,
                                "--rounds=3",
                                "--only=mesh 8x8 at 0.05",
                                "--out=" + out);
        // then each round began with the other one
        assertEquals(0, status);
        assertEquals(
                List.of("theirs", "ours", "ours", "theirs", "theirs", "ours"),
                Files.readAllLines(log));
        final Map<?, ?> result = Json.parse(Files.readString(out).strip(), Map.class, "result");
        assertEquals(List.of(40.0, 40.0, 40.0), result.get("booksim_latency"));
        assertEquals(List.of(2.0, 2.0, 2.0), result.get("booksim_seconds"));
        final String row = Files.readAllLines(folder.resolve("result.md")).getLast();
        assertTrue(
                row.startsWith(
                        "| mesh 8x8 at 0.05 | 40.0 | 39.0 | -2.5 % | 30,000 | 120,000 | 4.0 (2.0)"
                                + " | "),
                row);
    }

    @Test
    void shouldReportTheSameToBoth(@TempDir final Path folder) throws IOException {
        // given
        final Case torus = named("torus 8x8, shuffle at 0.11");
        // when
        final String config = Files.readString(torus.bookSimConfig(folder, GRAPHS, 20_000, 4));
        final String words = String.join(" ", torus.hxbArguments(GRAPHS, 20_000, 4));
        // then a credit takes the link's two cycles, one to be sent and BookSim's delay of one
        assertTrue(config.contains("topology = torus; k = 8; n = 2;"), config);
        assertTrue(config.contains("credit_delay = 1;"), config);
        assertTrue(config.contains("injection_rate = 0.11;"), config);
        assertTrue(words.contains("--ties random --ring-vcs keep"), words);
        assertTrue(words.contains("--link-cycles 2 --credit-cycles 4"), words);
        assertTrue(words.contains("--cycles 60000 --warmup 40000 --seed 4"), words);
    }

    @Test
    void shouldWriteANetworkForBookSim() {
        assertEquals(
                "router 0 node 0 node 1 router 1\nrouter 1 node 2 node 3 router 0\n",
                Case.anynet(GraphSpec.parse("mesh:2", 2)));
    }
}
