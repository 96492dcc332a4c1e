package io.hxb.tool.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hxb.tool.report.Json;
import io.hxb.tool.sim.paper.PaperReport;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The keys that commands print are those of {@code docs/research/simulator.md}, no more, no less.
 */
@Tag("unit")
class SimulatorDocumentTest {
    private static final Pattern KEY = Pattern.compile("(?m)^[|] `([^`]+)` [|]");
    private static final String RUN =
            " --graph torus:4x4 --hosts-per-switch 1 --packet 16 --buffer 16 --cycles 2000 --warmup"
                    + " 500";

    /** The keys of the table below a heading. */
    private static Set<String> documented(final String heading) throws IOException {
        final String document =
                Files.readString(
                        Path.of(System.getProperty("hxb.root", ".."))
                                .resolve("docs/research/simulator.md"));
        final int start = document.indexOf("\n### " + heading + "\n");
        assertFalse(start < 0, "no heading " + heading);
        final int end = document.indexOf("\n#", start + 5);
        final Matcher matcher = KEY.matcher(document.substring(start, end));
        return matcher.results()
                .map(result -> result.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Map<?, ?> sim(final String arguments) {
        final PrintStream before = System.out;
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            new CommandLine(new SimCommand())
                    .setCaseInsensitiveEnumValuesAllowed(true)
                    .execute(arguments.split(" ", -1));
        } finally {
            System.setOut(before);
        }
        return Json.parse(bytes.toString(StandardCharsets.UTF_8).strip(), Map.class, arguments);
    }

    /** Keys of an object, those of objects in it after its own and a dot. */
    private static Set<String> keys(final Map<?, ?> object) {
        final Set<String> keys = new TreeSet<>();
        object.forEach(
                (key, value) -> {
                    keys.add(key.toString());
                    final Object first =
                            value instanceof List<?> list && !list.isEmpty()
                                    ? list.getFirst()
                                    : value;
                    if (first instanceof Map<?, ?> inner) {
                        inner.keySet().forEach(own -> keys.add(key + "." + own));
                    }
                });
        return keys;
    }

    @Test
    void shouldDocumentTheKeysOfSingleRuns() throws IOException {
        assertEquals(documented("`sim run`"), keys(sim("run --json" + RUN)));
    }

    @Test
    void shouldDocumentTheKeysOfSweepsAndFiles(@TempDir final Path folder) throws IOException {
        // given
        final Path file = folder.resolve("runs.json");
        final Path merged = folder.resolve("merged.json");
        // when
        final Map<?, ?> sweep = sim("sweep --json --loads 0.1,0.2 --out " + file + RUN);
        final Map<?, ?> merge = sim("merge --json " + file + " --out " + merged);
        // then
        final Map<?, ?> one = (Map<?, ?>) ((Map<?, ?>) sweep.get("series")).get("updown-bfs");
        final Set<String> printed = new TreeSet<>(Set.of("ok", "series"));
        one.keySet().forEach(key -> printed.add("series." + key));
        assertEquals(documented("`sim sweep` and `sim run FILE`"), printed);
        final Set<String> ofRuns = documented("Files of `--out`");
        final Map<?, ?> whole = Json.parse(Files.readString(file), Map.class, "runs");
        final Map<?, ?> row = (Map<?, ?>) ((List<?>) whole.get("runs")).getFirst();
        assertEquals(ofRuns, new TreeSet<>(row.keySet()));
        ofRuns.remove("series");
        final Map<?, ?> run = (Map<?, ?>) ((List<?>) one.get("runs")).getFirst();
        assertEquals(ofRuns, new TreeSet<>(run.keySet()));
        assertEquals(documented("`sim merge`"), keys(merge));
    }

    @Test
    void shouldDocumentTheKeysOfEthernet() throws IOException {
        assertEquals(
                documented("`sim ethernet`"),
                keys(sim("ethernet --json --graph vbft:2,2 --duration 1ms")));
    }

    @Test
    void shouldDocumentTheKeysOfPapers() throws IOException {
        // given a report of one figure and one shape
        final PaperReport report = new PaperReport("thesis-3");
        report.add("table", "row", 1, 2, 3);
        report.require("more is better", true);
        // when
        final Set<String> keys = keys(report.fields());
        // the command puts the first before them, and a report that was interrupted the second
        keys.add("ok");
        keys.add("interrupted");
        // then
        assertEquals(documented("`sim paper`"), keys);
    }
}
