package io.hxb.fabric.vlan.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.tree.DoubleStarTrees;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The table of what the texts say for each kind of frame, and the texts. */
@Tag("unit")
class PassedFramesTest {
    private static final Path PAGE =
            Path.of(System.getProperty("hxb.root", ".."), "docs/howto/switches.md");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final int FIRST_DIALECT = 2;

    /** Cells of the rows of the table whose heading begins so, without the heading. */
    private static List<List<String>> table(final String heading) throws IOException {
        final List<List<String>> rows = new ArrayList<>();
        boolean isIn = false;
        for (final String line : Files.readAllLines(PAGE)) {
            isIn = line.startsWith("|") && (isIn || line.startsWith(heading));
            if (isIn && !line.startsWith("| ---")) {
                final String[] cells = line.substring(1, line.lastIndexOf('|')).split("\\|", -1);
                rows.add(List.of(cells).stream().map(String::strip).toList());
            }
        }
        return rows;
    }

    private static String text(final Dialect dialect, final PlanKind kind) {
        final var graph =
                new SwitchGraphBuilder()
                        .addSwitches(4)
                        .addLink(0, 2)
                        .addLink(0, 3)
                        .addLink(1, 2)
                        .addLink(1, 3)
                        .addHosts(1)
                        .build();
        final var plan =
                new VlanPlanner(kind, 4, VlanIds.parse("2-5"), new BitSet(), "none")
                        .plan(graph, new DoubleStarTrees(1), "double-star");
        return dialect.full(SetupMaker.of(plan).getFirst());
    }

    @Test
    void shouldSayForEachKindOfFrameWhatTheTableHas() throws IOException {
        // given
        final List<List<String>> rows = table("| frame | kind |");
        final List<String> heading = rows.removeFirst();
        // when, then
        int snippets = 0;
        for (final List<String> row : rows) {
            assertEquals(heading.size(), row.size(), row::toString);
            final PlanKind kind = PlanKind.parse(row.get(1));
            for (int column = FIRST_DIALECT; column < row.size(); column++) {
                final Matcher matcher = QUOTED.matcher(row.get(column));
                while (matcher.find()) {
                    final String word = heading.get(column).replace("`", "");
                    final String text = text(Dialect.parse(word), kind);
                    assertTrue(
                            text.contains(matcher.group(1)),
                            () -> word + " does not say " + matcher.group(1) + ":\n" + text);
                    snippets++;
                }
            }
        }
        assertTrue(snippets > 40, "snippets: " + snippets);
    }

    @Test
    void shouldHaveAColumnForEachDialect() throws IOException {
        final String columns = table("| frame | kind |").getFirst().toString();
        final String texts = table("| dialect | a whole text").toString();
        for (final Dialect dialect : Dialect.all()) {
            final String word = "`" + dialect.word() + "`";
            assertTrue(columns.contains(word) || word.contains(":"), word);
            assertTrue(texts.contains(word), word);
        }
    }

    @Test
    void shouldNameTheReservedVids() throws IOException {
        final List<List<String>> rows = table("| dialect | VIDs |");
        rows.removeFirst();
        for (final Dialect dialect : Dialect.all()) {
            final String vids =
                    rows.stream()
                            .filter(row -> row.getFirst().contains("`" + dialect.word() + "`"))
                            .map(row -> row.get(1).replace(" ", ""))
                            .findAny()
                            .orElse("");
            assertEquals(VlanIds.ranges(dialect.reservedVids()), vids, dialect::word);
        }
    }
}
