package io.hxb.observe.live;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.log.Printable;
import io.hxb.pm.attach.ListedFlow;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Describes listed flows for programs and people: {@code docs/reference/json.md}. Owned by one
 * thread.
 */
public final class FlowReport {
    private static final List<String> KINDS = List.of("messages", "requests", "answers", "packets");
    private static final int PACKETS = 3;
    private static final int MAX_NAME = 64;

    private final ClusterConfig config;
    private final List<LinkConfig> links;
    private final Map<Integer, String> hosts;
    private final Map<Integer, String> programs = new LinkedHashMap<>();

    /** Describes flows of a node, as the cluster file names what they have. */
    public FlowReport(final ClusterConfig config, final int node) {
        this.config = config;
        links = config.links(node);
        final Map<Integer, String> named = new LinkedHashMap<>();
        config.hosts()
                .forEach(
                        (name, vector) ->
                                named.put(
                                        config.shape().node(vector), Printable.of(name, MAX_NAME)));
        hosts = Map.copyOf(named);
    }

    /** All that is known of a flow. */
    public Map<String, Object> of(final ListedFlow flow) {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("user", user(flow));
        report.put("tenant", tenant(flow));
        report.put("pid", flow.owner().pid());
        report.put("program", program(flow.owner().pid()));
        report.put("kind", kind(flow.ends().kind()));
        report.put("context", flow.ends().context());
        if (flow.ends().peerNode() != ListedFlow.NO_NODE) {
            report.put("peer_node", flow.ends().peerNode());
            host(flow.ends().peerNode()).ifPresent(name -> report.put("peer_host", name));
            report.put("peer_kind", kind(flow.ends().peerKind()));
            report.put("peer_context", flow.ends().peerContext());
        }
        report.put("state", flow.state().word());
        report.put("sent_bytes", flow.sent().bytes());
        report.put("sent_messages", flow.sent().messages());
        report.put("received_bytes", flow.received().bytes());
        report.put("received_messages", flow.received().messages());
        final ListedFlow.Sending sending = flow.sending();
        report.put("in_flight_frames", sending.inFlightFrames());
        report.put("waiting_messages", sending.waiting().messages());
        report.put("waiting_bytes", sending.waiting().bytes());
        report.put("round_trip_ns", sending.roundTripNs());
        report.put("resent_frames", sending.resentFrames());
        report.put("links", links(sending));
        return report;
    }

    /** Whose it is: {@code user 1000}, {@code node} or {@code virtual NIC}. */
    public String user(final ListedFlow flow) {
        if (flow.owner().uid() >= 0) {
            return "user " + flow.owner().uid();
        }
        return flow.ends().kind() == PACKETS ? "virtual NIC" : "node";
    }

    /** Name of the tenant; empty where there are none. */
    public String tenant(final ListedFlow flow) {
        return config.tenants().isEmpty() ? "" : config.tenants().name(flow.owner().tenant());
    }

    /** The name of a process that this one may see, as the kernel has it; otherwise empty. */
    public String program(final int pid) {
        return programs.computeIfAbsent(pid, FlowReport::nameOf);
    }

    private static String nameOf(final int pid) {
        if (pid <= 0) {
            return "";
        }
        try {
            final Path file = Path.of("/proc", Integer.toString(pid), "comm");
            return Printable.of(
                    Files.readString(file, StandardCharsets.ISO_8859_1).strip(), MAX_NAME);
        } catch (final IOException e) {
            return "";
        }
    }

    /** The host name that the file gives to a node; empty if it gives none. */
    public Optional<String> host(final int node) {
        return Optional.ofNullable(hosts.get(node));
    }

    /** What flows carry: messages, requests for remote memory, their answers, or packets. */
    public static String kind(final int kind) {
        return kind >= 0 && kind < KINDS.size() ? KINDS.get(kind) : "unknown";
    }

    /** The links that have taken frames; with how many where that is known. */
    public List<Map<String, Object>> links(final ListedFlow.Sending sending) {
        final List<Map<String, Object>> used = new ArrayList<>();
        for (final LinkConfig link : links) {
            if (link.index() < Long.SIZE && (sending.links() & 1L << link.index()) != 0) {
                final Map<String, Object> one = new LinkedHashMap<>();
                one.put("link", link.label());
                final long frames = sending.share(link.index());
                if (frames > 0) {
                    one.put("frames", frames);
                }
                used.add(one);
            }
        }
        return used;
    }
}
