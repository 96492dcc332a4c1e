package io.hxb.tool.manage;

import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb manage start}. Picocli makes it. */
@Command(
        name = "start",
        mixinStandardHelpOptions = true,
        header = "Lets a stopped management server move pairs again.",
        footer = {"", "Example: hxb manage start"})
final class ManageStartCommand implements Callable<Integer> {
    @Mixin private ManageSocket socket;
    @Mixin private Output output;

    /** Picocli makes it. */
    ManageStartCommand() {}

    @Override
    @SuppressWarnings("unchecked") // Keys of JSON objects are strings.
    public Integer call() {
        final Map<String, Object> report =
                Json.parse(socket.ask("POST", "/v1/start"), Map.class, "start");
        output.text().print(ManageText.status(report));
        output.report(report);
        return ExitStatus.OK;
    }
}
