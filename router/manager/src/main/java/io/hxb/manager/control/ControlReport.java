package io.hxb.manager.control;

import io.hxb.vlan.HostTable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Reports of a network that is controlled: as objects for JSON, and as Prometheus text. Immutable
 * once made; any thread may read it.
 *
 * @param status the state of the control and of all hosts that cannot be controlled.
 * @param changes the last changes, the newest last, and why nothing else is changed.
 * @param changeCount changes that were ever remembered, those that are no longer among them too.
 * @param rounds rounds so far.
 * @param metrics in the text format of Prometheus.
 */
public record ControlReport(
        Map<String, Object> status,
        Map<String, Object> changes,
        long changeCount,
        long rounds,
        String metrics) {
    /** Hosts that cannot be controlled and are named. */
    private static final int MAX_NAMED = 32;

    static ControlReport of(
            final long nowNs,
            final NetworkControl control,
            final LeaderElection leaderElection,
            final List<ManagedHost> hosts,
            final TrafficMeasurement measurement,
            final Collection<AppliedChange> history,
            final HostTable table) {
        final Map<String, Object> status = new LinkedHashMap<>();
        final ControlCounts counts = control.counts();
        final Decision decision = control.decision();
        status.put("ok", true);
        status.put("state", state(control));
        status.put("dry_run", control.isDryRun());
        status.put("generation", leaderElection.generation());
        status.put("hosts", hosts.size());
        status.put("ready_hosts", hosts.stream().filter(ManagedHost::isReady).count());
        status.put("pairs", measurement.pairs().size());
        status.put("half_pairs", measurement.halfCount());
        status.put("claimed_pairs", measurement.claimed().size());
        status.put("moved_pairs", control.wantedCount());
        status.put("busiest_link", decision.busiest());
        status.put("busiest_bytes_per_second", Math.round(decision.busiestBps()));
        status.put("rounds", counts.rounds());
        status.put("changes", counts.changes());
        status.put("refused_changes", counts.refused());
        status.put("withdrawn_pairs", counts.withdrawn());
        status.put("why", decision.why());
        status.put("problems", problems(hosts));
        return new ControlReport(
                status,
                changes(nowNs, decision, history, table),
                counts.remembered(),
                counts.rounds(),
                metrics(status, leaderElection, hosts));
    }

    private static String state(final NetworkControl control) {
        if (control.isDryRun()) {
            return "dry run";
        }
        if (!control.isLeader()) {
            return "waiting";
        }
        return control.isStopped() ? "stopped" : "leading";
    }

    private static List<Map<String, Object>> problems(final List<ManagedHost> hosts) {
        final List<Map<String, Object>> problems = new ArrayList<>();
        for (final ManagedHost host : hosts) {
            if (host.problem() != ManagedHost.Problem.NONE && problems.size() < MAX_NAMED) {
                final Map<String, Object> row = new LinkedHashMap<>();
                row.put("manager", host.name());
                row.put("problem", word(host.problem()));
                row.put("words", host.words());
                problems.add(row);
            }
        }
        return problems;
    }

    private static String word(final ManagedHost.Problem problem) {
        return switch (problem) {
            case NONE -> "none";
            case NOT_ASKED -> "not asked";
            case ABSENT -> "absent";
            case OTHER_PLAN -> "other plan";
            case TWICE -> "twice";
        };
    }

    private static Map<String, Object> changes(
            final long nowNs,
            final Decision decision,
            final Collection<AppliedChange> history,
            final HostTable table) {
        final List<Map<String, Object>> rows = new ArrayList<>();
        for (final AppliedChange made : history) {
            final PathChange change = made.change();
            final Map<String, Object> row = new LinkedHashMap<>();
            row.put("seconds_ago", TimeUnit.NANOSECONDS.toSeconds(nowNs - made.atNs()));
            row.put("hosts", names(change, table));
            row.put("from_vid", change.from());
            row.put("vid", change.to());
            row.put("link", change.link());
            row.put("bytes_per_second", Math.round(change.beforeBps()));
            row.put("expected_bytes_per_second", Math.round(change.expectedBps()));
            row.put("words", words(change, table));
            rows.add(row);
        }
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("why", decision.why());
        report.put("changes", rows);
        return report;
    }

    private static List<String> names(final PathChange change, final HostTable table) {
        return List.of(
                table.rows().get(change.low()).name(), table.rows().get(change.high()).name());
    }

    private static String words(final PathChange change, final HostTable table) {
        final List<String> names = names(change, table);
        return "%s and %s left VID %d for %d: %s carried %.3f MB/s, and %.3f are expected"
                .formatted(
                        names.get(0),
                        names.get(1),
                        change.from(),
                        change.to(),
                        change.link(),
                        change.beforeBps() / 1e6,
                        change.expectedBps() / 1e6);
    }

    private static String metrics(
            final Map<String, Object> status,
            final LeaderElection leaderElection,
            final List<ManagedHost> hosts) {
        final StringBuilder text = new StringBuilder();
        line(text, "hxb_optimise_leader", "gauge", leaderElection.isLeader() ? 1 : 0);
        line(text, "hxb_optimise_leaderships_total", "counter", leaderElection.terms());
        for (final String name :
                List.of(
                        "generation",
                        "pairs",
                        "half_pairs",
                        "claimed_pairs",
                        "moved_pairs",
                        "busiest_bytes_per_second")) {
            line(text, "hxb_optimise_" + name, "gauge", status.get(name));
        }
        for (final String name :
                List.of("rounds", "changes", "refused_changes", "withdrawn_pairs")) {
            line(text, "hxb_optimise_" + name + "_total", "counter", status.get(name));
        }
        final Map<String, Integer> byState = new TreeMap<>();
        for (final ManagedHost host : hosts) {
            byState.merge(host.isReady() ? "ready" : word(host.problem()), 1, Integer::sum);
        }
        text.append("# TYPE hxb_optimise_hosts gauge\n");
        byState.forEach(
                (state, count) ->
                        text.append("hxb_optimise_hosts{state=\"")
                                .append("none".equals(state) ? "other lease" : state)
                                .append("\"} ")
                                .append(count)
                                .append('\n'));
        return text.toString();
    }

    private static void line(
            final StringBuilder text, final String name, final String type, final Object value) {
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        text.append(name).append(' ').append(value).append('\n');
    }
}
