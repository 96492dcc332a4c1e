package io.hxb.tool.lab.command;

import io.hxb.tool.lab.LabAdvice;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.LabState;
import io.hxb.tool.lab.NodeProcesses;
import io.hxb.tool.lab.switches.SwitchLabOptions;
import io.hxb.tool.option.CaptureOption;
import io.hxb.tool.option.IpOption;
import io.hxb.tool.option.LabOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.PatienceOption;
import io.hxb.tool.option.WaitOptions;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** {@code hxb lab up}: makes a lab that stays. Picocli makes it. */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        header = "Make a lab that stays until 'hxb lab down'.",
        description = "Make a lab and start its nodes; both stay until 'hxb lab down'.")
final class LabUpCommand implements Callable<Integer> {
    private static final long READY_NS = 90_000_000_000L;
    private static final long LOOK_NS = 20_000_000;

    @CommandLine.Spec private CommandLine.Model.CommandSpec command;
    @Mixin private LabOptions options;
    @Mixin private SwitchLabOptions switches;

    // These are passed on to the lab's owner as they were given.
    @Mixin private WaitOptions waiting;
    @Mixin private PatienceOption patience;
    @Mixin private IpOption ip;

    @SuppressWarnings("unused")
    @Mixin
    private CaptureOption capture;

    @Mixin private Output output;

    @Option(names = "--processes", description = "run each node in a process of its own")
    private boolean isProcesses;

    /** Picocli makes it. */
    LabUpCommand() {}

    @Override
    public Integer call() throws IOException {
        final boolean hasSwitches = switches.isGiven();
        if (hasSwitches && patience.isPatient()) {
            throw new UsageException("--patient is for nodes, and a lab of switches has none");
        }
        if (hasSwitches && ip.isGiven()) {
            throw new UsageException("--ip is for nodes, and a lab of switches has none");
        }
        final LabSpec spec = hasSwitches ? switches.spec(options).lab() : options.spec();
        final LabRegistry registry = LabRegistry.ofUser();
        if (registry.find(spec.name()).filter(LabState::isOwnerAlive).isPresent()) {
            throw new ToolException(
                    "the lab '"
                            + spec.name()
                            + "' is up already: choose another --name, or run: hxb lab down --name "
                            + spec.name());
        }
        if (!hasSwitches) {
            ip.check(spec);
            waiting.warnOfCrowding(spec.shape().nodeCount(), isProcesses);
        }
        final Path log = registry.log(spec.name());
        final Process host = startHost(log);
        final LabState state = await(registry, spec, host, log);
        output.text()
                .printf(
                        "lab %s is up: %s; files in %s%n",
                        spec.name(),
                        hasSwitches
                                ? "%d hosts, switches %s"
                                        .formatted(spec.shape().nodeCount(), state.network())
                                : spec.text() + ", " + state.backend(),
                        registry.folder(spec.name()));
        output.text().println("try:");
        LabAdvice.commands(state, LabAdvice.program())
                .forEach(command -> output.text().println("  " + command));
        if (ip.isGiven()) {
            output.text().println("  " + LabAdvice.ping(spec, LabAdvice.program(), ip.address(1)));
        }
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("lab", state);
        output.report(report);
        return ExitStatus.OK;
    }

    /** Starts the owner of the lab in a session of its own, with the same options. */
    private Process startHost(final Path log) throws IOException {
        final List<String> arguments = new ArrayList<>(List.of("lab", "host"));
        command.commandLine().getParseResult().originalArgs().stream()
                .skip(indexOfOptions())
                .filter(argument -> !argument.equals("--json"))
                .forEach(arguments::add);
        final List<String> self = new ArrayList<>();
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            self.add("/usr/bin/setsid");
        }
        self.addAll(NodeProcesses.selfWithLoops(arguments.toArray(String[]::new)));
        return new ProcessBuilder(self)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .redirectInput(new File("/dev/null"))
                .start();
    }

    private int indexOfOptions() {
        return command.commandLine().getParseResult().originalArgs().indexOf("up") + 1;
    }

    private static LabState await(
            final LabRegistry registry, final LabSpec spec, final Process host, final Path log)
            throws IOException {
        final long deadlineNs = System.nanoTime() + READY_NS;
        while (System.nanoTime() - deadlineNs < 0) {
            final LabState state = registry.find(spec.name()).orElse(null);
            if (state != null && state.isReady() && state.isOwnerAlive()) {
                return state;
            }
            if (!host.isAlive()) {
                final String text = Files.readString(log);
                registry.forgetLog(spec.name());
                throw new ToolException(LabAdvice.ended(host.exitValue(), text));
            }
            LockSupport.parkNanos(LOOK_NS);
        }
        final int ready = registry.socketCount(spec.name());
        final String text = Files.readString(log);
        registry.remove(spec.name());
        host.destroyForcibly();
        registry.forgetLog(spec.name());
        throw new ToolException(LabAdvice.notReady(spec, READY_NS / 1_000_000_000L, ready, text));
    }
}
