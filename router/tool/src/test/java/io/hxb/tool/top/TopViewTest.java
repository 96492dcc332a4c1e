package io.hxb.tool.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.observe.live.IpCounts;
import io.hxb.observe.live.IpSample;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeState;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

@Tag("unit")
class TopViewTest {
    private static final String[] DIMENSIONS = {"x", "y", "z"};
    private static final int LINKS = 12;

    private static TopModel model(final int nodeCount, final long seed) {
        final Random random = new Random(seed);
        final List<NodeSample> nodes = new ArrayList<>();
        for (int node = 0; node < nodeCount; node++) {
            final List<LinkSample> links = new ArrayList<>();
            for (int link = 0; link < LINKS; link++) {
                links.add(link(DIMENSIONS[link / 4] + "." + link % 4, random));
            }
            nodes.add(
                    new NodeSample(
                            "pacs",
                            node,
                            node % 3 + "," + node / 3 % 3 + "," + node / 9,
                            random.nextInt(8) == 0 ? NodeState.DEAD : NodeState.RUNNING,
                            0,
                            new NodeSample.Messages(random.nextInt(3), random.nextInt(1 << 30)),
                            new NodeSample.Frames(random.nextInt(3), 0, 0),
                            new NodeSample.Routes(0, 0, random.nextInt(2)),
                            links,
                            Optional.empty()));
        }
        return new TopModel("12:34:56", nodes);
    }

    private static LinkSample link(final String label, final Random random) {
        final boolean isFailed = random.nextInt(6) == 0;
        return new LinkSample(
                label,
                "enp129s0f" + random.nextInt(4),
                isFailed ? LinkCondition.FAILED : LinkCondition.GOOD,
                isFailed ? 2 : 0,
                100,
                new LinkSample.Traffic(random.nextInt(1 << 20), random.nextInt(5000) / 4.0),
                new LinkSample.Traffic(random.nextInt(3), random.nextInt(3)),
                random.nextInt(3),
                0,
                isFailed ? "nothing arrives there while other links carry frames" : "");
    }

    private static TopState press(final TopModel model, final int height, final TopKey... keys) {
        TopState state = TopView.settle(model, height, TopState.START);
        for (final TopKey key : keys) {
            state = TopView.press(model, height, state, key);
        }
        return state;
    }

    private static String text(
            final TopModel model, final int width, final int height, final TopState state) {
        final StringBuilder text = new StringBuilder();
        TopView.draw(model, width, height, state)
                .forEach(line -> text.append(line.text().stripTrailing()).append('\n'));
        return text.toString();
    }

    @Test
    void shouldFitEveryScreenWithTheSelectedRowVisibleWhateverIsPressed() {
        final TopKey[] keys = TopKey.values();
        for (final int nodeCount : new int[] {1, 2, 8, 27}) {
            final TopModel model = model(nodeCount, nodeCount);
            for (final int[] size :
                    new int[][] {{80, 24}, {81, 25}, {100, 30}, {132, 43}, {200, 60}, {20, 5}}) {
                final Random random = new Random(nodeCount * 1000L + size[0]);
                TopState state = TopView.settle(model, size[1], TopState.START);
                for (int step = 0; step < 60; step++) {
                    state = TopView.press(model, size[1], state, keys[random.nextInt(keys.length)]);
                    checkScreen(model, size[0], size[1], state);
                }
            }
        }
    }

    private static void checkScreen(
            final TopModel model, final int width, final int height, final TopState state) {
        final List<ScreenLine> lines = TopView.draw(model, width, height, state);
        final String where = width + "x" + height + " " + state;
        assertTrue(lines.size() <= height, () -> lines.size() + " lines, " + where);
        for (final ScreenLine line : lines) {
            assertTrue(line.text().length() <= width, () -> "'" + line.text() + "' " + where);
        }
        assertEquals(
                state.view().isPage() ? 0 : 1,
                lines.stream().filter(ScreenLine::isSelected).count(),
                where);
        assertTrue(lines.getLast().text().matches("(q quit|show rows|trace to).*"), where);
    }

    @Test
    void shouldCountTheNodesThatRun() {
        // given
        final TopModel model = model(27, 1);
        final long running =
                model.nodes().stream().filter(node -> node.state() == NodeState.RUNNING).count();
        assertTrue(running > 0 && running < 27, () -> running + " run");

        // when
        final String title = TopView.draw(model, 120, 24, TopState.START).getFirst().text();

        // then
        assertTrue(title.contains("nodes running " + running + "/27"), title);
    }

    @Test
    void shouldSurviveScreensOfAnySize() {
        final TopModel model = model(27, 1);
        for (int height = 1; height < 8; height++) {
            for (int width = 1; width < 30; width++) {
                final TopState state = press(model, height, TopKey.DOWN, TopKey.OPEN, TopKey.LAST);
                final int limit = width;
                final List<ScreenLine> lines = TopView.draw(model, width, height, state);
                assertTrue(lines.size() <= height, () -> lines.toString());
                assertTrue(lines.stream().allMatch(line -> line.text().length() <= limit));
            }
        }
    }

