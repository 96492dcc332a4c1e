package io.hxb.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Report;
import io.hxb.bench.harness.Series;
import io.hxb.counter.CounterType;
import io.hxb.tool.lab.LabWire;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import picocli.CommandLine;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What {@code lab ip} reads, computes and prints. */
@Tag("unit")
class IpFiguresTest {
    private static final int SAMPLE_MS = 1;

    private static long[] samples(final int count, final int... emptyFromTo) {
        final long[] samples = new long[count];
        Arrays.fill(samples, 1_000);
        for (int i = 0; i < emptyFromTo.length; i += 2) {
            Arrays.fill(samples, emptyFromTo[i], emptyFromTo[i + 1], 0);
        }
        return samples;
    }

    @Test
    void shouldFindTheLongestStandstillThatBeginsInItsTime() {
        // given
        final long[] samples = samples(100, 10, 13, 40, 47, 60, 62);
        // when, then
        assertEquals(7, Standstills.longestMs(samples, SAMPLE_MS, 0, 100));
        assertEquals(3, Standstills.longestMs(samples, SAMPLE_MS, 0, 40));
        assertEquals(7, Standstills.longestMs(samples, SAMPLE_MS, 0, 41), "it ends later");
        assertEquals(2, Standstills.longestMs(samples, SAMPLE_MS, 41, 100), "it had begun");
        assertEquals(0, Standstills.longestMs(samples, SAMPLE_MS, 63, 100));
        assertEquals(70, Standstills.longestMs(samples, 10, 0, 1_000), "by the length of a sample");
    }

    @Test
    void shouldCountAStandstillThatNeverEnds() {
        assertEquals(30, Standstills.longestMs(samples(100, 70, 100), SAMPLE_MS, 50, 100));
    }

    @Test
    void shouldHaveAFigureForEachPullAndEachReturn() {
        // given
        final List<Standstills.Event> events =
                List.of(
                        new Standstills.Event("pulled 1", 20),
                        new Standstills.Event("back 1", 40),
                        new Standstills.Event("pulled 2", 60),
                        new Standstills.Event("back 2", 80));
        // when
        final Map<String, Double> figures =
                Standstills.figures(samples(100, 5, 7, 21, 26, 65, 81, 90, 91), SAMPLE_MS, events);
        // then
        assertEquals(
                "{quiet standstill ms=2.0, pulled 1 ms=5.0, back 1 ms=0.0, pulled 2 ms=16.0,"
                        + " back 2 ms=1.0}",
                figures.toString());
        assertEquals(List.of(5.0, 16.0), Standstills.all(figures, Standstills.PULLED));
        assertEquals(List.of(0.0, 1.0), Standstills.all(figures, Standstills.BACK));
    }

    @Test
    void shouldAddUpWhatNodesHaveDropped() {
        // given
        final IpCounts before = IpCounts.of((final CounterType type) -> 0L);
        // when
        final IpCounts after =
                IpCounts.of(
                        (final CounterType type) ->
                                switch (type) {
                                    case IP_GAPS_EVENTS -> 2L;
                                    case IP_MARKED_PACKETS -> 3L;
                                    case IP_DROPPED_FULL_PACKETS, IP_REFUSED_PACKETS -> 5L;
                                    case IP_DROPPED_DEVICE_PACKETS -> 7L;
                                    case FLOW_RESENT_FRAMES -> 11L;
                                    case FLOW_DUPLICATE_FRAMES -> 9L;
                                    case IP_SENT_PACKETS -> 1_000L;
                                    default -> 0L;
                                });
        // then
        assertEquals(
                "{gaps=2.0, marks=3.0, drops=17.0, resent frames=11.0, duplicate frames=9.0}",
                after.since(before).toString());
        assertEquals(
                "{gaps=0.0, marks=0.0, drops=0.0, resent frames=0.0, duplicate frames=0.0}",
                after.since(after).toString());
    }

    @Test
    void shouldRefuseAMeasurementWhoseDelayBoxDroppedAFrameOrSawNone() throws Exception {
        final JsonNode before = box(10, 2, 7);
        assertEquals(4, DelayBox.late(before, box(11, 2, 4)));
        assertThrows(IOException.class, () -> DelayBox.late(before, box(11, 3, 4)));
        assertThrows(IOException.class, () -> DelayBox.late(before, box(10, 2, 4)));
    }

    private static JsonNode box(final long frames, final long dropped, final long lateUs) {
        return new JsonMapper()
                .readTree(
                        "{\"frames\":%d,\"dropped\":%d,\"late_us\":%d}"
                                .formatted(frames, dropped, lateUs));
    }

    @Test
    void shouldReadTheColumnOfSegmentsThatTcpSentAgain() {
        final List<String> snmp =
                List.of(
                        "Ip: Forwarding RetransSegs",
                        "Ip: 1 99",
                        "Tcp: RtoAlgorithm InSegs OutSegs RetransSegs InErrs",
                        "Tcp: 1 200 300 41 0");
        assertEquals(41, IpContest.resentSegments(snmp));
    }

    @Test
    void shouldAddUpSamplesToARate() {
        assertEquals(50, TcpHosts.megabytesPerSecond(new long[] {60_000_000, 40_000_000}, 2));
    }

    /** A command with the option of rows. */
    private static final class Rows {
        @Option(names = "--rows", split = ",")
        private List<IpRow> rows;
    }

