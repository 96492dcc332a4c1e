package io.hxb.tool.route;

import io.hxb.tool.option.Output;
import io.hxb.tool.plan.SavedPlan;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.ToolException;
import io.hxb.vlan.HostTable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb route apply}: the paths of another plan of the same network. Picocli makes it. */
@Command(
        name = "apply",
        mixinStandardHelpOptions = true,
        header = "Lets the frames of hosts take the VLANs of a plan.",
        description =
                "Sets the path of every pair as the plan has it, on all managers that are named;"
                    + " such as one that hxb plan vlan --traffic has optimised. Its VIDs must be"
                    + " those that the managers were started with. Broadcasts stay in the VID that"
                    + " they have.",
        footer = {"", "Example: hxb route apply better.plan --dry-run"})
final class RouteApplyCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "PLAN",
            description = "host-tagged plan, written by hxb plan vlan --save")
    private String file;

    @Mixin private ManagerOptions managers;
    @Mixin private Output output;

    @Option(names = "--dry-run", description = "only say what would change")
    private boolean isDry;

    @Option(names = "--commit", description = "keep all that is set then over restarts")
    private boolean isCommitted;

    /** Picocli makes it. */
    RouteApplyCommand() {}

    @Override
    public Integer call() throws IOException {
        final HostTable table = HostTable.of(SavedPlan.read(file));
        try (ManagerLinks links = managers.open()) {
            final RouteChanges changes = new RouteChanges(true);
            final Map<ManagerLink, Integer> counts = new LinkedHashMap<>();
            for (final ManagerLink link : links) {
                counts.put(link, add(table, link, changes));
            }
            if (!isDry) {
                changes.end();
                if (isCommitted) {
                    RouteChanges.commit(links);
                }
            }
            for (final ManagerLink link : links) {
                report(link, counts.get(link));
            }
        }
        return ExitStatus.OK;
    }

    private int add(final HostTable table, final ManagerLink link, final RouteChanges changes)
            throws IOException {
        final int own = host(table, link.self(), link);
        int count = 0;
        for (final ManagerLink.Route route : link.routes()) {
            final int vid = table.vid(own, host(table, route.peer(), link));
            if (vid != route.vid()) {
                count++;
                if (isDry) {
                    output.text()
                            .printf(
                                    "%s to %s: VID %d instead of %d%n",
                                    link.self().name(), route.peer().name(), vid, route.vid());
                } else {
                    changes.add(link, route.peer(), vid == route.tableVid() ? 0 : vid);
                }
            }
        }
        return count;
    }

    private int host(final HostTable table, final ManagerLink.Host host, final ManagerLink link) {
        final int number = table.hostOf(host.mac());
        if (number < 0) {
            throw new ToolException(
                    "the plan "
                            + file
                            + " has no host with the address of "
                            + host.name()
                            + ": it is not of the network of manager "
                            + link.place());
        }
        return number;
    }

    private void report(final ManagerLink link, final int count) {
        output.text()
                .printf(
                        "%s: %d of %d paths %s%n",
                        link.self().name(),
                        count,
                        link.hosts().size() - 1,
                        isDry ? "would change" : "changed");
        final Map<String, Object> report = RouteText.report(link);
        report.put("changed", count);
        report.put("dry_run", isDry);
        output.report(report);
    }
}