    @Test
    void shouldKeepRowsThatAreEqualInTheirOrder() {
        // given: the fourth column is the same for all, the sixth for many
        final TopModel model = model(27, 5);
        final Table<NodeSample> table =
                new Table<>(
                        List.of(TopColumn.count("sent", node -> node.messages().sent())),
                        TopModel::key);

        // when
        final List<NodeSample> sorted = table.sorted(model.nodes(), new ListState("", 0, 0, false));
        final List<NodeSample> reversed =
                table.sorted(model.nodes(), new ListState("", 0, 0, true));

        // then
        for (int i = 1; i < sorted.size(); i++) {
            final NodeSample before = sorted.get(i - 1);
            final NodeSample after = sorted.get(i);
            assertTrue(before.messages().sent() >= after.messages().sent());
            if (before.messages().sent() == after.messages().sent()) {
                assertTrue(before.node() < after.node());
            }
            final NodeSample lower = reversed.get(i - 1);
            final NodeSample higher = reversed.get(i);
            assertTrue(lower.messages().sent() <= higher.messages().sent());
            if (lower.messages().sent() == higher.messages().sent()) {
                assertTrue(lower.node() < higher.node());
            }
        }
    }

    @Test
    void shouldSortByEachColumnInTurnAndShowIt() {
        final TopModel model = model(27, 9);
        TopState state = TopView.settle(model, 24, TopState.START);
        for (int column = 0; column < 16; column++) {
            state = TopView.press(model, 24, state, TopKey.SORT_RIGHT);
            final String heading = TopView.draw(model, 80, 24, state).get(2).text();
            assertTrue(heading.matches(".*[a-zA-Z/]v( .*|)"), column + ": " + heading);
        }
        state = TopView.press(model, 24, state, TopKey.SORT_RIGHT);
        assertEquals(-1, state.nodes().sortColumn());
    }

    @Test
    void shouldKeepTheSelectedNodeSelectedWhenTheOrderChanges() {
        // given
        final TopModel before = model(27, 2);
        final TopState state =
                press(before, 24, TopKey.DOWN, TopKey.DOWN, TopKey.SORT_LEFT, TopKey.SORT_LEFT);
        final String selected = state.nodes().selected();

        // when: other samples, other order
        final TopState after = TopView.settle(model(27, 3), 24, state);

        // then
        assertEquals("pacs 2", selected);
        assertEquals(selected, after.nodes().selected());
        checkScreen(model(27, 3), 80, 24, after);
    }

    @Test
    void shouldOpenANodeAndComeBackToIt() {
        // given
        final TopModel model = model(27, 4);

        // when
        final TopState open = press(model, 24, TopKey.LAST, TopKey.UP, TopKey.OPEN);

        // then
        final String text = text(model, 80, 24, open);
        assertTrue(text.startsWith("hxb top 12:34:56  links of node (1,2,2)  "), text);
        assertEquals(LINKS, text.lines().filter(line -> line.startsWith("(1,2,2) ")).count(), text);
        final TopState back = TopView.press(model, 24, open, TopKey.BACK);
        assertEquals("pacs 25", back.nodes().selected());
        assertTrue(
                text(model, 80, 24, back).contains("\n(1,2,2)  "), () -> text(model, 80, 24, back));
    }

    @Test
    void shouldShowTheLinksOfAllNodesAndScrollThem() {
        final TopModel model = model(27, 6);
        final TopState state = press(model, 24, TopKey.ALL_LINKS, TopKey.LAST);

        assertEquals("pacs 26 z.3", state.links().selected());
        assertEquals(27 * LINKS - 20, state.links().first());
        assertTrue(text(model, 80, 24, state).contains("\n(2,2,2) z.3  "));
    }

    @Test
    void shouldReturnToTheNodesWhenTheOpenOneIsGone() {
        final TopState open = press(model(8, 1), 24, TopKey.LAST, TopKey.OPEN);

        final TopState after = TopView.settle(model(3, 1), 24, open);

        assertEquals(TopState.View.NODES, after.view());
        checkScreen(model(3, 1), 80, 24, after);
    }

    @Test
    void shouldReportWhenNothingIsAsWanted() {
        final TopModel none = new TopModel("12:34:56", List.of());
        final TopState state = press(none, 24, TopKey.DOWN, TopKey.OPEN, TopKey.PAGE_DOWN);

        assertTrue(text(none, 80, 24, state).contains("no node or link is as wanted now"));
    }

