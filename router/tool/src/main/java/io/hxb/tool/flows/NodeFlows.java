package io.hxb.tool.flows;

import io.hxb.config.ClusterConfig;
import io.hxb.observe.live.FlowReport;
import io.hxb.pm.attach.FlowListing;
import io.hxb.pm.attach.ListedFlow;
import io.hxb.tool.report.TextTable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The flows of one node, now and before. Owned by the thread that asks. */
final class NodeFlows {
    private static final double MEGA = 1e6;
    private static final String NONE = "-";

    private final ClusterConfig config;
    private final int node;
    private final FlowReport words;
    private FlowListing listing = new FlowListing(List.of(), 0, 0);
    private FlowListing before = listing;
    private Map<Key, ListedFlow> known = Map.of();
    private boolean hasBefore;
    private boolean hasNow;

    private record Key(ListedFlow.Ends ends, boolean isDirect, int pid) {
        static Key of(final ListedFlow flow) {
            return new Key(
                    flow.ends(), flow.state() == ListedFlow.State.DIRECT, flow.owner().pid());
        }
    }

    /** Bytes a second, each way. */
    private record Rate(double sent, double received) {
        static final Rate ZERO = new Rate(0, 0);
    }

    NodeFlows(final ClusterConfig config, final int node) {
        this.config = config;
        this.node = node;
        words = new FlowReport(config, node);
    }

    /** Takes what the node has answered. */
    void update(final FlowListing answer) {
        known = new HashMap<>();
        listing.flows().forEach(flow -> known.put(Key.of(flow), flow));
        before = listing;
        hasBefore = hasNow;
        hasNow = true;
        listing = answer;
    }

    /** What a flow moved since the last answer; of one that was made since, all that it moved. */
    private Rate rate(final ListedFlow flow) {
        final double seconds = (listing.timeNs() - before.timeNs()) / 1e9;
        if (!hasBefore || seconds <= 0) {
            return Rate.ZERO;
        }
        final ListedFlow last = known.get(Key.of(flow));
        final boolean isSame =
                last != null
                        && last.sent().bytes() <= flow.sent().bytes()
                        && last.received().bytes() <= flow.received().bytes();
        final long sent = flow.sent().bytes() - (isSame ? last.sent().bytes() : 0);
        final long received = flow.received().bytes() - (isSame ? last.received().bytes() : 0);
        return new Rate(sent / seconds, received / seconds);
    }

    private List<ListedFlow> sorted(final FlowsCommand.Order order) {
        final List<ListedFlow> flows = new ArrayList<>(listing.flows());
        flows.sort(
                switch (order) {
                    case BYTES -> ListedFlow.BUSIEST_FIRST;
                    case RATE -> fastestFirst(flows);
                    case CONTEXT ->
                            Comparator.comparingInt((ListedFlow flow) -> flow.ends().context())
                                    .thenComparing(ListedFlow.BUSIEST_FIRST);
                });
        return flows;
    }

    private Comparator<ListedFlow> fastestFirst(final List<ListedFlow> flows) {
        final Map<ListedFlow, Double> rates = new HashMap<>();
        flows.forEach(flow -> rates.put(flow, rate(flow).sent + rate(flow).received));
        return Comparator.comparingDouble((ListedFlow flow) -> -rates.get(flow))
                .thenComparing(ListedFlow.BUSIEST_FIRST);
    }

    /** As people read it: a line about the node, and a table. */
    String text(final FlowsCommand.Order order, final boolean hasRates) {
        final List<String> heading =
                new ArrayList<>(List.of("user", "program", "context", "peer", "state"));
        heading.addAll(List.of("sent B", "messages", "received B", "messages"));
        if (hasRates) {
            heading.addAll(List.of("out MB/s", "in MB/s"));
        }
        heading.addAll(List.of("in flight", "waiting B", "round trip", "again", "links"));
        final TextTable table = new TextTable(heading.toArray(String[]::new));
        for (final ListedFlow flow : sorted(order)) {
            table.row(cells(flow, hasRates).toArray());
        }
        return counts() + "\n" + (listing.flows().isEmpty() ? "" : table);
    }

