package io.hxb.tool.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Commands as they are printed. */
@Tag("unit")
class LaunchTest {
    @Test
    void shouldPrintWhatAShellRunsTheSameWay() throws Exception {
        final Launch launch =
                new Launch(
                        Path.of("sh"),
                        List.of("-c", "printf '%s|' \"$B\" \"$A\" \"$@\"", "x", "it's", ""),
                        Map.of("B", "{node} *", "A", "$HOME"));

        final Process shell = new ProcessBuilder("sh", "-c", launch.text()).start();

        assertEquals(
                "{node} *|$HOME|it's||",
                new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        assertEquals(0, shell.waitFor());
    }

    @Test
    void shouldPrintVariablesThatAShellExports() throws Exception {
        final Launch launch =
                new Launch(Path.of("sh"), List.of(), Map.of("B", "{node} *", "A", "it's $HOME"));

        final Process shell =
                new ProcessBuilder("sh", "-c", launch.exports() + "sh -c 'printf \"$A|$B\"'")
                        .start();

        assertEquals(
                "it's $HOME|{node} *",
                new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        assertEquals(0, shell.waitFor());
    }
}
