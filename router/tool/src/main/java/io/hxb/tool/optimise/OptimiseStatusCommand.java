package io.hxb.tool.optimise;

import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb optimise status}. Picocli makes it. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        header = "Show the state of the network that is optimised.",
        footer = {"", "Example: hxb optimise status --prometheus"})
final class OptimiseStatusCommand implements Callable<Integer> {
    @Mixin private OptimiseSocket socket;
    @Mixin private Output output;

    @Option(names = "--prometheus", description = "print metrics as Prometheus reads them")
    private boolean isPrometheus;

    /** Picocli makes it. */
    OptimiseStatusCommand() {}

    @Override
    @SuppressWarnings("unchecked") // Keys of JSON objects are strings.
    public Integer call() {
        if (isPrometheus && output.isJson()) {
            throw new UsageException("--prometheus and --json exclude each other");
        }
        if (isPrometheus) {
            output.text().print(socket.ask("GET", "/metrics"));
            return ExitStatus.OK;
        }
        final Map<String, Object> report =
                Json.parse(socket.ask("GET", "/v1/status"), Map.class, "status");
        output.text().print(OptimiseText.status(report));
        output.report(report);
        return ExitStatus.OK;
    }
}
