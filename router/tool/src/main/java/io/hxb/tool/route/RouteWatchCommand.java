package io.hxb.tool.route;

import io.hxb.manager.ManagerOperation;
import io.hxb.tool.measure.StopRequest;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** {@code hxb route watch}: changes of paths as they happen. Picocli makes it. */
@Command(
        name = "watch",
        mixinStandardHelpOptions = true,
        header = "Report changes of a host's paths as they happen.",
        description = "Print a line for each path that has changed, until Ctrl-C.",
        footer = {"", "Example: hxb route watch --json"})
final class RouteWatchCommand implements Callable<Integer> {
    private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(200);

    @Mixin private ManagerOptions managers;
    @Mixin private Output output;

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            defaultValue = "0",
            description = "stop after this many changes; 0: never (default: ${DEFAULT-VALUE})")
    private long count;

    /** Picocli makes it. */
    RouteWatchCommand() {}

    @Override
    public Integer call() throws IOException {
        if (count < 0) {
            throw new UsageException("--count must be 0 or more: " + count);
        }
        try (ManagerLinks links = managers.open();
                StopRequest stop = StopRequest.onInterrupt()) {
            if (links.size() > 1) {
                throw new UsageException("watch one manager at a time");
            }
            watch(links.first(), stop);
        }
        return ExitStatus.OK;
    }

    private void watch(final ManagerLink link, final StopRequest stop) throws IOException {
        link.request(ManagerOperation.WATCH);
        link.exchange("watching");
        List<ManagerLink.Route> before = link.routes();
        report(link, List.of());
        for (long seen = 0; !stop.isStopped() && (count == 0 || seen < count); ) {
            if (link.awaitChange(STEP_NS) > 0) {
                seen++;
                final List<ManagerLink.Route> now = link.routes();
                final List<ManagerLink.Route> old = before;
                report(link, now.stream().filter(route -> isNew(old, route)).toList());
                before = now;
            }
        }
    }

    // Both lists have all other hosts in the same order.
    private static boolean isNew(
            final List<ManagerLink.Route> before, final ManagerLink.Route route) {
        return before.stream()
                .filter(other -> other.peer().number() == route.peer().number())
                .noneMatch(other -> other.vid() == route.vid());
    }

    private void report(final ManagerLink link, final List<ManagerLink.Route> changed) {
        for (final ManagerLink.Route route : changed) {
            output.text().println("change " + link.changes() + ": " + RouteText.words(link, route));
        }
        final Map<String, Object> report = RouteText.report(link);
        report.put("routes", changed.stream().map(RouteText::json).toList());
        output.report(report);
    }
}
