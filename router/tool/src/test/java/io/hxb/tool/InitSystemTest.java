package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code hxb init} on machines that are namespaces joined by veth pairs, as by crossed cables.
 *
 * <pre>
 *   pc1 eth1 ==== eth1 pc2        pc1 eth1 ---- eth1 pc2
 *   pc1 eth2 ==== lan7 pc2            eth2           eth2
 *                                       |              |
 *                                     eth2           eth2
 *                                 pc3 eth1 ---- eth1 pc4
 * </pre>
 */
@Tag("system")
class InitSystemTest {
    @TempDir private Path folder;

    private HxbProcess init(final String namespace, final String name, final String... more)
            throws IOException {
        final List<String> arguments = new ArrayList<>(List.of("init", "--host", name));
        arguments.addAll(List.of("--out", file(name).toString()));
        arguments.addAll(List.of(more));
        return HxbProcess.start(
                folder,
                List.of("ip", "netns", "exec", namespace),
                arguments.toArray(String[]::new));
    }

    private Path file(final String name) {
        return folder.resolve(name + ".yaml");
    }

    @Test
    void shouldJoinTwoMachinesByTwoCrossedCables() throws Exception {
        TestNamespaces.assumeRoot();
        try (TestNamespaces namespaces = new TestNamespaces()) {
            // given
            final String one = namespaces.add("1");
            final String two = namespaces.add("2");
            namespaces.veth(one, "eth1", two, "eth1", 1500);
            namespaces.veth(one, "eth2", two, "lan7", 1500);
            // when
            try (HxbProcess first = init(one, "pc1", "--expect", "2", "--json");
                    HxbProcess second = init(two, "pc2", "--seconds", "600")) {
                // The second ends because the first has, and both know the same.
                assertEquals(ExitStatus.OK, first.status(), first::errors);
                assertEquals(ExitStatus.OK, second.status(), second::errors);
                // then
                assertEquals("2", first.json().get("shape"));
                assertEquals(List.of("pc1", "pc2"), first.json().get("machines"));
                assertTrue(second.output().contains("lan7 of pc2 hears eth2 of pc1"));
            }
            final ClusterConfig config = ClusterConfigYaml.read(file("pc1"));
            assertEquals("[eth1, eth2]", nics(config, 0));
            assertEquals("[eth1, lan7]", nics(config, 1));
            assertEquals(0L, config.hosts().get("pc1"));
            assertEquals(Files.readString(file("pc1")), Files.readString(file("pc2")));

            // and: nodes start from it, and later ones are notified of them
            final Path attached =
                    Files.writeString(
                            folder.resolve("attached.yaml"),
                            Files.readString(file("pc1"))
                                    + "attach: {directory: %s, countersDirectory: %s}%n"
                                            .formatted(folder, folder));
            try (HxbProcess node =
                    HxbProcess.start(
                            folder,
                            List.of("ip", "netns", "exec", one),
                            "node",
                            "--config",
                            attached.toString(),
                            "--node",
                            "0")) {
                node.await("the node", () -> node.output().contains("is up"));
                try (HxbProcess late = init(two, "late", "--seconds", "3")) {
                    assertEquals(ExitStatus.OK, late.status(), late::errors);
                    assertTrue(late.output().contains("on eth1: node 0 of cluster"), late::output);
                }
            }
            // and: a file that is there is not overwritten
            try (HxbProcess again = init(one, "pc1", "--seconds", "0.1")) {
                assertEquals(ExitStatus.USAGE, again.status());
                assertTrue(again.errors().contains("is there already"), again::errors);
            }
        }
    }

    private static String nics(final ClusterConfig config, final int node) {
        return config.links(node).stream().map(link -> link.nic()).toList().toString();
    }

    @Test
    void shouldFindMachinesBeyondItsOwnCables() throws Exception {
        TestNamespaces.assumeRoot();
        try (TestNamespaces namespaces = new TestNamespaces()) {
            // given: pc1 has no cable to pc4
            final List<String> pcs = new ArrayList<>();
            for (int i = 1; i <= 4; i++) {
                pcs.add(namespaces.add(Integer.toString(i)));
            }
            namespaces.veth(pcs.get(0), "eth1", pcs.get(1), "eth1", 1500);
            namespaces.veth(pcs.get(2), "eth1", pcs.get(3), "eth1", 1500);
            namespaces.veth(pcs.get(0), "eth2", pcs.get(2), "eth2", 1500);
            namespaces.veth(pcs.get(1), "eth2", pcs.get(3), "eth2", 1500);
            final List<HxbProcess> runs = new ArrayList<>();
            try {
                // when
                for (int i = 0; i < 4; i++) {
                    runs.add(init(pcs.get(i), "pc" + (i + 1), "--expect", "4"));
                }
                // then
                for (final HxbProcess run : runs) {
                    assertEquals(ExitStatus.OK, run.status(), run::errors);
                }
            } finally {
                runs.forEach(HxbProcess::close);
            }
            final ClusterConfig config = ClusterConfigYaml.read(file("pc1"));
            assertEquals("2x2", config.shape().toString());
            assertEquals(4, config.hosts().size());
            for (int i = 2; i <= 4; i++) {
                assertEquals(Files.readString(file("pc1")), Files.readString(file("pc" + i)));
            }
        }
    }

    @Test
    void shouldWriteATemplateWhenNobodyAnswers() throws Exception {
        TestNamespaces.assumeRoot();
        try (TestNamespaces namespaces = new TestNamespaces()) {
            // given
            final String one = namespaces.add("1");
            final String two = namespaces.add("2");
            namespaces.veth(one, "eth1", two, "eth1", 1500);
            // when
            try (HxbProcess alone = init(one, "pc1", "--seconds", "0.3")) {
                // then
                assertEquals(ExitStatus.OK, alone.status(), alone::errors);
                assertTrue(alone.output().contains("nobody answered"), alone::output);
            }
            assertEquals("[eth1]", nics(ClusterConfigYaml.read(file("pc1")), 0));
            try (HxbProcess wrong = init(one, "pc2", "--nics", "eth7")) {
                assertEquals(ExitStatus.USAGE, wrong.status());
                assertTrue(wrong.errors().contains("there are: eth1"), wrong::errors);
            }
            assertFalse(Files.exists(file("pc2")));
        }
    }
}
