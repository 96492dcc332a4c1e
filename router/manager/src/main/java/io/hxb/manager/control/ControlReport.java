package io.hxb.manager.control;

import io.hxb.observe.metrics.MetricTable;
import io.hxb.vlan.HostTable;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Reports of a network that is controlled: as objects for JSON, and as metrics. Immutable once
 * made; any thread may read it.
 *
 * @param status the state of the control and of all hosts that cannot be controlled.
 * @param changes the last changes, the newest last, and why nothing else is changed.
 * @param changeCount changes that were ever remembered, those that are no longer among them too.
 * @param rounds rounds so far.
 * @param metrics for Prometheus.
 */
public record ControlReport(
        Map<String, Object> status,
        Map<String, Object> changes,
        long changeCount,
        long rounds,
        MetricSnapshots metrics) {
    /** Hosts that cannot be controlled and are named. */
    private static final int MAX_NAMED = 32;

    private static final String PREFIX = "hxb_optimise_";

    /** Metrics that go up and down, by their key in the state, with what they are. */
    private static final SortedMap<String, String> LEVELS =
            new TreeMap<>(
                    Map.of(
                            "generation",
                            "Number of the lease of the network.",
                            "pairs",
                            "Pairs of hosts whose traffic is known.",
                            "half_pairs",
                            "Pairs of which only one host is known.",
                            "claimed_pairs",
                            "Pairs whose paths others have set.",
                            "moved_pairs",
                            "Pairs that are on another path than that of the plan.",
                            "busiest_bytes_per_second",
                            "Bytes a second on the busiest link."));

    /** Metrics that only grow. */
    private static final SortedMap<String, String> COUNTS =
            new TreeMap<>(
                    Map.of(
                            "rounds",
                            "Rounds of measuring and deciding.",
                            "changes",
                            "Paths changed.",
                            "refused_changes",
                            "Changes that hosts refused.",
                            "withdrawn_pairs",
                            "Pairs that were given back to the plan."));

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

    private static MetricSnapshots metrics(
            final Map<String, Object> status,
            final LeaderElection leaderElection,
            final List<ManagedHost> hosts) {
        final MetricTable table = new MetricTable();
        table.level(
                PREFIX + "leader",
                "1 while this management server controls the network, otherwise 0.",
                Labels.EMPTY,
                leaderElection.isLeader() ? 1 : 0);
        table.count(
                PREFIX + "leaderships",
                "Times this management server began to control the network.",
                Labels.EMPTY,
                (double) leaderElection.terms());
        LEVELS.forEach(
                (name, help) ->
                        table.level(PREFIX + name, help, Labels.EMPTY, value(status, name)));
        COUNTS.forEach(
                (name, help) ->
                        table.count(PREFIX + name, help, Labels.EMPTY, value(status, name)));
        final Map<String, Integer> byState = new TreeMap<>();
        for (final ManagedHost host : hosts) {
            byState.merge(host.isReady() ? "ready" : word(host.problem()), 1, Integer::sum);
        }
        byState.forEach(
                (state, count) ->
                        table.level(
                                PREFIX + "hosts",
                                "Hosts by what they are for this management server.",
                                Labels.of("state", "none".equals(state) ? "other lease" : state),
                                count));
        return table.snapshots();
    }

    private static double value(final Map<String, Object> status, final String name) {
        return ((Number) status.get(name)).doubleValue();
    }
}
