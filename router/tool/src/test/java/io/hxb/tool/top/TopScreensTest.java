package io.hxb.tool.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.TimeBuckets;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeState;

import org.jline.terminal.impl.LineDisciplineTerminal;
import org.jline.utils.ScreenTerminal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Whole screens of top, as text and on a terminal. */
@Tag("unit")
class TopScreensTest {
    private static final long INTERVAL_NS = 10_000_000;
    private static final long LIMIT_NS = 60_000_000_000L;
    private static final Path FOLDER = Path.of("src/test/resources/io/hxb/tool/top");
    private static final Glyphs PLAIN = new Glyphs(true, false);

    private static LinkSample link(
            final String label, final LinkCondition condition, final double megabytes) {
        final boolean isFailed = condition == LinkCondition.FAILED;
        return new LinkSample(
                label,
                "eth" + label.charAt(2),
                condition,
                isFailed ? 1 : 0,
                isFailed ? 0 : 100,
                new LinkSample.Traffic(Math.round(megabytes * 700), megabytes),
                new LinkSample.Traffic(Math.round(megabytes * 700), megabytes),
                isFailed ? 3 : 0,
                isFailed ? 2 : 0,
                isFailed ? "nothing arrives there while other links carry frames" : "");
    }

    private static NodeSample node(
            final int node,
            final NodeState state,
            final LinkCondition second,
            final double megabytes) {
        return new NodeSample(
                "pacs",
                node,
                node % 2 + "," + node / 2,
                state,
                state == NodeState.RUNNING ? 0 : 12_345,
                new NodeSample.Messages(Math.round(megabytes * 120), 0),
                new NodeSample.Frames(0, node == 1 ? 40 : 0, 0),
                new NodeSample.Routes(0, 0, 0),
                List.of(
                        link("x.0", LinkCondition.GOOD.at(state), megabytes),
                        link(
                                "x.1",
                                second.at(state),
                                second == LinkCondition.GOOD ? megabytes : 0)),
                Optional.empty());
    }

    /** Four nodes, one dead, one with a failed link, the last three seconds. */
    private static TopModel model(final Glyphs glyphs) {
        final RateHistory history = new RateHistory();
        List<NodeSample> nodes = List.of();
        for (int second = 1; second <= 3; second++) {
            nodes =
                    List.of(
                            node(0, NodeState.RUNNING, LinkCondition.GOOD, second * 40),
                            node(1, NodeState.RUNNING, LinkCondition.FAILED, second * 30),
                            node(2, NodeState.RUNNING, LinkCondition.GOOD, 0),
                            node(3, NodeState.DEAD, LinkCondition.GOOD, 0));
            history.add(nodes);
        }
        final NodeDetail detail =
                new NodeDetail(
                        "alpha",
                        List.of(
                                "up 62 min, flows 2 sending, 1 receiving, contexts 3 open",
                                "round trips p50 <= 128 us, p99 <= 1.0 ms, of 4711 frames while"
                                        + " watched",
                                "waits in queues p50 <= 1.0 us, p99 <= 64 us, of 300 messages while"
                                        + " watched"),
                        Map.of("x.0", "1,0", "x.1", "1,0"),
                        List.of());
        return new TopModel(
                "12:34:56",
                nodes,
                new TopExtras(
                        glyphs, history.rates(), Map.of("pacs 0", detail), List.of("0,0 -> 1,1")));
    }

    private static TopState press(final TopModel model, final int height, final TopKey... keys) {
        TopState state = TopView.settle(model, height, TopState.START);
        for (final TopKey key : keys) {
            state = TopView.press(model, height, state, key);
        }
        return state;
    }

