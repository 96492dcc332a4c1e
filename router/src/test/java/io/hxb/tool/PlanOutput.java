package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.tool.report.Json;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What {@code hxb plan} said and how it ended, run within the test's process. Immutable.
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
}
