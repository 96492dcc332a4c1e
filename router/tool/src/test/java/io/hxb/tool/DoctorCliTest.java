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
import java.util.List;

/** What {@code hxb doctor} reports of a cluster file with tenants. */
@Tag("unit")
class DoctorCliTest {
    private static final String TENANTS =
            """
            tenants:
              physics: {uids: 1000-1999}
              biology: {uids: 2000-2999, talksTo: physics}
            """;

    @TempDir private Path folder;

    private Path file(final String end) throws IOException {
        return Files.writeString(
                folder.resolve("cluster.yaml"),
                "name: doc\nshape: 2\nbackend: udp\nlinks: {x: 1}\nattach: {directory: "
                        + folder
                        + ", countersDirectory: "
                        + folder
                        + "}\n"
                        + end);
    }

    private static HxbOutput doctor(final Path file) {
        return HxbOutput.of("doctor", "--config", file.toString(), "--node", "0");
    }

    private static List<String> findings(final HxbOutput output, final String what) {
        return output.text()
                .lines()
                .map(String::strip)
                .filter(line -> line.contains(what))
                .toList();
    }

    @Test
    void shouldWarnOfTenantsWhoCanReadEachOthersMessages() throws IOException {
        // when
        final HxbOutput shared = doctor(file(TENANTS));
        // then
        final String warning = String.join("\n", findings(shared, "tenants"));
        assertTrue(warning.startsWith("WARN  tenants: "), shared.text());
        assertTrue(shared.text().contains("context.isolation: copy"), shared.text());
        // and: not where there is nothing to warn of
        for (final String end :
                List.of(TENANTS + "context: {isolation: copy}\n", "context: {maxContexts: 8}\n")) {
            final HxbOutput fine = doctor(file(end));
            assertEquals(List.of(), findings(fine, "tenants"), fine.text());
            assertEquals(shared.status(), fine.status(), "a warning is no failure");
        }
    }

    @Test
    void shouldNameTheLinesOfTenantsThatAreWrong() throws IOException {
        // given
        final Path file =
                file(
                        """
                        tenants:
                          physics: {uids: 1000-1999, talksTo: chemistry}
                          biology: {uids: 1500-2999}
                          node: {uids: 5}
                          botany: {uids: nobody-knows-her, contexts: 0-3}
                          geology: {gids: 9-2}
                          zoology: {uidss: 7}
                        """);
        // when
        final HxbOutput output = doctor(file);
        // then
        assertEquals(ExitStatus.FAILED, output.status(), output.text());
        final int first = 7;
        assertFailure(output, file, first, "chemistry");
        assertFailure(output, file, first + 1, "1500-2999");
        assertFailure(output, file, first + 2, "node");
        assertFailure(output, file, first + 3, "nobody-knows-her");
        assertFailure(output, file, first + 3, "0-3");
        assertFailure(output, file, first + 4, "9-2");
        assertFailure(output, file, first + 5, "uidss");
        assertFalse(output.text().contains("Exception"), output.text());
    }

    private static void assertFailure(
            final HxbOutput output, final Path file, final int line, final String what) {
        final List<String> found = findings(output, file + ":" + line + ":");
        assertTrue(
                found.stream().anyMatch(text -> text.startsWith("FAIL") && text.contains(what)),
                what + " in line " + line + " of\n" + output.text());
    }

    @Test
    void shouldReportWhereASectionOfTenantsIsNone() throws IOException {
        for (final String section : List.of("tenants: [physics]\n", "tenants: physics\n")) {
            final HxbOutput output = doctor(file(section));
            assertEquals(ExitStatus.FAILED, output.status(), output.text());
            assertTrue(output.text().contains("cluster.yaml:6: "), output.text());
        }
    }
}