    private static String text(final List<ScreenLine> lines) {
        final StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line.text().stripTrailing()).append('\n'));
        return text.toString();
    }

    @ParameterizedTest
    @CsvSource({
        "nodes, 80, 24, true",
        "nodes, 132, 43, true",
        "nodes, 40, 12, false",
        "links, 80, 24, true",
        "links, 132, 43, false",
        "links, 40, 12, false",
        "attention, 80, 24, true",
        "attention, 40, 12, true",
        "help, 80, 24, true"
    })
    void shouldShowTheWholeScreen(
            final String name, final int width, final int height, final boolean isUnicode)
            throws IOException {
        // given
        final TopModel model = model(new Glyphs(isUnicode, true));
        final TopState state =
                switch (name) {
                    case "links" -> press(model, height, TopKey.OPEN);
                    case "attention" -> press(model, height, TopKey.ATTENTION);
                    case "help" -> press(model, height, TopKey.HELP);
                    default -> press(model, height);
                };

        // when
        final List<ScreenLine> lines = TopView.draw(model, width, height, state);

        // then
        final Path file = FOLDER.resolve(name + "-" + width + "x" + height + ".txt");
        if (Boolean.getBoolean("hxb.write")) {
            Files.createDirectories(FOLDER);
            Files.writeString(file, text(lines));
        }
        assertEquals(height, lines.size());
        assertTrue(lines.stream().allMatch(line -> line.text().length() <= width));
        assertEquals(Files.readString(file), text(lines));
        if (!isUnicode) {
            assertTrue(text(lines).chars().allMatch(each -> each < 128), () -> text(lines));
        }
    }

    /** A node of another machine. */
    private static NodeSample far(
            final int node, final NodeState state, final NodeSample.Source source) {
        final NodeSample sample = node(node, state, LinkCondition.GOOD, 50);
        return new NodeSample(
                sample.cluster(),
                node,
                node % 256 + "," + node / 256,
                state,
                state == NodeState.RUNNING ? 0 : 12_000 + node,
                sample.messages(),
                sample.frames(),
                sample.routes(),
                sample.links(),
                Optional.empty(),
                source);
    }

    @Test
    void shouldShowNodesOfOtherMachinesAsTheyAreHeard() {
        // given
        final List<NodeSample> nodes =
                List.of(
                        node(0, NodeState.RUNNING, LinkCondition.GOOD, 50),
                        far(1, NodeState.RUNNING, NodeSample.Source.HEARD),
                        far(2, NodeState.DEAD, NodeSample.Source.NOTHING),
                        far(3, NodeState.DEAD, NodeSample.Source.HEARD));
        final TopModel model = new TopModel("12:34:56", TopModel.troubledFirst(nodes));

        // when
        final List<String> lines =
                text(TopView.draw(model, 240, 24, press(model, 24))).lines().toList();

        // then
        assertTrue(lines.get(1).startsWith("node (3,0) is unheard, last heard 12 s ago  +1 more"));
        assertTrue(lines.get(3).matches("\\(3,0\\) +unheard 12 s +0/2 .*"), lines.get(3));
        assertTrue(lines.get(4).matches("\\(2,0\\) +unknown +0/2 .*"), lines.get(4));
        assertTrue(
                lines.get(5).matches("\\(0,0\\) +running +2/2 .* 0 +0 +0 +0 +0 +0 +0 +pacs"),
                lines.get(5));
        assertTrue(
                lines.get(6).matches("\\(1,0\\) +running +2/2 .* 40 +- +- +0 +- +- +pacs"),
                lines.get(6));
        final String wrong = text(TopView.draw(model, 80, 24, press(model, 24, TopKey.ATTENTION)));
        assertTrue(wrong.contains("node (2,0) is unknown, nothing was heard of it\n"), wrong);
    }

    @Test
    void shouldTellWhatIsWrongInALargeClusterOnItsFirstScreen() {
        // given: 2560 nodes, of which 512 are not heard and 3 have a link that failed
        final List<NodeSample> nodes = new ArrayList<>();
        for (int node = 0; node < 2560; node++) {
            final boolean isGone = node >= 1024 && node < 1536;
            nodes.add(
                    node % 1000 == 7
                            ? node(node, NodeState.RUNNING, LinkCondition.FAILED, 1)
                            : far(
                                    node,
                                    isGone ? NodeState.DEAD : NodeState.RUNNING,
                                    NodeSample.Source.HEARD));
        }
        final TopModel model = new TopModel("12:34:56", TopModel.troubledFirst(nodes));

        // when
        final List<ScreenLine> screen = TopView.draw(model, 80, 24, press(model, 24));
        final List<String> lines = text(screen).lines().toList();
        final String wrong = text(TopView.draw(model, 80, 24, press(model, 24, TopKey.ATTENTION)));
        final String end = text(TopView.draw(model, 80, 24, press(model, 24, TopKey.LAST)));

        // then
        assertEquals(24, screen.size());
        assertTrue(lines.get(0).contains("nodes running 2048/2560"), lines.get(0));
        assertTrue(lines.get(1).startsWith("512 nodes are unheard: (0,4) (1,4) "), lines.get(1));
        assertTrue(lines.get(1).endsWith("  +1 more: w"), lines.get(1));
        assertTrue(lines.get(3).matches("\\(0,4\\) +unheard 13 s .*"), lines.get(3));
        assertTrue(wrong.contains("3 nodes have links that are failed: "), wrong);
        assertTrue(end.contains("\n(255,9) "), end);
    }

    @Test
    void shouldDrawFromTheUpperLeftWhateverWasOnTheTerminalBefore() throws IOException {
        for (final int[] size : new int[][] {{80, 24}, {132, 43}, {40, 12}}) {
            for (final boolean isColoured : new boolean[] {true, false}) {
                check(size[0], size[1], isColoured);
            }
        }
    }

    private static void check(final int width, final int height, final boolean isColoured)
            throws IOException {
        // given: a terminal on which the cursor is at the bottom
        final TopModel model = model(new Glyphs(true, isColoured));
        final ScreenTerminal.VirtualTerminal virtual =
                ScreenTerminal.withTerminal("test", "screen-256color", width, height);
        final LineDisciplineTerminal terminal = virtual.terminal();
        for (int line = 1; line <= 60; line++) {
            virtual.screen().write("earlier " + line + "\r\n");
        }
        final ByteArrayOutputStream left = new ByteArrayOutputStream();
        final List<String> shown = new ArrayList<>();

        // when: the user opens a node and ends it
        try (TopScreen screen = new TopScreen(terminal, isColoured, left)) {
            terminal.processInputBytes("\r".getBytes(StandardCharsets.US_ASCII));
            screen.run(
                    new Steps(
                            model,
                            terminal,
                            virtual,
                            shown,
                            width,
                            height,
                            System.nanoTime() + LIMIT_NS),
                    INTERVAL_NS);
        }

        // then
        final int room = isColoured ? width : width - ScreenLine.MARK_COLUMNS;
        final TopState state = press(model, height, TopKey.OPEN);
        final List<ScreenLine> lines = TopView.draw(model, room, height, state);
        final String expected =
                text(isColoured ? lines : lines.stream().map(ScreenLine::marked).toList());
        assertEquals(expected, String.join("\n", shown) + "\n", width + "x" + height);
        assertTrue(left.size() > 0);
    }

    /** Ends the display after it has been drawn with a node open. */
    private record Steps(
            TopModel model,
            LineDisciplineTerminal terminal,
            ScreenTerminal.VirtualTerminal virtual,
            List<String> shown,
            int width,
            int height,
            long endNs)
            implements TopScreen.Source {
        @Override
        public TopModel look() throws IOException {
            if (endNs - System.nanoTime() < 0) {
                throw new AssertionError(String.join("\n", screen()));
            }
            if (screen().stream().anyMatch(line -> line.contains("links of node"))) {
                shown.clear();
                shown.addAll(screen());
                terminal.processInputBytes("q".getBytes(StandardCharsets.US_ASCII));
            }
            return model;
        }

        private List<String> screen() {
            final long[] cells = new long[width * height];
            virtual.screen().dump(cells, 0, 0, height, width, null);
            final List<String> lines = new ArrayList<>();
            for (int row = 0; row < height; row++) {
                final StringBuilder line = new StringBuilder();
                for (int column = 0; column < width; column++) {
                    line.appendCodePoint(ScreenTerminal.cellCodePoint(cells[row * width + column]));
                }
                lines.add(line.toString().stripTrailing());
            }
            return lines;
        }

        @Override
        public TopModel again(final TopModel last) {
            return last;
        }

        @Override
        public void trace(final TopState.TraceWish wish) {
            throw new AssertionError(wish);
        }
    }

    @Test
    void shouldShowOnlyRowsWithTheTextThatIsTyped() {
        // given
        final TopModel model = model(PLAIN);
        TopState state = press(model, 24, TopKey.FILTER);

        // when
        for (final char each : "ALPX\u007f".toCharArray()) {
            state = TopView.type(model, 24, state, each);
        }

        // then
        final String typing = text(TopView.draw(model, 80, 24, state));
        assertTrue(typing.contains("(0,0) alpha") && !typing.contains("(1,0)  "), typing);
        assertTrue(typing.endsWith("show rows with: ALP_\n"), typing);
        state = TopView.type(model, 24, state, '\r');
        assertTrue(text(TopView.draw(model, 80, 24, state)).endsWith("/ filter 'ALP'\n"));
        state = TopView.press(model, 24, state, TopKey.BACK);
        assertTrue(text(TopView.draw(model, 80, 24, state)).contains("(1,0)  "));
    }

    @Test
    void shouldTraceFromTheSelectedNodeToTheOneThatIsTyped() {
        final TopModel model = model(PLAIN);
        TopState state = press(model, 24, TopKey.DOWN, TopKey.TRACE);
        for (final char each : "1,1\r".toCharArray()) {
            state = TopView.type(model, 24, state, each);
        }

        assertEquals(Optional.of(new TopState.TraceWish(1, "pacs 1", "1,1")), state.trace());
        assertTrue(text(TopView.draw(model, 80, 24, state)).contains("\n0,0 -> 1,1\n"));
        final TopState ended = TopView.type(model, 24, press(model, 24, TopKey.TRACE), 3);
        assertTrue(ended.isOver());
    }

    @Test
    void shouldShowAsMuchOfTheTerminalAsItsUserWants() {
        assertEquals(new Glyphs(true, true), Glyphs.of(Map.of("LANG", "en_GB.UTF-8")));
        assertFalse(Glyphs.of(Map.of("LC_ALL", "C", "LANG", "en_GB.UTF-8")).isUnicode());
        assertFalse(Glyphs.of(Map.of("LANG", "ja_JP.UTF-8")).isUnicode());
        assertFalse(Glyphs.of(Map.of("NO_COLOR", "1")).isColoured());
        assertTrue(Glyphs.of(Map.of("NO_COLOR", "")).isColoured());
        assertFalse(Glyphs.of(Map.of("CLICOLOR", "0")).isColoured());
    }

    @Test
    void shouldDrawBarsThatDoNotHideSmallRates() {
        assertEquals("  .:@", Glyphs.ASCII.bars(List.of(0.0, 0.01, 2.0, 10.0), 10, 5));
        assertEquals("##", Glyphs.ASCII.bars(List.of(1.0, 9.0, 9.0), 11, 2));
        assertEquals("   ", Glyphs.ASCII.bars(List.of(0.0, 0.0), 0, 3));
    }

    @Test
    void shouldReadPercentilesFromBuckets() {
        final long[] counts = new long[TimeBuckets.COUNT];
        counts[3] = 98;
        counts[5] = 1;
        counts[TimeBuckets.COUNT - 1] = 1;

        assertEquals("<= 8.0 us", DetailReader.percentile(counts, 100, 50));
        assertEquals("<= 32 us", DetailReader.percentile(counts, 100, 99));
        assertEquals("> 1.0 s", DetailReader.percentile(counts, 100, 100));
    }
}
