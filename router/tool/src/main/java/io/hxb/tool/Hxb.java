package io.hxb.tool;

import io.hxb.log.Printable;
import io.hxb.tool.bugreport.ReportCommand;
import io.hxb.tool.capture.CaptureCommand;
import io.hxb.tool.cat.CatCommand;
import io.hxb.tool.chaos.ChaosCommand;
import io.hxb.tool.demo.DemoCommand;
import io.hxb.tool.doctor.DoctorCommand;
import io.hxb.tool.events.EventsCommand;
import io.hxb.tool.expose.ExposeCommand;
import io.hxb.tool.flows.FlowsCommand;
import io.hxb.tool.forward.ForwardCommand;
import io.hxb.tool.init.InitCommand;
import io.hxb.tool.ip.IpCommand;
import io.hxb.tool.key.KeyCommand;
import io.hxb.tool.lab.command.LabCommand;
import io.hxb.tool.manager.ManagerCommand;
import io.hxb.tool.map.MapCommand;
import io.hxb.tool.mpi.MpirunCommand;
import io.hxb.tool.optimise.OptimiseCommand;
import io.hxb.tool.option.MissingCommand;
import io.hxb.tool.perf.PerfCommand;
import io.hxb.tool.ping.PingCommand;
import io.hxb.tool.plan.PlanCommand;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.ResultStream;
import io.hxb.tool.route.RouteCommand;
import io.hxb.tool.sim.SimCommand;
import io.hxb.tool.socks.SocksCommand;
import io.hxb.tool.stat.StatCommand;
import io.hxb.tool.top.TopCommand;
import io.hxb.tool.trace.TraceCommand;
import io.hxb.tool.web.WebCommand;

import picocli.CommandLine;
import picocli.CommandLine.Command;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * The command {@code hxb}. Exit status 0: fine, 1: failed, 2: wrong usage. Owned by the main
 * thread.
 */
@Command(
        name = "hxb",
        mixinStandardHelpOptions = true,
        description = "A software hyper-crossbar: many Ethernet ports, one fast network.",
        footer = {
            "",
            "Exit status: 0 success, 1 failure, 2 wrong usage or a wrong cluster " + "file.",
            "TIME is seconds, or a number with a unit such as 100us, 20ms or 5s.",
            "With --json, standard output has one JSON object a line and nothing "
                    + "else; the 'ok' of the last one is true exactly if the exit status is "
                    + "0.",
            "HXB_DEBUG=1 prints stack traces."
        })
public final class Hxb implements Runnable {
    private static final String VERSION = "hxb 0.1.0";

    /** All commands, in the order of the help. */
    private static final List<Class<?>> COMMANDS =
            List.of(
                    DemoCommand.class,
                    LabCommand.class,
                    InitCommand.class,
                    KeyCommand.class,
                    NodeCommand.class,
                    ManagerCommand.class,
                    RouteCommand.class,
                    OptimiseCommand.class,
                    PingCommand.class,
                    TraceCommand.class,
                    PerfCommand.class,
                    CatCommand.class,
                    IpCommand.class,
                    ForwardCommand.class,
                    SocksCommand.class,
                    ExposeCommand.class,
                    MpirunCommand.class,
                    StatCommand.class,
                    MapCommand.class,
                    FlowsCommand.class,
                    TopCommand.class,
                    WebCommand.class,
                    CaptureCommand.class,
                    DoctorCommand.class,
                    EventsCommand.class,
                    ReportCommand.class,
                    PlanCommand.class,
                    ChaosCommand.class,
                    SimCommand.class,
                    HelpCommand.class);

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

    /** Picocli makes it. */
    Hxb() {}

    /** Runs a command and ends the process with its exit status. */
    public static void main(final String[] arguments) {
        setUpLog(arguments);
        System.setOut(ResultStream.ofProcess());
        Thread.setDefaultUncaughtExceptionHandler(Hxb::onThreadEnded);
        int status;
        try {
            status = run(arguments, System.err);
        } catch (final Throwable e) {
            status = new Failures(System.err).error(e, isJson(arguments));
        }
        // Event-loop threads would keep a failed process alive.
        System.exit(status);
    }

    private static boolean isJson(final String... arguments) {
        return Arrays.asList(arguments).contains("--json");
    }

    /** Says in one line what the JVM would print with a stack. */
    private static void onThreadEnded(final Thread thread, final Throwable thrown) {
        final String why =
                thrown instanceof final OutOfMemoryError memory
                        ? OutOfMemory.message(memory)
                        : thrown.toString();
        System.err.println(
                "hxb: the thread "
                        + thread.getName()
                        + " has ended: "
                        + Printable.message(why)
                        + (isTraced(thrown) ? "" : "; HXB_DEBUG=1 shows where"));
        if (isTraced(thrown)) {
            Failures.printTrace(thrown, System.err);
        }
    }

    // Where memory ran out is chance; where something else failed is what a report needs.
    private static boolean isTraced(final Throwable thrown) {
        return !(thrown instanceof OutOfMemoryError) || System.getenv("HXB_DEBUG") != null;
    }

    /** A service logs what a person acts on; other commands print results and only warn. */
    private static void setUpLog(final String[] arguments) {
        final boolean isService =
                arguments.length > 0 && List.of("node", "manager").contains(arguments[0]);
        logProperty("defaultLogLevel", isService ? "info" : "warn");
        logProperty("showDateTime", "true");
        logProperty("dateTimeFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX");
        logProperty("showThreadName", "false");
        logProperty("showLogName", "false");
        logProperty("showShortLogName", "true");
    }

    private static void logProperty(final String name, final String value) {
        final String key = "org.slf4j.simpleLogger." + name;
        if (System.getProperty(key) == null) {
            System.setProperty(key, value);
        }
    }

    /** All commands. */
    static CommandLine commandLine() {
        return commandLine("");
    }

    /**
     * The command of a name alone, so that it starts without reading the options of all others; all
     * commands if there is none of that name, or if its help lists the others.
     */
    private static CommandLine commandLine(final String name) {
        final CommandLine commandLine = new CommandLine(new Hxb());
        final List<Class<?>> named =
                COMMANDS.stream()
                        .filter(type -> type != HelpCommand.class)
                        .filter(type -> type.getAnnotation(Command.class).name().equals(name))
                        .toList();
        (named.isEmpty() ? COMMANDS : named).forEach(commandLine::addSubcommand);
        Usage.prepare(commandLine, VERSION);
        return commandLine.setCaseInsensitiveEnumValuesAllowed(true);
    }

    /**
     * Runs a command.
     *
     * @param errors where messages go.
     * @return its exit status.
     */
    static int run(final String[] arguments, final PrintStream errors) {
        final CommandLine commandLine = commandLine(arguments.length > 0 ? arguments[0] : "");
        commandLine.setErr(new PrintWriter(errors, true, StandardCharsets.UTF_8));
        final Failures failures = new Failures(errors);
        commandLine.setParameterExceptionHandler(failures);
        commandLine.setExecutionExceptionHandler(failures);
        int status;
        try {
            status = commandLine.execute(arguments);
        } catch (final OutOfMemoryError e) {
            status = failures.outOfMemory(e, isJson(arguments));
        }
        // A command that failed has printed why.
        return status != ExitStatus.OK || failures.isWritten(System.out)
                ? status
                : ExitStatus.FAILED;
    }

    @Override
    public void run() {
        throw MissingCommand.of(spec);
    }
}
