package io.hxb.tool.lab.command;

import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSession;
import io.hxb.tool.lab.switches.SwitchLab;
import io.hxb.tool.lab.switches.SwitchLabOptions;
import io.hxb.tool.option.CaptureOption;
import io.hxb.tool.option.IpOption;
import io.hxb.tool.option.LabOptions;
import io.hxb.tool.option.PatienceOption;
import io.hxb.tool.option.WaitOptions;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.ToolException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The process that a lab of {@code lab up} belongs to; lives until it gets a signal to end. */
@Command(
        name = "host",
        hidden = true,
        mixinStandardHelpOptions = true,
        description = "Carry a lab until it is ended.")
final class LabHostCommand implements Callable<Integer> {
    private static final long KEEP_MS = 500;

    @Mixin private LabOptions lab;
    @Mixin private SwitchLabOptions switches;
    @Mixin private WaitOptions waiting;
    @Mixin private PatienceOption patience;
    @Mixin private IpOption ip;
    @Mixin private CaptureOption capture;

    @Option(names = "--processes", description = "run each node in a process of its own")
    private boolean isProcesses;

    /** Picocli makes it. */
    LabHostCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (switches.isGiven()) {
            try (SwitchLab made = SwitchLab.start(LabRegistry.ofUser(), switches.spec(lab))) {
                System.out.println("lab is up in " + made.folder());
                keep(made::keepFiles);
            }
            return ExitStatus.OK;
        }
        try (LabSession session =
                LabSession.start(
                        lab.spec(),
                        isProcesses,
                        capture.capture(),
                        config -> ip.apply(patience.apply(waiting.apply(config))))) {
            session.observe();
            System.out.println("lab is up in " + session.folder());
            keep(session::keepFiles);
        }
        return ExitStatus.OK;
    }

    // Ended by a signal, whose hook removes the lab.
    private static void keep(final Runnable files) throws InterruptedException {
        final CountDownLatch end = new CountDownLatch(1);
        while (!end.await(KEEP_MS, TimeUnit.MILLISECONDS)) {
            try {
                files.run();
            } catch (final ToolException e) {
                // The log lay there, too. The folder of a user is back when he logs in again.
            }
        }
    }
}
