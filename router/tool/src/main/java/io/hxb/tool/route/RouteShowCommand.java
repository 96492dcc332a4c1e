package io.hxb.tool.route;

import io.hxb.manager.ManagerMessage;
import io.hxb.manager.ManagerOperation;
import io.hxb.manager.PeerName;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.TextTable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb route show}: the paths of hosts and what went over them. Picocli makes it. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        header = "Show the VLANs that the frames of a host take.",
        description =
                "Show the VID of each path: VID is where frames to a host go, table is "
                        + "the plan's, heard is where its last frame came from. With --json, "
                        + "traffic, NICs and counts are shown, too.",
        footer = {"", "Example: hxb route show --traffic"})
final class RouteShowCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..*",
            paramLabel = "PEER",
            description = "show only these hosts, by name, number, MAC or IP address")
    private List<String> peers = List.of();

    @Mixin private ManagerOptions managers;
    @Mixin private Output output;

    @Option(names = "--traffic", description = "show what was sent, too, by host and by VID")
    private boolean isTraffic;

    /** Picocli makes it. */
    RouteShowCommand() {}

    @Override
    public Integer call() throws IOException {
        try (ManagerLinks links = managers.open()) {
            for (final ManagerLink link : links) {
                show(link);
            }
        }
        return ExitStatus.OK;
    }

    private void show(final ManagerLink link) throws IOException {
        final List<ManagerLink.Route> routes = new ArrayList<>();
        if (peers.isEmpty()) {
            routes.addAll(link.routes());
        }
        for (final String peer : peers) {
            routes.add(link.route(link.peer(peer)));
        }
        final TextTable table =
                new TextTable("peer", "number", "address", "VID", "table", "heard", "");
        for (final ManagerLink.Route route : routes) {
            table.row(
                    route.peer().name(),
                    route.peer().number(),
                    PeerName.text(route.peer().mac()),
                    route.vid(),
                    route.tableVid(),
                    route.heardVid() == 0 ? "-" : route.heardVid(),
                    notes(route));
        }
        final Map<String, Object> report = RouteText.report(link);
        report.put("plan", String.format("%016x", link.plan()));
        report.put("default_vid", link.defaultVid());
        report.put("wanted_default_vid", link.wantedDefaultVid());
        report.put("routes", routes.stream().map(RouteText::json).toList());
        output.text()
                .printf(
                        "%s (%d), default VID %s, plan %016x, change %d, manager %s%n%s",
                        link.self().name(),
                        link.self().number(),
                        defaultVid(link),
                        link.plan(),
                        link.changes(),
                        link.place(),
                        table);
        if (isTraffic || output.isJson()) {
            traffic(link, report);
        }
        if (output.isJson()) {
            report.put("nics", nics(link));
            report.put("counts", counts(link));
        }
        if (routes.stream().anyMatch(ManagerLink.Route::isHalf)) {
            output.text()
                    .println(
                            "half: frames come in another VID than they go, so switches flood; set"
                                    + " both ends to one VID");
        }
        output.report(report);
    }

    private static String defaultVid(final ManagerLink link) {
        return link.defaultVid() == link.wantedDefaultVid()
                ? String.valueOf(link.defaultVid())
                : link.defaultVid() + " (" + link.wantedDefaultVid() + " is dead)";
    }

    private static String notes(final ManagerLink.Route route) {
        final String dead = route.isDetour() ? "VID " + route.wantedVid() + " is dead" : "";
        return route.isHalf() ? dead.isEmpty() ? "half" : dead + ", half" : dead;
    }

    private void traffic(final ManagerLink link, final Map<String, Object> report)
            throws IOException {
        final List<Map<String, Object>> sent = new ArrayList<>();
        final TextTable byHost = new TextTable("sent to", "bytes", "frames", "VID now");
        link.list(
                ManagerOperation.TRAFFIC,
                row -> {
                    final String name = link.hosts().get(row.index()).name();
                    byHost.row(name, row.value(0), row.value(1), row.vid());
                    final Map<String, Object> json = bytes(row);
                    json.put("host", row.index());
                    json.put("name", name);
                    sent.add(json);
                });
        final List<Map<String, Object>> vids = new ArrayList<>();
        final TextTable byVid = new TextTable("VID", "bytes sent", "frames sent", "bytes received");
        link.list(
                ManagerOperation.VID_TRAFFIC,
                row -> {
                    byVid.row(row.vid(), row.value(0), row.value(1), row.value(2));
                    final Map<String, Object> json = bytes(row);
                    json.put("received_bytes", row.value(2));
                    vids.add(json);
                });
        output.text().print(byHost);
        output.text().print(byVid);
        report.put("traffic", sent);
        report.put("vids", vids);
    }

    private static Map<String, Object> bytes(final ManagerMessage row) {
        final Map<String, Object> json = new LinkedHashMap<>();
        json.put("vid", row.vid());
        json.put("sent_bytes", row.value(0));
        json.put("sent_frames", row.value(1));
        return json;
    }

    private static List<Map<String, Object>> nics(final ManagerLink link) throws IOException {
        final List<Map<String, Object>> nics = new ArrayList<>();
        link.list(
                ManagerOperation.NIC,
                row -> {
                    final Map<String, Object> json = new LinkedHashMap<>();
                    json.put("name", row.name());
                    json.put("mac", PeerName.text(row.value(0)));
                    json.put("mtu_bytes", row.value(1));
                    json.put("up", (row.value(2) & 1) != 0);
                    json.put("foreign_programs", row.value(2) >>> Integer.SIZE);
                    nics.add(json);
                });
        return nics;
    }

    private static Map<String, Object> counts(final ManagerLink link) throws IOException {
        final Map<String, Object> counts = new LinkedHashMap<>();
        link.list(ManagerOperation.COUNT, row -> counts.put(row.hostName(), row.value(0)));
        return counts;
    }
}
