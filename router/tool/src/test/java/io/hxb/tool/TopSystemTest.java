package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterType;
import io.hxb.counter.Counters;
import io.hxb.counter.OpenCounters;
import io.hxb.tool.report.ExitStatus;

import org.jline.utils.ScreenTerminal;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** Stat and top over the counter files of two nodes, one of which hangs; top on a terminal, too. */
@Tag("system")
class TopSystemTest {
    private static final String ENTER = "\u001b[?1049h";
    private static final String LEAVE = "\u001b[?1049l";
    private static final long LIMIT_S = 60;

    @RegisterExtension private final OpenCounters open = new OpenCounters();

    @TempDir private Path folder;

    private final List<String> files = new ArrayList<>();
    private final List<Counters> nodes = new ArrayList<>();

    @BeforeEach
    void makesTheFilesOfTwoNodes() {
        for (int node = 0; node < 2; node++) {
            final CounterLabels labels =
                    new CounterLabels(
                            "pacs",
                            9,
                            node,
                            node,
                            1,
                            List.of(
                                    new CounterLabels.LinkLabel(0, 0, "eth0"),
                                    new CounterLabels.LinkLabel(0, 1, "eth1")));
            final Path file = folder.resolve("pacs-" + node + ".counters");
            final Counters counters = open.create(file, labels, 1, AssertionError::new);
            counters.ofNode().source(CounterType.LINK_UP_STATE, 0, () -> 1).publish();
            counters.ofLoop(0).add(CounterType.LINK_SENT_FRAMES, 0, 7);
            counters.ofLoop(0).publish();
            // Node 0 lives in the far future, node 1 hung long ago.
            counters.heartbeat(node == 0 ? Long.MAX_VALUE / 2 : 1);
            files.add(file.toString());
            nodes.add(counters);
        }
    }

    /** Where nothing depends on the process of the command. */
    private HxbProcess run(final String... arguments) throws IOException {
        final List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(files);
        return HxbProcess.run(folder, all.toArray(String[]::new));
    }

    @Test
    void shouldFailExactlyWhenANodeThatIsShownIsDead() throws Exception {
        try (HxbProcess stat = run("stat", "--json")) {
            assertEquals(ExitStatus.FAILED, stat.status(), stat::errors);
            assertEquals(false, stat.json().get("ok"));
        }
        try (HxbProcess stat = run("stat", "--node", "0", "--json")) {
            assertEquals(ExitStatus.OK, stat.status(), stat::errors);
            assertEquals(true, stat.json().get("ok"));
        }
    }

    @Test
    void shouldShowTheWantedCountersOfTheWantedLinks() throws Exception {
        try (HxbProcess stat =
                run("stat", "--node", "0", "--link", "x.0", "--counter", "hxb_link_*", "--json")) {
            assertEquals(ExitStatus.OK, stat.status(), stat::errors);
            final Map<?, ?> node = (Map<?, ?>) ((List<?>) stat.json().get("nodes")).getFirst();
            final Map<?, ?> counters = (Map<?, ?>) node.get("counters");
            assertTrue(counters.keySet().stream().allMatch(key -> key.toString().contains("x.0")));
            assertTrue(counters.containsValue(7), counters::toString);
        }
        try (HxbProcess stat = run("stat", "--counter", "hxb_nothing_*")) {
            assertEquals(ExitStatus.USAGE, stat.status(), stat::output);
        }
        try (HxbProcess top =
                run("top", "--state", "down", "--interval", "0.1", "--count", "1", "--json")) {
            assertEquals(ExitStatus.OK, top.status(), top::errors);
            final List<?> nodes = (List<?>) top.json().get("nodes");
            // The links of the one that hangs are unknown.
            assertEquals(1, nodes.size(), nodes::toString);
            assertEquals(1, ((List<?>) ((Map<?, ?>) nodes.getFirst()).get("links")).size());
        }
    }

    @Test
    void shouldGiveTheTerminalBackWhenAskedToEnd() throws Exception {
        final Path screen = folder.resolve("screen");
        final Process process = onTerminal(screen, 80, 24);
        try {
            await(screen, process, "nodes running 1/2");
            process.getOutputStream().write("\r".getBytes(StandardCharsets.US_ASCII));
            process.getOutputStream().flush();
            await(screen, process, "links of node");
            await(screen, process, "? help");
            checkWhole(screen, 80, 24);
            process.getOutputStream().write('q');
            process.getOutputStream().flush();
            waitForEnd(process, screen);
            assertEquals(ExitStatus.OK, process.exitValue(), () -> read(screen));
            checkRestored(screen);
        } finally {
            end(process);
        }
    }

