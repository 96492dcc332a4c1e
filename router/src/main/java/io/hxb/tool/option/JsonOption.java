package io.hxb.tool.option;

import io.hxb.tool.report.Json;

import picocli.CommandLine.Option;

import java.util.Map;

/** The option {@code --json} of everything that reports. Picocli fills it. */
public final class JsonOption {
    @Option(names = "--json", description = "the last line of output is one JSON object")
    private boolean isJson;

    /** Picocli makes it. */
    public JsonOption() {}

    /** Prints the report as the last line, when asked for. */
    public void print(final Map<String, Object> report) {
        if (isJson) {
            System.out.println(Json.line(report));
        }
    }
}
