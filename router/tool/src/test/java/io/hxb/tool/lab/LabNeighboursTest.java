package io.hxb.tool.lab;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterType;
import io.hxb.counter.Counters;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.tool.report.ToolException;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A lab is up when all its nodes hear all their neighbours on every link. */
@Tag("unit")
class LabNeighboursTest {
    private static final long NO_TIME = 0;

    @TempDir private Path folder;

    private final List<Counters> nodes = new ArrayList<>();

    @AfterEach
    void close() {
        nodes.forEach(Counters::close);
    }

    private ClusterConfig start(final Shape shape) {
        return start(ClusterConfig.of("lab", shape, Backend.UDP, LinkPlan.udp(2, 2, 20_000)));
    }

    private ClusterConfig start(final ClusterConfig cluster) {
        final Shape shape = cluster.shape();
        final ClusterConfig config =
                cluster.withAttach(new AttachConfig(folder, folder, List.of(), List.of()));
        for (int node = 0; node < shape.nodeCount(); node++) {
            final List<CounterLabels.LinkLabel> links =
                    config.links(node).stream()
                            .map(
                                    link ->
                                            new CounterLabels.LinkLabel(
                                                    link.dimension(), link.number(), "nic"))
                            .toList();
            nodes.add(
                    Counters.create(
                            config.ownCountersPath(node),
                            new CounterLabels("lab", 1, node, node, shape.dimensions(), links),
                            1,
                            warning -> {}));
        }
        return config;
    }

    private void hear(final int node, final int link, final int neighbours) {
        final Counters counters = nodes.get(node);
        counters.ofLoop(0)
                .source(CounterType.LINK_NEIGHBOURS_NODES, link, () -> neighbours)
                .publish();
        counters.publish();
    }

    @Test
    void shouldNotBeUpWhileOneLinkOfOneNodeMissesANeighbour() {
        // given: links x.0, x.1, y.0 and y.1 of six nodes
        final Shape shape = Shape.of(3, 2);
        final ClusterConfig config = start(shape);
        for (int node = 0; node < shape.nodeCount(); node++) {
            for (int link = 0; link < 4; link++) {
                // when
                final ToolException early =
                        assertThrows(
                                ToolException.class, () -> LabNeighbours.await(config, NO_TIME));
                // then
                final String text = "node %d hears 0 of ".formatted(node);
                assertTrue(early.getMessage().contains(text), early::getMessage);
                hear(node, link, link < 2 ? 2 : 1);
            }
        }
        assertDoesNotThrow(() -> LabNeighbours.await(config, NO_TIME));
        // and when one is lost
        hear(4, 1, 1);
        final ToolException lost =
                assertThrows(ToolException.class, () -> LabNeighbours.await(config, NO_TIME));
        assertTrue(lost.getMessage().contains("node 4 hears 1 of 2 on x.1;"), lost::getMessage);
    }

    @Test
    void shouldNotBeUpWhileACableMissesItsOtherEnd() {
        // given: three nodes in a row, of which the one in the middle has two links
        final LabSpec spec =
                new LabSpec("lab", Shape.of(2), 1, Backend.RAW, 0, 9000)
                        .withCabling(LabCabling.of("chain:3", GraphSpec.parse("chain:3", 0), 1));
        final ClusterConfig config =
                start(
                        ClusterConfig.of(
                                "lab", spec.shape(), Backend.RAW, LabCluster.rawLinks(spec)));
        hear(0, 0, 1);
        hear(1, 0, 1);
        hear(2, 0, 1);
        // when
        final ToolException early =
                assertThrows(ToolException.class, () -> LabNeighbours.await(config, NO_TIME));
        // then
        assertTrue(early.getMessage().contains("node 1 hears 0 of 1 on x.1"), early::getMessage);
        assertTrue(early.getMessage().contains("--graph"), early::getMessage);
        hear(1, 1, 1);
        assertDoesNotThrow(() -> LabNeighbours.await(config, NO_TIME));
    }
}