    @Test
    void shouldGiveTheTerminalBackWhenEndedByASignal() throws Exception {
        final Path screen = folder.resolve("screen");
        final Process process = onTerminal(screen, 132, 43);
        try {
            await(screen, process, "nodes running 1/2");
            await(screen, process, "? help");
            checkWhole(screen, 132, 43);
            process.descendants().filter(TopSystemTest::isJava).forEach(ProcessHandle::destroy);
            waitForEnd(process, screen);
            checkRestored(screen);
        } finally {
            end(process);
        }
    }

    @Test
    void shouldGiveTheTerminalBackWhenItFails() throws Exception {
        final Path screen = folder.resolve("screen");
        final Process process = onTerminal(screen, 40, 12);
        try {
            await(screen, process, "nodes running 1/2");
            await(screen, process, "? help");
            checkWhole(screen, 40, 12);
            // While a node runs it makes its file again.
            nodes.getFirst().close();
            Files.delete(Path.of(files.getFirst()));
            waitForEnd(process, screen);
            assertEquals(ExitStatus.FAILED, process.exitValue(), () -> read(screen));
            checkRestored(screen);
            assertTrue(read(screen).lastIndexOf("hxb: ") > read(screen).lastIndexOf(LEAVE));
        } finally {
            end(process);
        }
    }

    /**
     * What a terminal of that size shows, on which lines have been printed before: the title is on
     * the first line, the keys on the last, and nothing of the lines before is left.
     */
    private static void checkWhole(final Path screen, final int width, final int height) {
        final ScreenTerminal terminal = new ScreenTerminal(width, height);
        terminal.write(read(screen));
        final long[] cells = new long[width * height];
        terminal.dump(cells, 0, 0, height, width, null);
        final List<String> lines = new ArrayList<>();
        for (int row = 0; row < height; row++) {
            final StringBuilder line = new StringBuilder();
            for (int column = 0; column < width; column++) {
                line.appendCodePoint(ScreenTerminal.cellCodePoint(cells[row * width + column]));
            }
            lines.add(line.toString().stripTrailing());
        }
        assertTrue(lines.getFirst().startsWith("hxb top "), () -> String.join("\n", lines));
        assertTrue(lines.getLast().startsWith("q quit"), () -> String.join("\n", lines));
        assertTrue(
                lines.stream()
                        .noneMatch(line -> line.matches("(earlier )?\\d*") && !line.isEmpty()),
                () -> String.join("\n", lines));
    }

    private static boolean isJava(final ProcessHandle process) {
        return process.info().command().orElse("").endsWith("/java");
    }

    private void checkRestored(final Path screen) {
        final String text = read(screen);
        assertTrue(text.contains(ENTER), text);
        assertTrue(text.lastIndexOf(LEAVE) > text.lastIndexOf("nodes running"), text);
        assertTrue(text.lastIndexOf("\u001b[?25h") >= text.lastIndexOf("\u001b[?25l"), text);
        assertEquals(settings("before"), settings("after"), text);
    }

    private String settings(final String name) {
        final String text = read(folder.resolve(name));
        assertFalse(text.isBlank());
        return text;
    }

    /**
     * Runs top on a terminal on which lines have been printed, and whose settings are kept before
     * and after.
     */
    private Process onTerminal(final Path screen, final int width, final int height)
            throws IOException {
        Assumptions.assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/script")),
                "skipped: a terminal needs script of util-linux");
        final List<String> command = new ArrayList<>(FastStart.command("top"));
        command.addAll(List.of("--interval", "0.2"));
        command.addAll(files);
        final String line =
                "stty cols "
                        + width
                        + " rows "
                        + height
                        + "; seq -f 'earlier %g' 60; stty -a >"
                        + folder.resolve("before")
                        + "; "
                        + command.stream()
                                .map(word -> "'" + word + "'")
                                .collect(Collectors.joining(" "))
                        + "; status=$?; stty -a >"
                        + folder.resolve("after")
                        + "; exit $status";
        final ProcessBuilder builder =
                new ProcessBuilder("/usr/bin/script", "-qefc", line, screen.toString())
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectErrorStream(true);
        builder.environment().put("TERM", "xterm");
        builder.environment().put("SHELL", "/bin/sh");
        return builder.start();
    }

    /** Ends what runs on the terminal, too, before its folder is removed. */
    private static void end(final Process process) {
        final List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(each -> each.onExit().join());
    }

    private static void waitForEnd(final Process process, final Path screen)
            throws InterruptedException {
        if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
            fail(StackDump.of(process) + '\n' + read(screen));
        }
    }

    private static void await(final Path screen, final Process process, final String text) {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        while (!Files.exists(screen) || !read(screen).contains(text)) {
            if (System.nanoTime() - deadlineNs > 0 || !process.isAlive()) {
                fail("no '" + text + "': " + StackDump.of(process) + '\n' + read(screen));
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    private static String read(final Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (final IOException e) {
            return "";
        }
    }
}
