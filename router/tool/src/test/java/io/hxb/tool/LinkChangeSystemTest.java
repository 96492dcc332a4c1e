package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What a node logs of its own NICs. */
@Tag("system")
class LinkChangeSystemTest {
    @TempDir private Path folder;

    @Test
    void shouldLogOnceThatANicGoesDownAndOnceThatItIsBack() throws Exception {
        TestNamespaces.assumeRoot();
        // given: one node, whose neighbour does not run
        try (TestNamespaces namespaces = new TestNamespaces()) {
            final String here = namespaces.add("0");
            namespaces.veth(here, "n0", namespaces.add("1"), "n0", 1500);
            final String pattern = here.substring(0, here.length() - 1) + "{node}";
            final Path file =
                    Files.writeString(
                            folder.resolve("cluster.yaml"),
                            """
                            name: change
                            shape: 2
                            backend: raw
                            links:
                              x: [n0]
                            netns: %s
                            attach: {directory: %s, countersDirectory: %s}
                            """
                                    .formatted(pattern, folder, folder));
            try (HxbProcess node =
                    HxbProcess.start(folder, "node", "--config", file.toString(), "--node", "0")) {
                node.await("its NIC", () -> lines(node, "link up").size() == 1);
                // when
                TestNamespaces.ipIn(here, "link set n0 down");
                node.await("a line", () -> !lines(node, "link down").isEmpty());
                TestNamespaces.ipIn(here, "link set n0 up");
                node.await("another line", () -> lines(node, "link up").size() == 2);
                node.process().destroy();
                node.status();
                // then
                assertEquals(1, lines(node, "link down").size(), () -> text(node));
                assertEquals(3, lines(node, "(n0)").size(), () -> text(node));
            }
        }
    }

    private static List<String> lines(final HxbProcess node, final String words) {
        return text(node).lines().filter(line -> line.contains(words)).toList();
    }

    private static String text(final HxbProcess node) {
        return node.output() + node.errors();
    }
}
