package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.tool.machine.Shell;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What shells complete. */
@Tag("unit")
class CompletionTest {
    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void shouldNameEveryCommand(final String shell) {
        final String text = Completion.of(shell);
        for (final String command : Hxb.commandLine().getSubcommands().keySet()) {
            assertTrue(text.contains(command), command);
        }
        assertTrue(text.contains("kernel-relay"), "an option of hxb lab up");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void shouldBeReadByItsShell(final String shell) throws IOException {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin", shell)),
                "skipped: " + shell + " is not installed");
        final Path file = Files.writeString(folder.resolve("hxb"), Completion.of(shell));
        final Shell.Outcome outcome = Shell.run("", List.of(shell, "-n", file.toString()));
        assertEquals(0, outcome.exitStatus(), outcome::output);
        assertEquals("", outcome.output());
    }

    @Test
    void shouldCompleteInBash() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "skipped: there is no bash");
        final Path file = Files.writeString(folder.resolve("hxb"), Completion.of("bash"));
        final String script =
                ". "
                        + file
                        + "; COMP_WORDS=(hxb lab st); COMP_CWORD=2; _complete_hxb;"
                        + " echo \"${COMPREPLY[*]}\"";
        assertEquals("status", Shell.run("", List.of("bash", "-c", script)).output().strip());
    }

    @Test
    void shouldRefuseOtherShells() {
        final var thrown =
                assertThrows(IllegalArgumentException.class, () -> Completion.of("tcsh"));
        assertEquals("the shell must be bash, zsh or fish: 'tcsh'", thrown.getMessage());
    }
}
