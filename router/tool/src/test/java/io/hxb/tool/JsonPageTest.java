package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import picocli.CommandLine;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The page of JSON objects; what other tests make commands print is looked up there, too. */
@Tag("unit")
class JsonPageTest {
    @TempDir private Path folder;

    private static void collect(final CommandLine command, final Set<String> found) {
        final var spec = command.getCommandSpec();
        if (!spec.usageMessage().hidden()) {
            if (spec.findOption("--json") != null) {
                found.add(spec.qualifiedName());
            }
            command.getSubcommands().values().forEach(inner -> collect(inner, found));
        }
    }

    @Test
    void shouldDescribeEveryCommandThatPrintsObjects() {
        // given: the objects of the simulator have a page of their own, and lab run those of others
        final Set<String> missing = new TreeSet<>();
        collect(Hxb.commandLine(), missing);
        missing.removeIf(name -> name.matches("hxb (sim .*|lab run|mpirun)"));
        // when
        missing.removeAll(JsonPage.headings());
        // then
        assertEquals(Set.of(), missing);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lab status", "doctor", "key generate FILE", "help ping"})
    void shouldDescribeTheKeysOf(final String command) {
        final String line = command.replace("FILE", folder.resolve("key").toString()) + " --json";

        final HxbOutput output = HxbOutput.of(line.split(" ", -1));

        assertTrue(output.text().startsWith("{"), output::errors);
    }

    @Test
    void shouldFindKeysThatAreNotThere() {
        final List<String> command = List.of("lab", "down", "--json");
        JsonPage.check(command, "{\"ok\":true,\"removed\":[\"a\"]}");

        for (final String wrong :
                List.of(
                        "{\"ok\":true,\"gone\":[]}",
                        "{\"ok\":1}",
                        "{\"ok\":true,\"removed\":{}}")) {
            assertThrows(AssertionError.class, () -> JsonPage.check(command, wrong), wrong);
        }
    }
}
