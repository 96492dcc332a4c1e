package io.hxb.observe.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterKind;
import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterType;
import io.hxb.counter.Counters;
import io.hxb.counter.ResourceUse;
import io.hxb.counter.TimeBuckets;
import io.hxb.observe.Viewer;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

@Tag("unit")
class NodeMetricsTest {
    private static final Pattern NAME = Pattern.compile("\\bhxb_[a-z0-9_]+");

    @TempDir private Path folder;
    private final List<Path> files = new ArrayList<>();
    private final List<Counters> nodes = new ArrayList<>();

    @BeforeEach
    void makeNodes() {
        for (int node = 0; node < 2; node++) {
            final CounterLabels labels =
                    new CounterLabels(
                            "c",
                            7,
                            node,
                            node,
                            1,
                            List.of(
                                    new CounterLabels.LinkLabel(0, 0, "eth1"),
                                    new CounterLabels.LinkLabel(0, 1, "a\"\\b")));
            files.add(folder.resolve("c-" + node + ".counters"));
            nodes.add(Counters.create(files.get(node), labels, 1, text -> {}));
            nodes.get(node).heartbeat(System.currentTimeMillis());
        }
        nodes.get(0).ofNode().add(CounterType.LINK_SENT_BYTES, 1, 12_345);
        nodes.get(0).ofNode().add(CounterType.NODE_LOOP_OVERRUN_NS, 0, 1_500_000_000);
        nodes.get(0).ofNode().add(CounterType.LINK_WEIGHT_PERCENT, 0, 50);
        nodes.get(0).ofNode().add(CounterType.FORWARD_DROPPED_CRC_FRAMES, 0, 3);
        nodes.get(0).ofNode().add(CounterType.FORWARD_DROPPED_SEAL_FRAMES, 0, 4);
        nodes.get(0).ofNode().add(CounterType.FLOW_ROUND_TRIP_EVENTS, 0, 2);
        nodes.get(0).ofNode().add(CounterType.FLOW_ROUND_TRIP_EVENTS, 7, 5);
        nodes.get(0).ofNode().add(CounterType.FLOW_QUEUE_WAIT_EVENTS, 1, 3);
        nodes.get(0).ofNode().add(CounterType.FLOW_ROUND_TRIP_EVENTS, TimeBuckets.COUNT - 1, 1);
        nodes.get(0).ofNode().add(CounterType.FLOW_ROUND_TRIP_NS, 2_500_000_000L);
        nodes.get(0)
                .shares(
                        List.of(
                                new ResourceUse(
                                        "user 1000",
                                        "physics",
                                        Map.of("flows", new ResourceUse.Figures(6, 2048, 1)))));
        nodes.get(0).ofNode().publish();
        nodes.forEach(Counters::publish);
    }

    /** Node (2) of a line of 4, with traffic from node 3 and to node 0. */
    private void makeNodeOfLongLine() {
        final CounterLabels labels =
                new CounterLabels(
                        "c", 7, 2, 2, 1, List.of(new CounterLabels.LinkLabel(0, 1, "n", 4, 1)));
        files.add(folder.resolve("c-2.counters"));
        nodes.add(Counters.create(files.getLast(), labels, 1, text -> {}));
        nodes.getLast()
                .ofNode()
                .neighbours(
                        CounterType.LINK_NEIGHBOUR_RECEIVED_BYTES,
                        0,
                        (into, at, count) -> into[at + 3] = 77)
                .neighbours(
                        CounterType.LINK_NEIGHBOUR_SENT_BYTES, 0, (into, at, count) -> into[at] = 9)
                .publish();
        nodes.getLast().publish();
    }

    @AfterEach
    void close() {
        nodes.forEach(Counters::close);
    }

    private String text(final Viewer viewer) {
        return MetricText.PROMETHEUS.text(NodeMetrics.of(files, viewer));
    }

    private static void assertHas(final String text, final String line) {
        final String name = line.replaceFirst("\\{.*", "");
        assertTrue(
                text.lines().anyMatch(line::equals),
                () -> line + ": " + text.lines().filter(each -> each.contains(name)).toList());
    }

    @Test
    void shouldShowCountersInBaseUnitsWithLabels() {
        // when
        final String text = text(Viewer.PUBLIC);
        // then
        assertHas(text, "hxb_link_sent_bytes_total{link=\"x.1\",node=\"0\"} 12345.0");
        assertHas(text, "# TYPE hxb_link_sent_bytes_total counter");
        assertHas(
                text, "# HELP hxb_link_sent_bytes_total " + CounterType.LINK_SENT_BYTES.meaning());
        assertHas(text, "hxb_node_loop_overrun_seconds_total{node=\"0\"} 1.5");
        assertHas(text, "hxb_link_weight_ratio{link=\"x.0\",node=\"0\"} 0.5");
        assertHas(text, "hxb_trunk_lost_events_total{dimension=\"x\",node=\"1\"} 0.0");
        assertHas(text, "hxb_node_dropped_frames_total{node=\"0\"} 7.0");
        assertHas(text, "hxb_node_state{node=\"1\",state=\"running\"} 1.0");
        assertHas(text, "hxb_link_state{link=\"x.0\",node=\"0\",state=\"down\"} 1.0");
        assertHas(text, "hxb_link_info{link=\"x.1\",nic=\"a\\\"\\\\b\",node=\"0\"} 1.0");
    }

    @Test
    void shouldShowNeighboursOfLongLinesAsPeers() {
        // given
        makeNodeOfLongLine();
        // when
        final String text = text(Viewer.PUBLIC);
        // then
        assertHas(
                text,
                "hxb_link_neighbour_received_bytes_total{link=\"x.1\",node=\"2\",peer=\"3\"} 77.0");
        assertHas(text, "# TYPE hxb_link_neighbour_received_bytes_total counter");
        assertFalse(text.contains("peer=\"1\""), "there was no traffic with it");
    }

