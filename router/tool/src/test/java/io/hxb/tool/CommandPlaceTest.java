package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import picocli.CommandLine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Where commands live: see the text of the package. */
@Tag("unit")
class CommandPlaceTest {
    /** The package of this name has how all commands report. */
    private static final Map<String, String> ELSEWHERE = Map.of("report", "bugreport");

    private static final Path SOURCES =
            Path.of(System.getProperty("hxb.root", ".."))
                    .resolve("router/tool/src/main/java/io/hxb/tool");

    @Test
    void shouldKeepEachCommandInThePackageOfItsFirstWord() {
        // when
        final List<String> misplaced = new ArrayList<>();
        Hxb.commandLine()
                .getSubcommands()
                .forEach((word, command) -> collect(word, command, misplaced));
        // then
        assertEquals(List.of(), misplaced);
    }

    private static void collect(
            final String word, final CommandLine command, final List<String> misplaced) {
        final Class<?> type = command.getCommandSpec().userObject().getClass();
        final String folder = ELSEWHERE.getOrDefault(word, word);
        final String home =
                Hxb.class.getPackageName()
                        + (Files.isDirectory(SOURCES.resolve(folder)) ? "." + folder : "");
        final String place = type.getPackageName();
        if (!place.equals(home) && !place.startsWith(home + ".")) {
            misplaced.add(type.getName() + " belongs to " + home);
        }
        command.getSubcommands().values().forEach(inner -> collect(word, inner, misplaced));
    }
}
