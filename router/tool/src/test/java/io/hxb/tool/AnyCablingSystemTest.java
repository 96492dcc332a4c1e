package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.lab.LabCables;
import io.hxb.tool.lab.LabCabling;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.LabState;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Labs whose nodes are joined by single cables, from set-up to removal. */
@Tag("system")
class AnyCablingSystemTest {
    // A node that many programs have just left takes seconds to get its receive buffers back.
    private static final String LIMIT = "60s";

    @TempDir private static Path folder;

    private final String name = "c" + ProcessHandle.current().pid();

    @BeforeEach
    void needsRoot() {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");
    }

    @AfterEach
    void removesTheLab() throws Exception {
        try (HxbProcess down = run("lab", "down", "--all")) {
            down.status();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "full:3, bridge, 3, 6",
        "ring:4, direct, 4, 12",
        "chain:4, bridge, 3, 12",
        "star:5, direct, 4, 20"
    })
    void shouldLetAllNodesOfALabTalkAndLeaveNothingBehind(
            final String graph, final String wiring, final int cables, final int pairs)
            throws Exception {
        // given
        up("--graph", graph, "--wiring", wiring);
        final ClusterConfig config = ClusterConfigYaml.read(file());

        // then: a neighbour on each link
        final LabCabling cabling = spec().cabling().orElseThrow();
        assertEquals(cables, cabling.cables().size());
        int links = 0;
        for (int node = 0; node < cabling.nodeCount(); node++) {
            for (final LinkConfig link : config.links(node)) {
                assertEquals(1, neighbours(config, node, link.index()), node + " " + link.label());
                links++;
            }
        }
        assertEquals(2 * cables, links);

        // and: all reach all, those at the ends of a cable without a relay
        try (HxbProcess ping =
                run(
                        "ping",
                        "--all-pairs",
                        "--name",
                        name,
                        "--count",
                        "5",
                        "--flood",
                        "--timeout",
                        LIMIT,
                        "--json")) {
            assertEquals(ExitStatus.OK, ping.status(), () -> ping.output() + ping.errors());
            assertEquals(0, ping.json().get("lost"));
            assertEquals(pairs, ((List<?>) ping.json().get("trips")).size());
        }
        for (final LabCabling.Cable cable : cabling.cables()) {
            TestNamespaces.await(
                    "messages cross " + cable,
                    () -> relays(cable.first().node(), cable.second().node()) == 0);
        }

        // and: it is shown, and goes
        try (HxbProcess status = run("lab", "status")) {
            assertEquals(ExitStatus.OK, status.status(), status::errors);
            final String first = name + ": cables " + cabling.cables().getFirst();
            assertTrue(status.output().contains(first), status::output);
        }
        downWithoutATrace();
    }

    /** Frames that other nodes relayed while one node pinged another. */
    private int relays(final int from, final int to) {
        try (HxbProcess ping =
                run(
                        "ping",
                        Integer.toString(to),
                        "--node",
                        Integer.toString(from),
                        "--name",
                        name,
                        "--count",
                        "5",
                        "--flood",
                        "--timeout",
                        LIMIT,
                        "--json")) {
            assertEquals(ExitStatus.OK, ping.status(), () -> ping.output() + ping.errors());
            return ((Number) ping.json().get("relays")).intValue();
        } catch (final Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldUseEachOfTwoCablesBetweenTwoNodes() throws Exception {
        // given
        up("--graph", "full:2", "--parallel", "2", "--mtu", "1500");
        final LabSpec spec = spec();
        final ClusterConfig config = ClusterConfigYaml.read(file());
        final List<LabCabling.Cable> both = spec.cabling().orElseThrow().cables();
        assertEquals(2, both.size());

        for (int kept = 0; kept < 2; kept++) {
            // when the other one is pulled out
            final LabCabling.Cable other = both.get(1 - kept);
            new LabCables(spec).pull(other);
            final int link = other.first().link();
            TestNamespaces.await("the link is excluded", () -> !isUsed(config, 0, link));

            // then
            try (HxbProcess ping =
                    run("ping", "1", "--name", name, "--count", "20", "--flood", "--json")) {
                assertEquals(ExitStatus.OK, ping.status(), () -> ping.output() + ping.errors());
                assertEquals(0, ping.json().get("lost"));
            }
            new LabCables(spec).plug(other);
            TestNamespaces.await("the link is back", () -> isUsed(config, 0, link));
        }
        downWithoutATrace();
    }

    /** Whether frames go over a link. */
    private static boolean isUsed(final ClusterConfig config, final int node, final int link) {
        return counter(config, node, CounterType.LINK_UP_STATE, link) == 1
                && counter(config, node, CounterType.LINK_NEIGHBOURS_NODES, link) == 1
                && counter(config, node, CounterType.LINK_FAILED_NODES, link) == 0;
    }

    private static long neighbours(final ClusterConfig config, final int node, final int link) {
        return counter(config, node, CounterType.LINK_NEIGHBOURS_NODES, link);
    }

    private static long counter(
            final ClusterConfig config, final int node, final CounterType type, final int link) {
        try (CounterReader reader = CounterReader.open(config.countersPath(node))) {
            return reader.value(type, link);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void up(final String... options) throws Exception {
        final String[] command =
                Stream.concat(Stream.of("lab", "up", "--name", name, "--json"), Stream.of(options))
                        .toArray(String[]::new);
        try (HxbProcess up = HxbProcess.start(folder, command)) {
            assertEquals(ExitStatus.OK, up.status(), () -> up.output() + up.errors());
            assertEquals(true, up.json().get("ok"));
        }
    }

    private LabSpec spec() {
        final LabState lab = new LabRegistry(folder.resolve("run/labs")).require(name);
        return lab.spec();
    }

    private Path file() {
        return folder.resolve("run/labs/" + name + "/cluster.yaml");
    }

    private void downWithoutATrace() throws Exception {
        assertTrue(namespaces() > 2);
        try (HxbProcess down = run("lab", "down", "--name", name)) {
            assertEquals(ExitStatus.OK, down.status(), down::errors);
        }
        assertEquals(0, namespaces());
        assertFalse(Files.exists(folder.resolve("run/labs")), "files and logs of the lab");
    }

    private long namespaces() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/run/netns"))) {
            return files.map(file -> LabNames.labOf(file.getFileName().toString()))
                    .filter(lab -> lab.filter(name::equals).isPresent())
                    .count();
        }
    }

    private static HxbProcess run(final String... arguments) throws Exception {
        return HxbProcess.run(folder, arguments);
    }
}