    @Test
    void shouldShowTimesAsHistograms() {
        // when
        final String text = text(Viewer.PUBLIC);
        // then: each bucket has those before it, too
        assertHas(text, "# TYPE hxb_flow_round_trip_seconds histogram");
        assertHas(text, "hxb_flow_queue_wait_seconds_bucket{node=\"0\",le=\"2.0E-6\"} 3");
        assertHas(text, "hxb_flow_round_trip_seconds_bucket{node=\"0\",le=\"1.0E-6\"} 2");
        assertHas(text, "hxb_flow_round_trip_seconds_bucket{node=\"0\",le=\"1.28E-4\"} 7");
        assertHas(text, "hxb_flow_round_trip_seconds_bucket{node=\"0\",le=\"+Inf\"} 8");
        assertHas(text, "hxb_flow_round_trip_seconds_count{node=\"0\"} 8");
        assertHas(text, "hxb_flow_round_trip_seconds_sum{node=\"0\"} 2.5");
        assertHas(text, "hxb_node_loop_turn_seconds_count{node=\"1\"} 0");
        assertFalse(text.contains("hxb_flow_round_trip_events"), "the same once more");
    }

    @Test
    void shouldShowUsersToOperatorsOnly() {
        // when, then
        final String all = text(Viewer.OPERATOR);
        assertHas(
                all,
                "hxb_user_held{node=\"0\",resource=\"flows\",tenant=\"physics\","
                        + "user=\"user 1000\"} 6.0");
        assertTrue(all.contains("hxb_user_limit{") && all.contains("hxb_user_refused_total{"));
        assertFalse(text(Viewer.PUBLIC).contains("hxb_user_"), "values of users");
    }

    @Test
    void shouldShowAStoppedNodeAndLeaveOutWhatIsNoCounterFile() throws IOException {
        // given
        nodes.get(1).close();
        Files.writeString(files.get(0), "no counters");
        // when
        final String text = text(Viewer.PUBLIC);
        // then
        assertHas(text, "hxb_node_state{node=\"1\",state=\"stopped\"} 1.0");
        assertHas(text, "hxb_link_state{link=\"x.0\",node=\"1\",state=\"unknown\"} 1.0");
        assertHas(text, "hxb_link_state{link=\"x.0\",node=\"1\",state=\"down\"} 0.0");
        assertFalse(text.contains("node=\"0\""), text);
    }

    @Test
    void shouldGiveEveryCounterANameOfItsOwn() {
        // when
        final Set<String> names = new HashSet<>();
        for (final CounterType type : CounterType.values()) {
            names.add(type.metric().base());
            assertEquals(type.kind() == CounterKind.COUNT, type.metric().name().endsWith("_total"));
        }
        // then
        assertEquals(CounterType.values().length, names.size());
    }

    @Test
    void shouldWriteTheFormatThatIsAccepted() {
        // given: what Prometheus 2.42 sends, and others
        final String prometheus =
                "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
                        + "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
        final MetricSnapshots metrics = NodeMetrics.of(files, Viewer.PUBLIC);
        // when, then
        final MetricText open = MetricText.accepted(prometheus);
        assertTrue(open.type().startsWith("application/openmetrics-text; version=1.0.0"));
        assertTrue(open.text(metrics).endsWith("# EOF\n"));
        assertEquals(MetricText.PROMETHEUS, MetricText.accepted(""));
        assertEquals(MetricText.PROMETHEUS, MetricText.accepted("*/*"));
        assertTrue(MetricText.PROMETHEUS.type().startsWith("text/plain; version=0.0.4"));
    }

    @Test
    void shouldPassTheCheckOfPrometheus() throws Exception {
        // given
        Promtool.require();
        makeNodeOfLongLine();
        final byte[] text = MetricText.PROMETHEUS.bytes(NodeMetrics.of(files, Viewer.OPERATOR));
        // when, then
        assertEquals("", Promtool.check(folder, text, "check", "metrics"));
    }

    @Test
    void shouldHaveAlertsThatFireForTheirCausesOnly() throws Exception {
        // given
        Promtool.require();
        final Path deployed = Path.of(System.getProperty("hxb.root"), "deploy/observe");
        for (final String name : List.of("alerts.yaml", "prometheus.yaml")) {
            Files.copy(deployed.resolve(name), folder.resolve(name));
        }
        try (var test = getClass().getResourceAsStream("/observe/alerts-test.yaml")) {
            Files.copy(test, folder.resolve("alerts-test.yaml"));
        }
        // when, then
        Promtool.check(folder, new byte[0], "check", "config", "prometheus.yaml");
        Promtool.check(folder, new byte[0], "test", "rules", "alerts-test.yaml");
    }

    @Test
    void shouldNameOnlyMetricsThatThereAreInWhatIsDeployed() throws IOException {
        // given
        makeNodeOfLongLine();
        final Set<String> known = new HashSet<>();
        final Matcher shown = NAME.matcher(text(Viewer.OPERATOR));
        while (shown.find()) {
            known.add(shown.group());
        }
        final Path deployed = Path.of(System.getProperty("hxb.root"), "deploy/observe");
        int found = 0;
        for (final String file : List.of("alerts.yaml", "grafana.json")) {
            // when
            final Matcher used =
                    Pattern.compile("(?<=\"?expr\"?: .{0,400})\\bhxb_[a-z0-9_]+")
                            .matcher(Files.readString(deployed.resolve(file)));
            // then
            while (used.find()) {
                found++;
                assertTrue(known.contains(used.group()), file + " has " + used.group());
            }
        }
        assertTrue(found > 15, "only " + found + " were found");
    }
}
