package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.config.yaml.ClusterConfigYaml;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The page about two hosts with two links shows a file that is right. */
@Tag("unit")
class Ri2nPageTest {
    private static final Path PAGE =
            Path.of(System.getProperty("hxb.root", ".."), "docs", "howto", "streams.md");
    private static final String FENCE = "   ```";

    @Test
    void shouldShowAClusterFileOfTwoHostsAndTwoLinks() throws IOException {
        // given
        final String page = Files.readString(PAGE);
        final int start = page.indexOf(FENCE + "yaml") + FENCE.length() + "yaml".length();
        final String yaml = page.substring(start, page.indexOf(FENCE, start)).stripIndent();
        // when
        final ClusterConfig config = ClusterConfigYaml.parse(yaml, "ri2n.yaml");
        // then
        assertEquals(2, config.shape().nodeCount());
        assertEquals(new LinkConfig(1, 0, 1, "", "10.2.0.1", 20_000), config.links(0).get(1));
        assertEquals(new LinkConfig(0, 0, 0, "", "10.1.0.2", 20_000), config.links(1).get(0));
    }
}
