package io.hxb.tool.route;

import io.hxb.manager.ManagerMessage;
import io.hxb.manager.ManagerOperation;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.concurrent.Callable;

/** {@code hxb route reset}: back to the table of the plan. Picocli makes it. */
@Command(
        name = "reset",
        mixinStandardHelpOptions = true,
        header = "Undo what hxb route set and apply have set.",
        description =
                "Undo what hxb route set and apply have set. Paths that running "
                        + "programs have set stay.",
        footer = {"", "Example: hxb route reset h0,h8", "         hxb route reset --all"})
final class RouteResetCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "PAIR",
            description = "reset these two hosts, such as h0,h8, or this host and the peer")
    private String pair;

    @Mixin private ManagerOptions managers;
    @Mixin private Output output;

    @Option(names = "--all", description = "reset all pairs")
    private boolean isAll;

    @Option(
            names = "--rollback",
            description = "set all pairs to what was committed last, those of programs too")
    private boolean isRollback;

    @Option(names = "--commit", description = "keep the paths that are then set over restarts")
    private boolean isCommitted;

    /** Picocli makes it. */
    RouteResetCommand() {}

    @Override
    public Integer call() throws IOException {
        final int given = (pair == null ? 0 : 1) + (isAll ? 1 : 0) + (isRollback ? 1 : 0);
        if (given != 1) {
            throw new UsageException("give one of a pair of hosts, --all or --rollback");
        }
        if (pair != null) {
            RouteText.pair(pair);
        }
        try (ManagerLinks links = managers.open()) {
            final RouteChanges changes = new RouteChanges(true);
            if (pair == null) {
                resetAll(links);
            } else {
                changes.addPair(links, pair, 0);
                changes.end();
            }
            if (isCommitted) {
                RouteChanges.commit(links);
            }
            changes.report(output);
            if (pair == null) {
                report(links);
            }
        }
        return ExitStatus.OK;
    }

    private void resetAll(final ManagerLinks links) throws IOException {
        for (final ManagerLink link : links) {
            link.request(isAll ? ManagerOperation.RESET_ALL : ManagerOperation.ROLLBACK)
                    .flags(ManagerMessage.FLAG_PERMANENT);
            link.exchange(link.self().name());
        }
    }

    private void report(final ManagerLinks links) throws IOException {
        for (final ManagerLink link : links) {
            final long others =
                    link.routes().stream()
                            .filter(route -> route.wantedVid() != route.tableVid())
                            .count();
            output.text()
                    .printf(
                            "%s follows the plan for %d of %d hosts%n",
                            link.self().name(),
                            link.hosts().size() - 1 - others,
                            link.hosts().size() - 1);
            final var report = RouteText.report(link);
            report.put("exceptions", others);
            output.report(report);
        }
    }
}
