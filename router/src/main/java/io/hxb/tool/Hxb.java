package io.hxb.tool;

import io.hxb.config.ConfigException;
import io.hxb.tool.chaos.ChaosCommand;
import io.hxb.tool.plan.PlanCommand;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;
import io.hxb.tool.stream.CatCommand;

import picocli.CommandLine;
import picocli.CommandLine.Command;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * The command {@code hxb}. Exit status 0: fine, 1: failed, 2: wrong usage. Owned by the main
 * thread.
 */
@Command(
        name = "hxb",
        mixinStandardHelpOptions = true,
        version = "hxb 0.1.0",
        description = "A software hyper-crossbar: many Ethernet ports, one fast network.",
        footer = {
            "",
            "hxb sim simulates networks of switches, see hxb sim --help.",
            "Exit status: 0 fine, 1 failed, 2 wrong usage. With --json the last line of standard"
                    + " output is one",
            "JSON object. HXB_DEBUG=1 prints stack traces."
        },
        subcommands = {
            DemoCommand.class,
            LabCommand.class,
            NodeCommand.class,
            PingCommand.class,
            PerfCommand.class,
            CatCommand.class,
            StatCommand.class,
            TopCommand.class,
            DoctorCommand.class,
            PlanCommand.class,
            ChaosCommand.class
        })
public final class Hxb implements Runnable {
    /** Exit status of a command that did what it should. */
    public static final int OK = 0;

    /** Exit status of a command that failed. */
    public static final int FAILED = 1;

    /** Exit status of a command that was used wrongly. */
    public static final int USAGE = 2;

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    /** Picocli makes it. */
    Hxb() {}

    /** Runs a command and ends the process with its exit status. */
    public static void main(final String[] arguments) {
        int status = FAILED;
        setLogLevel(arguments);
        try {
            status = run(arguments, System.err);
        } catch (final Throwable e) {
            // Event-loop threads would otherwise keep a failed process alive.
            e.printStackTrace(System.err);
        }
        System.exit(status);
    }

    /** A service logs what a person acts on; other commands print results and only warn. */
    private static void setLogLevel(final String[] arguments) {
        final String level = "org.slf4j.simpleLogger.defaultLogLevel";
        if (System.getProperty(level) == null) {
            final boolean isService = arguments.length > 0 && arguments[0].equals("node");
            System.setProperty(level, isService ? "info" : "warn");
        }
    }

    /**
     * Runs a command.
     *
     * @param errors where messages go.
     * @return its exit status.
     */
    static int run(final String[] arguments, final PrintStream errors) {
        final CommandLine commandLine = new CommandLine(new Hxb());
        // Commands of modules that the node does without, such as sim.
        ServiceLoader.load(Extension.class).forEach(commandLine::addSubcommand);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setExecutionExceptionHandler(
                (thrown, command, parsed) ->
                        report(thrown, Arrays.asList(arguments).contains("--json"), errors));
        return commandLine.execute(arguments);
    }

    private static int report(
            final Exception thrown, final boolean isJson, final PrintStream errors) {
        final boolean isExpected =
                thrown instanceof ToolException
                        || thrown instanceof UsageException
                        || thrown instanceof ConfigException
                        || thrown instanceof IOException
                        || thrown instanceof UncheckedIOException
                        || thrown instanceof IllegalArgumentException;
        final String message = isExpected ? thrown.getMessage() : thrown.toString();
        errors.println("hxb: " + message);
        if (!isExpected || System.getenv("HXB_DEBUG") != null) {
            thrown.printStackTrace(errors);
        }
        if (isJson) {
            final Map<String, Object> failure = new LinkedHashMap<>();
            failure.put("ok", false);
            failure.put("error", String.valueOf(message));
            System.out.println(Json.line(failure));
        }
        return thrown instanceof UsageException ? USAGE : FAILED;
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                spec.commandLine(), "which command? See hxb --help");
    }
}