    @Test
    void shouldKnowRowsByTheirNames() {
        // when
        final Rows rows = CommandLine.populateCommand(new Rows(), "--rows", "bulk,busy-rtt");
        // then
        assertEquals(List.of(IpRow.BULK, IpRow.BUSY_RTT), rows.rows);
        assertThrows(
                CommandLine.ParameterException.class,
                () -> CommandLine.populateCommand(new Rows(), "--rows", "idle"));
    }

    private static IpScenarios scenarios() {
        return new IpScenarios(
                LabWire.WHOLE, List.of(6, 2), 1000, 500, 5, List.of(1.0, 0.1), 20, 10, 2);
    }

    private static List<String> titles(final IpRow row) {
        return scenarios().of(row, 9000).stream().map(IpScenario::title).toList();
    }

    @Test
    void shouldHaveScenariosForEachRow() {
        assertEquals(
                List.of("bulk, 6 links, MTU 9000", "bulk, 2 links, MTU 9000"), titles(IpRow.BULK));
        assertEquals(
                List.of("loss 1 %, 6 links, MTU 9000", "loss 0.1 %, 6 links, MTU 9000"),
                titles(IpRow.LOSS));
        assertEquals(List.of("slow 500 Mbit/s, 6 links, MTU 9000"), titles(IpRow.SLOW));
        assertEquals(List.of("delayed 5 ms, 6 links, MTU 9000"), titles(IpRow.DELAYED));
        assertEquals(
                BulkNetwork.Between.LONG_CABLE,
                scenarios().of(IpRow.DELAYED, 9000).getFirst().between());
        assertEquals(
                List.of(
                        "pulled, silently, 2 links, MTU 9000",
                        "pulled, carrier lost, 2 links, MTU 9000"),
                titles(IpRow.PULLED));
        assertEquals(List.of("rr, 2 links, MTU 9000"), titles(IpRow.RR));
        assertEquals(List.of("unshaped, 1 links, MTU 9000"), titles(IpRow.UNSHAPED));
        assertEquals(List.of("busy-rtt, 6 links, MTU 9000"), titles(IpRow.BUSY_RTT));
        assertEquals(0, scenarios().of(IpRow.UNSHAPED, 9000).getFirst().mbit());
        assertThrows(IllegalArgumentException.class, () -> titles(IpRow.RELAYS));
    }

    @Test
    void shouldLoseSingleFramesAndNotWhatWiresCarryWhole() {
        final IpScenario loss = scenarios().of(IpRow.LOSS, 1500).getFirst();
        assertEquals(LabWire.CUT, loss.wire());
        assertEquals(BulkNetwork.Between.SWITCHES, loss.between());
        assertEquals(LabWire.WHOLE, scenarios().of(IpRow.SLOW, 1500).getFirst().wire());
    }

    private static Map<String, Series> series(final Object... namesAndValues) {
        final Map<String, Series> series = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            series.put((String) namesAndValues[i], new Series((double) namesAndValues[i + 1]));
        }
        return series;
    }

    @Test
    void shouldPrintWhatAContestantHasAndNothingElse() {
        // given
        final Map<String, Map<String, Series>> all = new LinkedHashMap<>();
        all.put("MPTCP", series("MBps", 500.0, "cost", 1.5, "resent", 3.0));
        all.put(
                "HXB",
                series(
                        "MBps",
                        250.0,
                        "pulled 1 ms",
                        4.0,
                        "pulled 2 ms",
                        8.0,
                        "back 1 ms",
                        0.0,
                        "gaps",
                        1.0));
        all.put("other", series("p50_us", 20.0));
        final Contest.Results results = new Contest.Results(all);
        // when, then
        assertEquals(IpTable.COLUMNS.length, IpTable.line("row", "HXB", results).length);
        assertEquals(
                "row | MPTCP | 500 (500-500) | 1.50 (1.50-1.50) | - | - | - | - | - | - | - | -"
                        + " | 3.00 (3.00-3.00) | - | - | - | - | - | - | -",
                String.join(" | ", IpTable.line("row", "MPTCP", results)));
        assertEquals(
                "row | HXB | 250 (250-250) | - | - | - | - | - | 0.50 (0.50-0.50)"
                        + " | 6.00 (4.00-8.00) | 0.00 (0.00-0.00) | - | - | 1.00 (1.00-1.00)"
                        + " | - | - | - | - | - | -",
                String.join(" | ", IpTable.line("row", "HXB", results)));
        assertEquals("20.0 (20.0-20.0)", IpTable.line("row", "other", results)[4]);
    }

    @Test
    void shouldLeaveOutColumnsInWhichNothingIs() throws Exception {
        // given
        final Map<String, Map<String, Series>> all = new LinkedHashMap<>();
        all.put("TCP", series("p50_us", 20.0));
        all.put("HXB", series("p50_us", 30.0, "gaps", 0.0));
        final IpTable table = new IpTable();
        table.add("rr", new Contest.Results(all));
        final Report report = new Report("ip", Map.of());
        final ByteArrayOutputStream output = new ByteArrayOutputStream();
        // when
        table.write(report);
        report.finish(new PrintStream(output, true, StandardCharsets.UTF_8), null);
        // then
        final String[] lines = output.toString(StandardCharsets.UTF_8).split("\n", -1);
        assertEquals("| what | who | round trip us | gaps |", lines[0]);
        assertEquals("| rr | TCP | 20.0 (20.0-20.0) | - |", lines[2]);
        assertEquals("| rr | HXB | 30.0 (30.0-30.0) | 0.00 (0.00-0.00) |", lines[3]);
    }
}
