package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What {@code hxb ip} prints of a cluster file, without a node. */
@Tag("unit")
class IpCliTest {
    @TempDir private Path folder;

    private HxbOutput ip(final String section, final String... more) throws IOException {
        final Path file =
                Files.writeString(
                        folder.resolve("cluster.yaml"),
                        "name: ipcli\nshape: 2x2\nlinks: 1\nattach: {directory: "
                                + folder
                                + ", countersDirectory: "
                                + folder
                                + "}\nip: "
                                + section
                                + "\n");
        final List<String> arguments = new ArrayList<>(List.of("ip", "--no-probe", "--node", "0"));
        arguments.addAll(List.of("--config", file.toString()));
        arguments.addAll(List.of(more));
        return HxbOutput.of(arguments.toArray(String[]::new));
    }

    @Test
    void shouldListRoutesWithTheAddressesOfTheirGateways() throws IOException {
        // given
        final String section =
                "{prefix: [10.77.0.0/16, 'fd68:7862::/64'],"
                        + " routes: [10.9.0.0/24 via 3, 'fd09::/64 via 1']}";
        // when
        final HxbOutput text = ip(section);
        final HxbOutput json = ip(section, "--json");
        // then
        assertEquals(ExitStatus.OK, text.status(), text.errors());
        assertTrue(text.text().contains("route 10.9.0.0/24 via 3 (10.77.0.4)"), text.text());
        assertTrue(text.text().contains("route fd09::/64 via 1 (fd68:7862::2)"), text.text());
        assertTrue(json.text().replace(" ", "").contains("\"gateway\":\"10.77.0.4\""), json.text());
    }

    @Test
    void shouldListNoRoutesWhereThereAreNone() throws IOException {
        assertFalse(ip("{prefix: 10.77.0.0/16}").text().contains("route"));
        assertFalse(ip("{prefix: 10.77.0.0/16}", "--json").text().contains("route"));
    }
}
