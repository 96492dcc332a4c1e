package io.hxb.tool.option;

import io.hxb.log.PrintableOutput;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.ResultStream;
import io.hxb.tool.report.ToolException;

import picocli.CommandLine.Option;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Where the results of a command go: text for people, or, with {@code --json}, one JSON object a
 * line and nothing else. Picocli fills it; owned by the thread that runs the command.
 */
public final class Output {
    private static final PrintStream NOWHERE =
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);

    @Option(
            names = "--json",
            description = "print JSON, one object a line, and nothing else on standard output")
    private boolean isJson;

    private PrintStream target;
    private PrintStream text;

    /** Picocli makes it. */
    public Output() {}

    /** True if a program reads the results. */
    public boolean isJson() {
        return isJson;
    }

    /**
     * Where text for people is printed, its control characters escaped; goes nowhere with {@code
     * --json}.
     *
     * @throws ToolException if something printed before could not be written: going on would be in
     *     vain.
     */
    public PrintStream text() {
        checkWritten();
        if (isJson) {
            return NOWHERE;
        }
        if (!System.out.equals(target)) {
            target = System.out;
            text = new PrintStream(new PrintableOutput(target), true, StandardCharsets.UTF_8);
        }
        return text;
    }

    /**
     * Prints one object in a line of its own, if {@code --json} was given.
     *
     * @param report has a Boolean {@code ok}; that of a command's last object is true exactly if
     *     its exit status will be 0, that of any other if what it reports went well.
     * @throws ToolException as {@link #text}.
     */
    public void report(final Map<String, Object> report) {
        if (!(report.get("ok") instanceof Boolean)) {
            throw new IllegalStateException("the report has no 'ok': " + report.keySet());
        }
        checkWritten();
        if (isJson) {
            System.out.println(Json.line(report));
        }
    }

    private static void checkWritten() {
        if (ResultStream.failure(System.out) != null) {
            throw new ToolException(ResultStream.complaint(System.out));
        }
    }
}
