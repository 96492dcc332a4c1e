package io.hxb.tool.optimise;

import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb optimise start}. Picocli makes it. */
@Command(
        name = "start",
        mixinStandardHelpOptions = true,
        header = "Let a stopped server move pairs again.",
        footer = {"", "Example: hxb optimise start"})
final class OptimiseStartCommand implements Callable<Integer> {
    @Mixin private OptimiseSocket socket;
    @Mixin private Output output;

    /** Picocli makes it. */
    OptimiseStartCommand() {}

    @Override
    @SuppressWarnings("unchecked") // Keys of JSON objects are strings.
    public Integer call() {
        final Map<String, Object> report =
                Json.parse(socket.ask("POST", "/v1/start"), Map.class, "start");
        output.text().print(OptimiseText.status(report));
        output.report(report);
        return ExitStatus.OK;
    }
}
