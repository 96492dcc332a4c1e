package io.hxb.tool.option;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeState;
import io.hxb.tool.report.UsageException;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import picocli.CommandLine;

import java.util.List;
import java.util.Map;
import java.util.Optional;

@Tag("unit")
class SelectionTest {
    private static final List<NodeSample> NODES =
            List.of(
                    node(0, "0,0", NodeState.RUNNING, LinkCondition.GOOD, LinkCondition.GOOD),
                    node(1, "1,0", NodeState.RUNNING, LinkCondition.FAILED, LinkCondition.GOOD),
                    node(2, "0,1", NodeState.DEAD, LinkCondition.GOOD, LinkCondition.WEAK),
                    node(3, "1,1", NodeState.RUNNING, LinkCondition.DOWN, LinkCondition.GOOD));

    private static final NodeNames NAMES =
            new NodeNames(
                    ClusterConfig.of(
                                    "pacs", Shape.of(2, 2), Backend.UDP, LinkPlan.udp(2, 1, 20_000))
                            .withHosts(Map.of("pc-b", 0x0001L)));

    private static NodeSample node(
            final int id,
            final String coordinates,
            final NodeState state,
            final LinkCondition first,
            final LinkCondition second) {
        return new NodeSample(
                "pacs",
                id,
                coordinates,
                state,
                0,
                new NodeSample.Messages(0, 0),
                new NodeSample.Frames(0, 0, 0),
                new NodeSample.Routes(0, 0, 0),
                List.of(link("x.0", first), link("y.1", second)),
                Optional.empty());
    }

    private static LinkSample link(final String label, final LinkCondition condition) {
        final LinkSample.Traffic none = new LinkSample.Traffic(0, 0);
        return new LinkSample(label, "eth0", condition, 0, 100, none, none, 0, 0, "");
    }

    private static Selection parse(final String... arguments) {
        return CommandLine.populateCommand(new Selection(), arguments);
    }

    /** Nodes with their links: {@code 0,0 x.0 y.1}. */
    private static List<String> wanted(final String... arguments) {
        final Selection selection = parse(arguments);
        selection.check();
        selection.check(NODES);
        return NODES.stream()
                .flatMap(node -> selection.of(node).stream())
                .map(
                        node ->
                                node.coordinates()
                                        + " "
                                        + String.join(
                                                " ",
                                                node.links().stream()
                                                        .map(LinkSample::label)
                                                        .toList()))
                .toList();
    }

    @Test
    void shouldTakeNodesByIdAndByCoordinates() {
        assertEquals(4, wanted().size());
        assertEquals(List.of("1,0 x.0 y.1"), wanted("--node", "1"));
        assertEquals(List.of("0,1 x.0 y.1", "1,1 x.0 y.1"), wanted("--node", "0,1", "--node", "3"));
        assertEquals(List.of("1,0 x.0 y.1", "1,1 x.0 y.1"), wanted("--node", "1,*"));
    }

    @Test
    void shouldTakeNodesByName() {
        // given
        final Selection selection = parse("--node", "PC-B", "--node", "node3", "--node", "*,1");
        selection.check();
        // when
        selection.resolve(NAMES);
        // then
        selection.check(NODES);
        assertEquals(
                List.of(1, 2, 3),
                NODES.stream()
                        .filter(node -> selection.of(node).isPresent())
                        .map(NodeSample::node)
                        .toList());
        final UsageException thrown =
                assertThrows(UsageException.class, () -> parse("--node", "pc-z").resolve(NAMES));
        assertTrue(thrown.getMessage().startsWith("--node: no node"), thrown::getMessage);
    }

    @Test
    void shouldTakeLinksByPattern() {
        assertEquals(List.of("0,0 x.0"), wanted("--node", "0,0", "--link", "x.0"));
        assertEquals(List.of("0,0 x.0"), wanted("--node", "0,0", "--link", "x.*"));
        assertEquals(List.of("0,0 y.1"), wanted("--node", "0,0", "--link", "*.1"));
        assertEquals(List.of("0,0 x.0 y.1"), wanted("--node", "0,0", "--link", "x.0,y.1"));
    }

    @Test
    void shouldTakeLinksAndNodesByState() {
        assertEquals(List.of("1,0 x.0"), wanted("--state", "failed"));
        assertEquals(List.of("0,1 y.1", "1,1 x.0"), wanted("--state", "weak,down"));
        assertEquals(List.of("0,1 x.0 y.1"), wanted("--state", "dead"));
        assertEquals(List.of("0,1 y.1"), wanted("--state", "dead,weak"));
        assertEquals(List.of(), wanted("--state", "alone"));
    }

    @Test
    void shouldNameWhatIsNotThere() {
        for (final String[] arguments :
                new String[][] {
                    {"--node", "7"},
                    {"--node", "4,4"},
                    {"--node", "one"},
                    {"--link", "x.7"},
                    {"--link", "first"},
                    {"--state", "fine"}
                }) {
            final UsageException thrown =
                    assertThrows(UsageException.class, () -> wanted(arguments));
            assertTrue(thrown.getMessage().contains(arguments[0]), thrown::getMessage);
            assertTrue(thrown.getMessage().contains(arguments[1]), thrown::getMessage);
        }
        assertDoesNotThrow(() -> parse().check());
    }

    @Test
    void shouldJudgeLinks() {
        assertEquals(LinkCondition.DOWN, LinkCondition.of(false, 2, 1, 100));
        assertEquals(LinkCondition.FAILED, LinkCondition.of(true, 2, 1, 50));
        assertEquals(LinkCondition.ALONE, LinkCondition.of(true, 0, 0, 0));
        assertEquals(LinkCondition.WEAK, LinkCondition.of(true, 2, 0, 99));
        assertEquals(LinkCondition.GOOD, LinkCondition.of(true, 2, 0, 100));
        assertEquals("failed to 2", LinkCondition.FAILED.text(2));
        assertEquals(LinkCondition.WEAK, LinkCondition.WEAK.at(NodeState.RUNNING));
        assertEquals(LinkCondition.UNKNOWN, LinkCondition.GOOD.at(NodeState.DEAD));
        assertEquals(LinkCondition.UNKNOWN, LinkCondition.GOOD.at(NodeState.STOPPED));
        assertEquals("good", LinkCondition.GOOD.text(0));
    }
}
