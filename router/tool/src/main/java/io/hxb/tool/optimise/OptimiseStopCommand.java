package io.hxb.tool.optimise;

import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb optimise stop}. Picocli makes it. */
@Command(
        name = "stop",
        mixinStandardHelpOptions = true,
        header = "Stop moving pairs, and undo what was moved.",
        footer = {"", "Example: hxb optimise stop --keep"})
final class OptimiseStopCommand implements Callable<Integer> {
    @Mixin private OptimiseSocket socket;
    @Mixin private Output output;

    @Option(names = "--keep", description = "leave what was moved")
    private boolean isKept;

    /** Picocli makes it. */
    OptimiseStopCommand() {}

    @Override
    @SuppressWarnings("unchecked") // Keys of JSON objects are strings.
    public Integer call() {
        final Map<String, Object> report =
                Json.parse(
                        socket.ask("POST", isKept ? "/v1/stop?freeze" : "/v1/stop"),
                        Map.class,
                        "stop");
        output.text().print(OptimiseText.status(report));
        output.report(report);
        return ExitStatus.OK;
    }
}
