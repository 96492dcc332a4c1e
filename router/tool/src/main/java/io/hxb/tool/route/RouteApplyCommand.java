package io.hxb.tool.route;

import io.hxb.manager.ManagerOperation;
import io.hxb.tool.option.Output;
import io.hxb.tool.plan.SavedPlan;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;
import io.hxb.vlan.HostRow;
import io.hxb.vlan.HostTable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb route apply}: the paths of another plan of the same network. Picocli makes it. */
@Command(
        name = "apply",
        mixinStandardHelpOptions = true,
        header = "Let the frames of hosts take the VLANs of a plan.",
        description =
                "Set the path of every pair as the plan has it, on all managers that "
                        + "are named. Use it for a plan that hxb plan vlan --traffic has "
                        + "optimised. Its VIDs must be those that the managers were started "
                        + "with. If one manager does not take part, nothing changes at any. "
                        + "Broadcasts stay in their VID, unless --table is given.",
        footer = {"", "Example: hxb route apply better.plan --dry-run"})
final class RouteApplyCommand implements Callable<Integer> {
    @Parameters(
            paramLabel = "PLAN",
            description = "read this host-tagged plan, written by hxb plan vlan --save")
    private String file;

    @Mixin private ManagerOptions managers;
    @Mixin private Output output;

    @Option(names = "--dry-run", description = "print what would change, and change nothing")
    private boolean isDry;

    @Option(names = "--commit", description = "keep the paths that are then set over restarts")
    private boolean isCommitted;

    @Option(
            names = "--table",
            description =
                    "make the plan the table of initial paths, to which pairs go back and "
                            + "whose default VIDs broadcasts take, until the manager starts again")
    private boolean isTable;

    /** Picocli makes it. */
    RouteApplyCommand() {}

    @Override
    public Integer call() throws IOException {
        final HostTable table = HostTable.of(SavedPlan.read(file));
        try (ManagerLinks links = managers.open()) {
            final RouteChanges changes = new RouteChanges(true);
            if (isTable) {
                return setTable(table, links, changes);
            }
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

    private int setTable(
            final HostTable table, final ManagerLinks links, final RouteChanges changes)
            throws IOException {
        if (isDry) {
            throw new UsageException("--table and --dry-run exclude each other");
        }
        final List<ManagerLink> all = new ArrayList<>();
        for (final ManagerLink link : links) {
            all.add(link);
            apply(table, link);
        }
        for (final ManagerLink link : all) {
            link.request(ManagerOperation.TABLE_END);
            link.exchange(link.self().name());
        }
        changes.keep(all);
        if (isCommitted) {
            RouteChanges.commit(links);
        }
        for (final ManagerLink link : all) {
            output.text().printf("%s has the table of %s%n", link.self().name(), file);
            output.report(RouteText.report(link));
        }
        return ExitStatus.OK;
    }

    private void apply(final HostTable table, final ManagerLink link) throws IOException {
        link.request(ManagerOperation.TABLE_BEGIN);
        link.exchange(link.self().name());
        final int[] numbers = new int[table.rows().size()];
        Arrays.fill(numbers, -1);
        for (final ManagerLink.Host host : link.hosts()) {
            final int number = host(table, host, link);
            final HostRow row = table.rows().get(number);
            numbers[number] = host.number();
            link.request(ManagerOperation.TABLE_ROW)
                    .index(host.number())
                    .vid(row.vid())
                    .value(0, row.rank());
            link.exchange(row.name());
        }
        for (final var pair : table.exceptions().entrySet()) {
            final int low = numbers[pair.getKey().low()];
            final int high = numbers[pair.getKey().high()];
            if (low >= 0 && high >= 0) {
                link.request(ManagerOperation.TABLE_PAIR)
                        .index(low)
                        .peerHost(high)
                        .vid(pair.getValue());
                link.exchange(link.self().name());
            }
        }
    }

    private int add(final HostTable table, final ManagerLink link, final RouteChanges changes)
            throws IOException {
        final int own = host(table, link.self(), link);
        int count = 0;
        for (final ManagerLink.Route route : link.routes()) {
            final int vid = table.vid(own, host(table, route.peer(), link));
            if (vid != route.wantedVid()) {
                count++;
                if (isDry) {
                    output.text()
                            .printf(
                                    "%s to %s: VID %d instead of %d%n",
                                    link.self().name(),
                                    route.peer().name(),
                                    vid,
                                    route.wantedVid());
                } else {
                    set(changes, link, route, vid);
                }
            }
        }
        return count;
    }

    private static void set(
            final RouteChanges changes,
            final ManagerLink link,
            final ManagerLink.Route route,
            final int vid)
            throws IOException {
        if (vid == route.tableVid()) {
            changes.addByTable(link, route.peer());
        } else {
            changes.add(link, route.peer(), vid);
        }
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
