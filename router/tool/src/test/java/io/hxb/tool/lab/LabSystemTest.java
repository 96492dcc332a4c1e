package io.hxb.tool.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.Backend;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.nic.NicFeature;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Labs of real namespaces; needs root. */
@Tag("system")
class LabSystemTest {
    @TempDir private Path folder;

    private final String name = "t" + ProcessHandle.current().pid();

    @BeforeEach
    void needsRoot() {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");
    }

    @Test
    void shouldMakeAndRemoveEveryNamespaceOfALab() {
        // given
        final LabRegistry registry = new LabRegistry(folder);
        final LabSpec spec =
                new LabSpec(name, Shape.of(3, 2), 2, Backend.RAW, 1_000_000_000L, 9000);

        // when
        final List<String> during;
        final String links;
        final String shapers;
        try (Lab lab = Lab.up(registry, spec)) {
            during = own();
            links =
                    Shell.check(
                            "",
                            List.of(
                                    "ip",
                                    "-n",
                                    LabNames.namespace(lab.spec().name(), 5),
                                    "-br",
                                    "link"));
            shapers =
                    Shell.check(
                            "",
                            List.of("tc", "-n", LabNames.namespace(lab.spec().name(), 5), "qdisc"));
        }

        // then
        assertEquals(7, during.size(), during::toString);
        for (final String nic : List.of("x0", "x1", "y0", "y1")) {
            assertTrue(links.lines().anyMatch(line -> line.startsWith(nic + "@")), links);
            assertTrue(shapers.contains("dev " + nic + " root"), shapers);
        }
        assertEquals(List.of(), own());
        assertEquals(List.of(), registry.list());
        assertFalse(Files.exists(registry.folder(name)));
    }

    @Test
    void shouldMakeWiresThatCutTrainsAndPaceFrames() throws IOException {
        // given
        final LabRegistry registry = new LabRegistry(folder);
        final LabSpec whole = new LabSpec(name, Shape.of(2), 1, Backend.RAW, 1_000_000_000L, 1500);

        try (Lab lab = Lab.up(registry, whole)) {
            // then
            assertTrue(isOn(lab, NicFeature.GSO));
        }
        try (Lab lab = Lab.up(registry, whole.withWire(LabWire.PACED))) {
            // then: two frames with their Ethernet headers, as exactly as the kernel counts
            assertFalse(isOn(lab, NicFeature.GSO));
            assertTrue(isOn(lab, NicFeature.GRO));
            final String qdisc =
                    Shell.check("", List.of("tc", "-n", LabNames.namespace(name, 1), "qdisc"));
            assertTrue(qdisc.matches("(?s).*tbf .* burst (2[89]|30)\\d\\db .*"), qdisc);
        }
    }

    private static boolean isOn(final Lab lab, final NicFeature feature) throws IOException {
        return NetworkNamespace.run(
                LabNames.namespace(lab.spec().name(), 1), () -> feature.isOn("x0"));
    }

    @Test
    void shouldRefuseASecondLabOfTheSameName() {
        // given
        final LabRegistry registry = new LabRegistry(folder);
        final LabSpec spec = new LabSpec(name, Shape.of(2), 1, Backend.RAW, 0, 1500);

        try (Lab lab = Lab.up(registry, spec)) {
            // when
            final ToolException thrown =
                    assertThrows(ToolException.class, () -> Lab.up(registry, lab.spec()));

            // then
            assertTrue(thrown.getMessage().contains("is up already"), thrown.getMessage());
            assertEquals(3, own().size());
        }
    }

    @Test
    void shouldReplaceTheStaleLabOfACrashedOwner() throws Exception {
        // given: a lab whose owner, another process, has died
        final LabRegistry registry = new LabRegistry(folder);
        final LabSpec spec = new LabSpec(name, Shape.of(2, 2), 1, Backend.RAW, 0, 1500);
        final Process owner = new ProcessBuilder("sleep", "1000").start();
        Lab.up(registry, spec);
        registry.write(LabState.of(spec).withOwner(owner.toHandle()));
        assertFalse(registry.stale().contains(name));
        owner.destroyForcibly().waitFor();
        assertTrue(registry.stale().contains(name));

        // when
        final List<String> during;
        try (Lab lab = Lab.up(registry, new LabSpec(name, Shape.of(2), 1, Backend.RAW, 0, 1500))) {
            assertEquals(2, lab.spec().shape().nodeCount());
            during = own();
        }

        // then
        assertEquals(3, during.size(), during::toString);
        assertEquals(List.of(), own());
    }

    @Test
    void shouldLeaveTheLabsOfOtherFoldersAlone() throws Exception {
        // given: a lab that another registry knows, of a process that lives
        final LabRegistry registry = new LabRegistry(folder.resolve("one"));
        final LabRegistry other = new LabRegistry(folder.resolve("two"));
        final LabSpec spec = new LabSpec(name, Shape.of(2), 1, Backend.RAW, 0, 1500);
        try (Lab lab = Lab.up(registry, spec)) {
            // when, then
            assertFalse(other.stale().contains(lab.spec().name()));
            assertThrows(ToolException.class, () -> Lab.up(other, spec));
            assertEquals(3, own().size());

            // and: its owner has died, and its state is lost
            final String switches = LabNames.switchNamespace(name);
            Shell.check("", List.of("ip", "-n", switches, "link", "set", "lo", "alias", "hxb:1:1"));
            assertTrue(other.stale().contains(name));
        }
    }

    @Test
    void shouldJoinNicsWithoutBridges() {
        // given
        final LabRegistry registry = new LabRegistry(folder);
        final LabSpec spec =
                new LabSpec(name, Shape.of(2, 2), 1, Backend.RAW, 0, 9000)
                        .withWiring(Wiring.DIRECT);

        // when
        final String ends;
        final LabState state;
        try (Lab lab = Lab.up(registry, spec)) {
            final String node = LabNames.namespace(lab.spec().name(), 3);
            ends = Shell.check("", List.of("ip", "-n", node, "-o", "link", "show", "up"));
            state = registry.require(name);
        }

        // then
        assertEquals(spec, state.spec());
        for (final String nic : List.of("x0", "y0")) {
            assertTrue(ends.lines().anyMatch(line -> line.contains(nic + "@")), ends);
            assertTrue(ends.contains("state UP"), ends);
        }
        assertEquals(List.of(), own());
    }

    @Test
    void shouldFindNamespacesWhoseStateFileWasLost() {
        // given
        final LabRegistry registry = new LabRegistry(folder);
        Shell.check("", List.of("ip", "netns", "add", LabNames.namespace(name, 3)));

        // when
        final List<String> stale = registry.stale();
        registry.remove(name);

        // then
        assertTrue(stale.contains(name), stale::toString);
        assertEquals(List.of(), own());
    }

    private List<String> own() {
        return LabRegistry.namespaces().stream()
                .filter(namespace -> LabNames.labOf(namespace).filter(name::equals).isPresent())
                .toList();
    }
}
