package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.tool.lab.Privileges;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Map;

/** The main job, as a user starts it, with smaller files. */
@Tag("system")
class DemoSystemTest {
    @TempDir private Path folder;

    @Test
    void shouldDeliverEveryFileOverUdp() throws Exception {
        assertDemo("udp");
    }

    @Test
    void shouldDeliverEveryFileOverNicsInNamespaces() throws Exception {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");

        assertDemo("raw");
    }

    private void assertDemo(final String backend) throws Exception {
        try (HxbProcess hxb =
                HxbProcess.start(
                        folder, "demo", "--backend", backend, "--file-size", "200000", "--json")) {
            // when
            final int status = hxb.status();

            // then: 8 nodes, 56 pairs, on 1, 2 and 3 dimensions
            assertEquals(Hxb.OK, status, () -> hxb.output() + hxb.errors());
            assertEquals("", hxb.errors());
            final Map<?, ?> report = hxb.json();
            assertEquals(true, report.get("ok"));
            assertEquals(8, report.get("nodes"));
            assertEquals(56, report.get("pairs"));
            assertEquals(56, report.get("files_intact"));
            assertEquals(0, report.get("lost"));
            assertTrue((int) report.get("relays") > 0, report::toString);
            assertTrue(hxb.output().contains("56 of 56 files arrived intact"), hxb::output);
        }
    }
}