    @Test
    void shouldShowWhatMattersFirstOnANarrowScreen() {
        final TopModel model = model(27, 7);
        final TopState state = TopView.settle(model, 24, TopState.START);

        final String narrow = text(model, 80, 24, state);
        final String wide = text(model, 200, 24, state);

        assertTrue(narrow.contains("node     state"), narrow);
        assertTrue(narrow.contains("links"), narrow);
        assertTrue(narrow.contains("out MB/s"), narrow);
        assertFalse(narrow.contains("cluster"), narrow);
        assertTrue(wide.contains("cluster"), wide);
        assertTrue(narrow.contains("? help"), narrow);
    }

    // The model with a virtual NIC in one of its nodes.
    private static TopModel withIp(final TopModel model, final int node) {
        final List<NodeSample> nodes = new ArrayList<>(model.nodes());
        final NodeSample old = nodes.get(node);
        final IpCounts counts =
                new IpCounts(
                        new IpCounts.Traffic(1_000, 2_000_000),
                        new IpCounts.Traffic(0, 0),
                        1,
                        5,
                        0,
                        Map.of("full", 3L));
        nodes.set(
                node,
                new NodeSample(
                        old.cluster(),
                        old.node(),
                        old.coordinates(),
                        old.state(),
                        old.silentMs(),
                        old.messages(),
                        old.frames(),
                        old.routes(),
                        old.links(),
                        Optional.of(
                                new IpSample(
                                        new IpSample.Traffic(100, 0.2),
                                        new IpSample.Traffic(0, 0),
                                        counts))));
        return new TopModel(model.clock(), nodes);
    }

    @Test
    void shouldShowTheVirtualNicOfTheSelectedNode() {
        // given
        final TopModel model = withIp(model(27, 4), 25);
        final String line =
                "(1,2,2) virtual NIC: in 100 packets/s, 0.20 MB/s; out 0 packets/s, 0.00 MB/s;"
                        + " marked 5, gaps 0, dropped full 3";

        // when
        final TopState first = TopView.settle(model, 24, TopState.START);
        final TopState selected = press(model, 24, TopKey.LAST, TopKey.UP);
        final TopState open = press(model, 24, TopKey.LAST, TopKey.UP, TopKey.OPEN);
        final TopState all = press(model, 24, TopKey.ALL_LINKS, TopKey.LAST);

        // then
        assertFalse(text(model, 200, 24, first).contains("virtual NIC"));
        assertEquals(line, text(model, 200, 24, selected).lines().toList().get(22));
        assertEquals(line, text(model, 200, 24, open).lines().toList().get(22));
        assertFalse(text(model, 200, 24, all).contains("virtual NIC"));
        checkScreen(model, 80, 24, first);
        checkScreen(model, 80, 8, TopView.settle(model, 8, selected));
        assertFalse(
                text(model, 200, 7, TopView.settle(model, 7, selected)).contains("virtual NIC"));
    }

    @Test
    void shouldDistinguishBadFromGood() {
        final TopModel model = model(27, 8);
        final List<ScreenLine> lines =
                TopView.draw(model, 80, 60, TopView.settle(model, 60, TopState.START));
        for (final ScreenLine line : lines.subList(3, 3 + 27)) {
            final ScreenLine.Span state = line.spans().get(1);
            assertEquals(
                    state.text().contains("running") ? TextStyle.GOOD : TextStyle.BAD,
                    state.tone());
        }
    }

    @Test
    void shouldNotLetNamesMoveTheCursor() {
        assertEquals("a?[2J?b", ScreenLine.printable("a\u001b[2J\nb"));
        assertEquals("???x", ScreenLine.printable("한국🙂x"));
    }

    @Test
    void shouldWriteNumbersInFivePlaces() {
        assertEquals("99999", TopColumn.compact(99_999));
        assertEquals("100k", TopColumn.compact(100_000));
        assertEquals("1.0M", TopColumn.compact(1_000_000));
        assertEquals("12.3M", TopColumn.compact(12_345_678));
        assertEquals("9223P", TopColumn.compact(Long.MAX_VALUE));
    }

    @Test
    void shouldUnderstandTheKeysOfTerminals() {
        assertEquals(TopKey.UP, TopKey.ofSequence("[A"));
        assertEquals(TopKey.DOWN, TopKey.ofSequence("OB"));
        assertEquals(TopKey.PAGE_DOWN, TopKey.ofSequence("[6~"));
        assertEquals(TopKey.BACK, TopKey.ofSequence(""));
        assertEquals(TopKey.NONE, TopKey.ofSequence("[1;5Q"));
        assertEquals(TopKey.OPEN, TopKey.of('\r'));
        assertEquals(TopKey.QUIT, TopKey.of('q'));
        assertEquals(TopKey.QUIT, TopKey.of(3));
        assertEquals(TopKey.QUIT, TopKey.of(-1));
        assertEquals(TopKey.NONE, TopKey.of('!'));
    }
}
