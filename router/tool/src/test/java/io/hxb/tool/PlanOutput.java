package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.SampleGraphs;
import io.hxb.tool.report.Json;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What {@code hxb plan} printed and how it ended, run within the test's process. Immutable.
 *
 * @param status its exit status.
 * @param text its standard output.
 * @param errors its messages.
 */
record PlanOutput(int status, String text, String errors) {
    /** Runs {@code hxb plan} with further arguments; nothing else may print meanwhile. */
    static PlanOutput of(final String... arguments) {
        final List<String> all = new ArrayList<>(List.of("plan"));
        all.addAll(List.of(arguments));
        final HxbOutput output = HxbOutput.of(all.toArray(String[]::new));
        return new PlanOutput(output.status(), output.text(), output.errors());
    }

    /** The only line as JSON. */
    @SuppressWarnings("unchecked")
    Map<String, Object> json() {
        assertEquals(1, text.lines().count(), text);
        return Json.parse(text, Map.class, "the output");
    }

    /** Runs it and checks how it ends and that its messages have the reason. */
    static void assertEnds(final int status, final String message, final String... arguments) {
        final PlanOutput output = of(arguments);
        assertEquals(status, output.status(), () -> output.text() + output.errors());
        assertTrue(output.errors().contains(message), output.errors());
    }

    /** Puts a graph of the samples into a folder, once; its path. */
    static String sample(final Path folder, final String name) throws IOException {
        final Path file = folder.resolve(name);
        return Files.exists(file) ? file.toString() : file(folder, name, SampleGraphs.text(name));
    }

    /** Writes a file into a folder; its path. */
    static String file(final Path folder, final String name, final String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }
}