    /** Which node it is. */
    String title() {
        return "cluster " + config.name() + " " + words.host(node).orElse("node " + node);
    }

    private String counts() {
        final String where = title();
        final int shown = listing.flows().size();
        if (listing.total() == 0) {
            return where + ": no open context that this user may see";
        }
        return shown < listing.total()
                ? where + ": the busiest " + shown + " of " + listing.total()
                : where + ": " + shown;
    }

    private List<Object> cells(final ListedFlow flow, final boolean hasRates) {
        final ListedFlow.Sending sending = flow.sending();
        final String tenant = words.tenant(flow);
        final String user = words.user(flow);
        final List<Object> cells = new ArrayList<>();
        cells.add(tenant.isEmpty() ? user : user + " (" + tenant + ")");
        cells.add(program(flow.owner().pid()));
        cells.add(end(flow.ends().kind(), flow.ends().context()));
        cells.add(peer(flow.ends()));
        cells.add(flow.state().word());
        cells.add(flow.sent().bytes());
        cells.add(flow.sent().messages());
        cells.add(flow.received().bytes());
        cells.add(flow.received().messages());
        if (hasRates) {
            final Rate rate = rate(flow);
            cells.add(hasBefore ? megabytes(rate.sent) : NONE);
            cells.add(hasBefore ? megabytes(rate.received) : NONE);
        }
        cells.add(sending.inFlightFrames());
        cells.add(sending.waiting().bytes());
        cells.add(
                sending.roundTripNs() == 0
                        ? NONE
                        : String.format(Locale.ROOT, "%.1f us", sending.roundTripNs() / 1e3));
        cells.add(sending.resentFrames());
        cells.add(links(sending));
        return cells;
    }

    private static String megabytes(final double bytes) {
        return String.format(Locale.ROOT, "%.1f", bytes / MEGA);
    }

    private String program(final int pid) {
        if (pid <= 0) {
            return NONE;
        }
        final String name = words.program(pid);
        return name.isEmpty() ? "pid " + pid : name + " " + pid;
    }

    private static String end(final int kind, final int context) {
        return kind == 0 ? Integer.toString(context) : context + " " + FlowReport.kind(kind);
    }

    private String peer(final ListedFlow.Ends ends) {
        if (ends.peerNode() == ListedFlow.NO_NODE) {
            return NONE;
        }
        final String name = words.host(ends.peerNode()).orElse("node " + ends.peerNode());
        return name + ":" + end(ends.peerKind(), ends.peerContext());
    }

    private String links(final ListedFlow.Sending sending) {
        final List<Map<String, Object>> links = words.links(sending);
        final long all = links.stream().mapToLong(NodeFlows::frames).sum();
        return links.isEmpty()
                ? NONE
                : links.stream()
                        .map(
                                link ->
                                        frames(link) == 0
                                                ? (String) link.get("link")
                                                : link.get("link")
                                                        + " "
                                                        + Math.round(100.0 * frames(link) / all)
                                                        + "%")
                        .collect(Collectors.joining(" "));
    }

    private static long frames(final Map<String, Object> link) {
        return (Long) link.getOrDefault("frames", 0L);
    }

    /** As programs read it. */
    Map<String, Object> report(final FlowsCommand.Order order, final boolean hasRates) {
        final List<Map<String, Object>> flows = new ArrayList<>();
        for (final ListedFlow flow : sorted(order)) {
            final Map<String, Object> one = words.of(flow);
            if (hasRates && hasBefore) {
                final Rate rate = rate(flow);
                one.put("sent_bytes_per_s", Math.round(rate.sent));
                one.put("received_bytes_per_s", Math.round(rate.received));
            }
            flows.add(one);
        }
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("node", node);
        report.put("total", listing.total());
        report.put("flows", flows);
        return report;
    }
}
