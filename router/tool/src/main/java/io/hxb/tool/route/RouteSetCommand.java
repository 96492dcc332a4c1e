package io.hxb.tool.route;

import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** {@code hxb route set}: another VID for a pair of hosts. Picocli makes it. */
@Command(
        name = "set",
        mixinStandardHelpOptions = true,
        header = "Set the VLAN that the frames of two hosts take.",
        description =
                "Set the VID of a pair of hosts. Both ends have to use one VID: name "
                        + "both, and the managers of both. It lasts until it is reset or the "
                        + "manager starts again.",
        footer = {
            "",
            "Example: hxb route set h0,h8 12 --manager 10.0.0.1:7070,10.0.0.9:7070 --key"
                    + " /etc/hxb/key"
        })
final class RouteSetCommand implements Callable<Integer> {
    @Parameters(
            index = "0",
            paramLabel = "PAIR",
            description =
                    "set the path of two hosts, such as h0,h8, or of this host and the "
                            + "peer; name each by name, number, MAC or IP address")
    private String pair;

    @Parameters(index = "1", paramLabel = "VID", description = "use this VID of the plan")
    private String vid;

    @Mixin private ManagerOptions managers;
    @Mixin private Output output;

    @Option(names = "--commit", description = "keep the paths that are then set over restarts")
    private boolean isCommitted;

    @Option(names = "--hold", description = "set it only until this command ends, by Ctrl-C")
    private boolean isHeld;

    /** Picocli makes it. */
    RouteSetCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        final int wanted = RouteText.vid(vid);
        RouteText.pair(pair);
        if (isCommitted && isHeld) {
            throw new UsageException("--hold and --commit exclude each other");
        }
        try (ManagerLinks links = managers.open()) {
            final RouteChanges changes = new RouteChanges(!isHeld);
            changes.addPair(links, pair, wanted);
            changes.end();
            if (isCommitted) {
                RouteChanges.commit(links);
            }
            changes.report(output);
            if (isHeld) {
                new CountDownLatch(1).await();
            }
        }
        return ExitStatus.OK;
    }
}
