package io.hxb.tool.optimise;

import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb optimise explain}. Picocli makes it. */
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        header = "Explain which pairs were moved, and why no others are.",
        footer = {"", "Example: hxb optimise explain"})
final class OptimiseExplainCommand implements Callable<Integer> {
    @Mixin private OptimiseSocket socket;
    @Mixin private Output output;

    /** Picocli makes it. */
    OptimiseExplainCommand() {}

    @Override
    @SuppressWarnings("unchecked") // Keys of JSON objects are strings.
    public Integer call() {
        final Map<String, Object> report =
                Json.parse(socket.ask("GET", "/v1/explain"), Map.class, "explain");
        output.text().print(OptimiseText.changes(report));
        output.report(report);
        return ExitStatus.OK;
    }
}
